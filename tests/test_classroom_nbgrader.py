"""A ida e a volta com o nbgrader de verdade: as mesmas notas, e a correção à mão."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import read, validate
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import determine_grade, is_grade

import assignments
import classroom_class
from atencao.classroom import cli, formgrader
from atencao.classroom.assignment import TEST, Assignment
from atencao.classroom.grade import grade as grade_one
from classroom_class import (
    MISTAKEN,
    NAME,
    RIGHT,
    RIGHT_SCORES,
    RIGHT_WEIGHTS,
    STYLES,
    answered,
    at,
    dumped,
    hand_in,
    hand_out,
    pupil,
)

CONFIG = (assignments.COURSE / "nbgrader_config.py").read_text("utf-8") + """
c.ClearSolutions.code_stub = {"python": "..."}
c.ExecutePreprocessor.timeout = 60
"""
pytestmark = pytest.mark.filterwarnings("ignore")  # o nbgrader fala do SQLAlchemy novo


def nbgrader(course: Path, *arguments: str) -> None:
    """Roda o nbgrader como quem não ativou o ambiente: nada deste Python está no PATH."""
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments], cwd=course, capture_output=True, text=True,
        env=os.environ | {
            "PATH": os.defpath, "PYTHONWARNINGS": "ignore", "JUPYTER_PLATFORM_DIRS": "1",
        },
    )
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Um curso do nbgrader, com a versão do aluno gerada por ele."""
    folder = tmp_path_factory.mktemp("curso")
    hand_out(folder / "source")
    (folder / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    nbgrader(folder, "generate_assignment", NAME)
    return folder


def grade(course: Path, folder: Path, out: Path) -> list[dict]:
    source = course / "source" / NAME / f"{NAME}.ipynb"
    assert cli.main([str(folder), "--assignment", str(source), "--out", str(out),
                     "--workers", "2"]) == 0
    return json.loads((out / "resultados.json").read_text("utf-8"))["students"]


def test_what_the_student_gets_is_what_we_compare_with(course):
    """Um caderno recém-baixado não pode ser acusado de ter os testes mudados."""
    released = json.loads((course / "release" / NAME / f"{NAME}.ipynb").read_text("utf-8"))
    assignment = Assignment.load(course / "source" / NAME / f"{NAME}.ipynb")
    sources = {c["metadata"]["nbgrader"]["grade_id"]: "".join(c["source"])
               for c in released["cells"]}
    tests = [cell for cell in assignment.cells if cell.role == TEST]
    assert len(tests) == 3
    for cell in tests:
        assert cell.visible.strip() == sources[cell.grade_id].strip()
    assert "HIDDEN" not in json.dumps(released)
    assert "SOLUTION" not in json.dumps(released)


def test_autograde_agrees_on_every_honest_submission(course, tmp_path):
    release = json.loads((course / "release" / NAME / f"{NAME}.ipynb").read_text("utf-8"))
    pupils = [*(pupil(f"honesta{i}", style) for i, style in enumerate(STYLES)), *MISTAKEN]
    # Lá, uma questão paga pelo erro da anterior; é a única diferença, e é de propósito.
    pupils = [one for one in pupils if one.name not in ("Sem Transpor", "Papeis Trocados")]
    for one in pupils:
        answers = json.loads(one.data)
        notebook = json.loads(json.dumps(release))
        for cell in notebook["cells"]:
            about = cell["metadata"]["nbgrader"]
            if about["solution"]:
                cell["source"] = at(answers, about["grade_id"])["source"]
        place = course / "submitted" / one.name / NAME / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(dumped(notebook))
    nbgrader(course, "autograde", NAME, "--create")
    theirs = {}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        for one in pupils:
            submission = book.find_submission_notebook(NAME, NAME, one.name)
            theirs[one.name] = {mark.name: mark.auto_score for mark in submission.grades}
    ours = {s["student"]: s["questions"] for s in grade(
        course, course / "submitted", tmp_path / "resultados"
    )}
    assert ours == theirs
    assert ours == {
        one.name: dict(zip(("q1-teste", "q2-teste", "q3-teste"), one.points, strict=True))
        | {"q4-texto": None} for one in pupils
    }


def test_hand_marked_questions_go_to_formgrader_and_come_back(course, tmp_path):
    folder, out = tmp_path / "entregas", tmp_path / "resultados"
    blank = dumped(answered(
        RIGHT_SCORES, RIGHT_WEIGHTS, "palpite = 0.78", "Escreva aqui a sua resposta."
    ))
    hand_in([pupil("Ana Luz"), pupil("Bia")], folder)
    (folder / "Bia" / f"{NAME}.ipynb").write_bytes(blank)
    ana, bia = sorted(grade(course, folder, out), key=lambda s: s["student"])
    assert (ana["points"], ana["waiting"], bia["points"], bia["waiting"]) == (6, 2, 6, 0)

    with Gradebook(f"sqlite:///{out / 'formgrader' / 'gradebook.db'}") as book:
        mark = book.find_grade("q4-texto", NAME, NAME, ana["slug"])
        assert (mark.needs_manual_grade, mark.max_score) == (True, 2)
        assert book.find_grade("q2-teste", NAME, NAME, ana["slug"]).score == 3
        assert not book.find_grade("q4-texto", NAME, NAME, bia["slug"]).needs_manual_grade
        mark.manual_score, mark.needs_manual_grade = 1.5, False  # o que o formgrader grava
        book.find_comment("q4-texto", NAME, NAME, ana["slug"]).manual_comment = "Falta o <porquê>."
        book.db.commit()

    ana, bia = sorted(grade(course, folder, out), key=lambda s: s["student"])
    assert (ana["points"], ana["waiting"], bia["points"]) == (7.5, 0, 6)
    assert "Ana Luz,7.5,8,,Falta o <porquê>." in (out / "notas-moodle.csv").read_text("utf-8-sig")
    page = (out / "alunos" / f"{ana['slug']}.html").read_text("utf-8")
    assert "1,5 de 2" in page
    assert "Falta o &lt;porquê&gt;." in page

    rewritten = dumped(answered(RIGHT_SCORES, RIGHT_WEIGHTS, "palpite = 0.78", "Outro texto."))
    (folder / "Ana Luz" / f"{NAME}.ipynb").write_bytes(rewritten)
    ana, _ = sorted(grade(course, folder, out), key=lambda s: s["student"])
    assert (ana["points"], ana["waiting"]) == (6, 2)  # a nota era do texto de antes


def test_hand_marked_code_keeps_its_figures_and_nothing_that_runs(tmp_path):
    """Uma figura se julga vendo-a; o HTML e os scripts de um aluno não chegam ao professor."""
    source = dumped({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        *classroom_class.SOURCE["cells"], classroom_class.cell(
            "code", "q5-figura", "# desenhe\n### BEGIN SOLUTION\nfeito = 1\n### END SOLUTION",
            points=2, solution=True),
    ]}).decode()
    assignment = Assignment(NAME, source)
    image, script = "iVBORw0KGgo=", "<script>alert(1)</script>"
    drawn = classroom_class.cell(
        "code", "q5-figura", "# desenhe\nfeito = 2", points=2, solution=True
    )
    drawn["outputs"] = [
        {"output_type": "display_data", "metadata": {}, "data": {
            "image/png": image, "text/plain": ["Uma ", "figura."], "text/html": script,
            "image/svg+xml": script, "application/javascript": "alert(1)",
        }},
        {"output_type": "stream", "name": "stdout", "text": "perda: 0.1"},
        {"output_type": "display_data", "data": {"image/png": script, "text/plain": "x" * 10**7}},
        "estranha", {"data": 3},
    ]
    handed = answered(*RIGHT)
    handed["cells"].append(drawn)
    record = grade_one(NAME, source, dumped(handed))
    (question,) = [q for q in record["questions"] if q["id"] == "q5-figura"]
    shown = [["image/png", image], ["text/plain", "Uma figura."], ["text/plain", "perda: 0.1"]]
    assert (question["state"], question["shown"]) == ("à mão", shown)
    page = formgrader.notebook(assignment, record | {"student": "Ana"})
    assert [list(*output["data"].items()) for output in page["cells"][-1]["outputs"]] == shown
    assert [made["source"] for made in page["cells"]].count(drawn["source"]) == 1


def test_the_formgrader_lists_and_shows_our_notebooks(course, tmp_path):
    """Com a própria API do nbgrader, e a nota que ele leria do caderno que escrevemos."""
    folder, out = tmp_path / "entregas", tmp_path / "resultados"
    hand_in([pupil("Ana"), MISTAKEN[0]], folder)
    students = {s["slug"]: s for s in grade(course, folder, out)}
    api = NbGraderAPI(CourseDirectory(root=str(out / "formgrader")))
    nbgrader(out / "formgrader", "db", "student", "list")
    listed = {s["student"]: s for s in api.get_submissions(NAME)}
    assert listed.keys() == students.keys()
    for slug, student in students.items():
        assert listed[slug]["autograded"]
        assert listed[slug]["needs_manual_grade"]
        assert listed[slug]["score"] == student["points"]
        page = read(out / "formgrader" / "autograded" / slug / NAME / f"{NAME}.ipynb", as_version=4)
        validate(page)
        marks = {c.metadata.nbgrader.grade_id: determine_grade(c)[0]
                 for c in page.cells if "nbgrader" in c.metadata and is_grade(c)}
        assert marks == student["questions"]


def test_without_marks_there_is_nothing_to_bring_back(tmp_path):
    assert formgrader.manual_marks(tmp_path, Assignment("nada", "{}")) == {}
