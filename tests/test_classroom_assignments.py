"""As tarefas de verdade: a fonte, a versão do aluno, o livro, as notas nossas e as do nbgrader."""

import json
import re

import pytest
from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config

import assignments
import book
from atencao.classroom.assignment import MANUAL, SOLUTION, Assignment
from atencao.classroom.grade import grade

SOURCES = {path.stem: Assignment.load(path) for path in book.ASSIGNMENTS}
TASKS = ["t1-produto-escalar", "t2-projecoes-e-escala", "t3-mascara-e-lotes",
         "t4-multiplas-cabecas"]
EVERY = [*TASKS, "projeto"]
REGION = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", re.DOTALL)

TAUGHT = "\n".join(cell.source for path in book.CHAPTERS for cell in book.read(path).cells)

each = pytest.mark.parametrize("name", EVERY)
each_task = pytest.mark.parametrize("name", TASKS)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """O que o nbgrader faz das fontes, agora."""
    return assignments.student_versions(tmp_path_factory.mktemp("nbgrader"))


def student_version(name: str) -> str:
    return (assignments.STUDENT / f"{name}.ipynb").read_text("utf-8")


def secrets(assignment: Assignment) -> set[str]:
    """As linhas que só quem corrige pode ler, se têm bastante de próprio para se reconhecer.

    O que os capítulos mostram, ou a própria tarefa noutro lugar, não é segredo.
    """
    lines, shown = set(), [TAUGHT]
    for cell in assignment.cells:
        hidden = "".join(match[2] for match in REGION.finditer(cell.source))
        if cell.role == MANUAL and not hidden:
            hidden = cell.source
        else:
            shown.append(REGION.sub("", cell.source))
        lines |= {line.strip() for line in hidden.splitlines()}
    lines |= set(figures_told(assignment))
    return {line for line in lines if len(line) >= 20 and line not in "\n".join(shown)}


def figures_told(assignment: Assignment) -> list[str]:
    """Os textos alternativos das figuras que a solução desenha."""
    cells = json.loads(assignment.text)["cells"]
    return [cell["metadata"]["mystnb"]["image"]["alt"] for cell in cells
            if "image" in cell["metadata"].get("mystnb", {})]


def test_the_assignments_are_these():
    assert SOURCES.keys() == set(EVERY)


@each_task
def test_an_assignment_has_questions_of_every_kind(name):
    assignment = SOURCES[name]
    titles = [cell.source for cell in assignment.cells if cell.source.startswith("## Questão")]
    assert 4 <= len(titles) <= 6
    assert assignment.total == 10
    assert any(question.manual for question in assignment.questions)
    assert any("student_number" in question.names for question in assignment.questions)
    assert "BEGIN HIDDEN TESTS" in "".join(q.cell.source for q in assignment.questions)


@each
def test_the_points_in_the_titles_add_up(name):
    """De um "## Questão" ao seguinte, os pontos das células somam o que o título promete."""
    promised, given = [], []
    for cell in SOURCES[name].cells:
        if title := re.match(r"## Questão .*\(([\d,]+) pontos?\b", cell.source):
            promised.append(float(title[1].replace(",", ".")))
            given.append(0.0)
        elif cell.points:
            given[-1] += cell.points
    assert promised == given


@each
def test_the_student_version_is_what_nbgrader_makes(name, made):
    assert student_version(name) == made[name], "rode: make assignments"


@each
def test_no_secret_is_in_a_student_version_or_in_the_book(name, pages, html):
    hidden = secrets(SOURCES[name])
    assert len(hidden) >= 5
    public = {"a versão do aluno": student_version(name).replace('\\"', '"')}
    public |= {path.name: soup.get_text() for path, soup in pages.items()}
    public |= {
        path.name: path.read_text("utf-8", errors="replace").replace('\\"', '"')
        for path in html.rglob("*") if path.suffix in (".ipynb", ".md", ".js", ".json", ".txt")
    }
    told = {(place, line) for place, text in public.items() for line in hidden if line in text}
    assert told == set()
    marked = {place.partition(".")[0] for place, text in public.items() if "HIDDEN TESTS" in text}
    assert marked <= {"guia-do-professor"}  # que ensina a escrever uma tarefa


@each
def test_the_right_answer_gets_every_point_and_the_blank_one_none(name):
    text = SOURCES[name].text
    right = grade(name, text, text.encode())
    blank = grade(name, text, student_version(name).encode())
    for result, share in ((right, 1), (blank, 0)):
        assert result["errors"] == []
        for question in result["questions"]:
            if question["state"] != "à mão":
                assert question["points"] == share * question["max"], question
    assert [note for note in blank["notes"] if "A matrícula ficou 0" not in note] == []
    assert {q["state"] for q in blank["questions"]} == {"em branco"}


def with_answers(name: str) -> str:
    """A versão do aluno, respondida com as soluções."""
    notebook = json.loads(student_version(name))
    answers = {cell.grade_id: cell.source for cell in SOURCES[name].cells
               if cell.role in (SOLUTION, MANUAL)}
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = answers.get(grade_id, cell["source"])
    return json.dumps(notebook)


@pytest.mark.filterwarnings("ignore")  # o nbgrader fala do SQLAlchemy novo
def test_nbgrader_gives_the_same_points(tmp_path, made):
    """``autograde`` de verdade, nas fontes de verdade: a resposta certa e a em branco."""
    course = tmp_path / "curso"
    assignments.student_versions(tmp_path)  # deixa em course a fonte e o caderno de notas
    api = NbGraderAPI(config=Config({"CourseDirectory": {"root": str(course)}}))
    for name in TASKS:
        for student, text in (("certa", with_answers(name)), ("branco", made[name])):
            place = course / "submitted" / student / name / f"{name}.ipynb"
            place.parent.mkdir(parents=True)
            place.write_text(text, encoding="utf-8")
            outcome = api.autograde(name, student, force=True, create=True)
            assert outcome["success"], outcome["log"]
            ours = {q["id"]: q["points"] for q in grade(
                name, SOURCES[name].text, text.encode())["questions"] if q["state"] != "à mão"}
            with api.gradebook as marks:
                theirs = {mark.name: mark.auto_score for mark in
                          marks.find_submission_notebook(name, name, student).grades}
            assert {key: theirs[key] for key in ours} == ours, (name, student)
