"""A turma inteira, hostis e tudo, pela linha de comando; e o que sobra depois."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from atencao.classroom import cli, report
from atencao.classroom.grade import grade
from atencao.classroom.sandbox import Limits
from classroom_class import (
    BROKEN,
    MISTAKEN,
    NAME,
    RIGHT,
    RIGHT_GUESS,
    RIGHT_WEIGHTS,
    SECRET,
    SOURCE,
    answered,
    at,
    class_of,
    dumped,
    hand_in,
    hand_out,
    hostile,
    pupil,
    released,
)

SIZE = 78
OPTIONS = ["--workers", "2", "--seconds", "2", "--memory", "512"]


def grade_folder(course: Path, folder: Path, out: Path, *more: str) -> int:
    source = course / NAME / f"{NAME}.ipynb"
    return cli.main([str(folder), "--assignment", str(source), "--out", str(out), *OPTIONS, *more])


def records(out: Path) -> dict[str, dict]:
    found = [json.loads(path.read_text("utf-8")) for path in (out / "dados").glob("*.json")]
    return {record["student"]: record for record in found}


def points(record: dict) -> tuple:
    return tuple(question["points"] for question in record["questions"][:3])


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".db"
    }


def leftovers(folder: Path) -> tuple[list[str], list[Path]]:
    """Processos de aluno nascidos para uma pasta temporária, e o que há nela."""
    running = [" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])]
    return (
        [line for line in running if str(folder) in line or "time.sleep(600)" in line],
        sorted(folder.glob("atencao-aluno-*")),
    )


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """Uma pasta temporária só deste módulo, também para os trabalhadores."""
    folder = tmp_path_factory.mktemp("descartavel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", None)
        yield folder
    tempfile.tempdir = None


@pytest.fixture(scope="module")
def classroom(tmp_path_factory, temporary):
    """A turma corrigida uma vez: (alunos, pasta do curso, entregas, resultados)."""
    base = tmp_path_factory.mktemp("turma")
    private = base / "particular" / "diario.txt"
    private.parent.mkdir()
    private.write_text("SEGREDO", encoding="utf-8")
    course, folder, out = base / "curso", base / "entregas", base / "resultados"
    hand_out(course)
    pupils = class_of(SIZE, private, course, folder)
    hand_in(pupils, folder)
    before = everything(course), everything(folder)
    assert grade_folder(course, folder, out) == 0
    assert (everything(course), everything(folder)) == before
    assert private.read_text(encoding="utf-8") == "SEGREDO"
    return pupils, course, folder, out


def test_the_class_is_large_and_hostile_enough(tmp_path):
    attackers = hostile(tmp_path / "x", tmp_path, tmp_path)
    assert len(attackers) + len(BROKEN) >= 25
    names = [one.name for one in class_of(SIZE, tmp_path / "x", tmp_path, tmp_path)]
    assert len(names) == len(set(names)) == SIZE >= 60


def test_every_grade_is_what_each_one_deserves(classroom):
    pupils, _, _, out = classroom
    found = {name: points(record) for name, record in records(out).items()}
    assert found.keys() == {one.name for one in pupils}
    expected = {one.name: one.points for one in pupils if one.points is not None}
    assert {name: found[name] for name in expected} == expected


def test_every_page_says_what_happened(classroom):
    pupils, _, _, out = classroom
    pages = {p.read_text("utf-8") for p in (out / "alunos").glob("*.html")}
    for one in pupils:
        (page,) = [page for page in pages if f"<h1>{one.name}</h1>" in page]
        assert [said for said in one.says if said not in page] == [], one.name


def test_no_page_shows_hidden_tests_solutions_or_someone_else(classroom):
    pupils, _, _, out = classroom
    names = [one.name for one in pupils]
    for path in (out / "alunos").glob("*.html"):
        page = path.read_text("utf-8")
        (own,) = re.findall("<h1>(.*?)</h1>", page)
        assert not [name for name in names if name != own and f">{name}<" in page]
        for hidden in ("HIDDEN", "SOLUTION", "np.allclose(pesos", f"- {SECRET}", "swapaxes",
                       "omega"):
            assert hidden not in page, (own, hidden)
        assert "<script" not in page
        assert "<img" not in page


def test_nothing_is_left_behind(classroom, temporary):
    assert classroom
    assert leftovers(temporary) == ([], [])


def test_the_spreadsheets_have_every_student_once(classroom):
    pupils, _, _, out = classroom
    rows = list(csv.DictReader(io.StringIO((out / "notas-moodle.csv").read_text("utf-8-sig"))))
    assert sorted(row["Nome completo"] for row in rows) == sorted(one.name for one in pupils)
    grades = {row["Nome completo"]: row["Nota"] for row in rows}
    problems = {name for name, record in records(out).items() if record["problem"]}
    assert 1 <= len(problems) <= 5
    for one in pupils:
        if one.points is not None:
            expected = "" if one.name in problems else f"{sum(one.points):g}"
            assert grades[one.name] == expected, one.name


def test_the_class_page_names_the_mistakes(classroom):
    page = (classroom[3] / "turma.html").read_text("utf-8")
    assert "Questão 2: Faltou a escala" in page
    assert "Questão 3: Seu palpite está longe." in page
    assert "Faltou o palpite" not in page  # quem deixou em branco não se enganou
    assert page.count('<table class="chart') == 3
    assert "<caption>Alunos por faixa, sobre os pontos já corrigidos.</caption>" in page
    assert "q1-teste" not in page
    assert "onerror=alert(1)>" not in page


def test_a_second_run_grades_nobody_again_and_changes_nothing(classroom, monkeypatch):
    _, course, folder, out = classroom
    before = everything(out)
    monkeypatch.setattr(cli, "_client", lambda options: pytest.fail("corrigiu de novo"))
    assert grade_folder(course, folder, out) == 0
    assert everything(out) == before


def test_the_same_submissions_give_the_same_bytes(tmp_path):
    pupils = [*MISTAKEN[:5], *BROKEN[:4], *hostile(tmp_path / "x", tmp_path, tmp_path)[:5]]
    course, folder = tmp_path / "curso", tmp_path / "entregas"
    hand_out(course)
    hand_in(pupils, folder)
    for out in ("um", "dois"):
        assert grade_folder(course, folder, tmp_path / out) == 0
    assert everything(tmp_path / "um") == everything(tmp_path / "dois")


def test_only_what_changed_is_graded_again(tmp_path):
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    hand_out(course)
    hand_in([pupil("Ana"), pupil("Bia")], folder)
    assert grade_folder(course, folder, out, "--no-formgrader") == 0
    kept = {path.name: path.stat().st_mtime_ns for path in (out / "dados").glob("bia-*")}
    (folder / "Ana" / f"{NAME}.ipynb").write_bytes(
        dumped(answered(*RIGHT[:2], "palpite = 0.1"))
    )
    assert grade_folder(course, folder, out, "--no-formgrader") == 0
    assert points(records(out)["Ana"]) == (2, 3, 0)
    assert {path.name: path.stat().st_mtime_ns for path in (out / "dados").glob("bia-*")} == kept


@pytest.mark.skipif(os.name == "nt", reason="o Windows não tem grupos de processos")
def test_interrupted_it_goes_on_where_it_stopped(tmp_path, temporary):
    """Ctrl-C no meio, a todo o grupo, como faz o terminal; o pronto não se refaz, e nada sobra."""
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    source = hand_out(course)
    hand_in([pupil(f"Aluna {i:02d}") for i in range(24)], folder)
    command = [sys.executable, "-m", "atencao.classroom.cli", str(folder), "--assignment",
               str(source), "--out", str(out), *OPTIONS]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        run.stderr.readline()  # o primeiro corrigido
        os.killpg(run.pid, signal.SIGINT)
        said = run.stderr.read()
    assert run.returncode == 130, said
    assert "rode o mesmo comando para continuar" in said
    assert "Traceback" not in said
    first = {path: path.stat().st_mtime_ns for path in (out / "dados").glob("*.json")}
    assert 1 <= len(first) < 24
    assert leftovers(temporary)[0] == []
    assert grade_folder(course, folder, out, "--no-formgrader") == 0
    assert len(records(out)) == 24
    assert {path: path.stat().st_mtime_ns for path in first} == first
    assert leftovers(temporary) == ([], [])


def test_the_results_inside_the_submissions_are_not_another_class(tmp_path):
    course, folder = tmp_path / "curso", tmp_path / "entregas"
    hand_out(course)
    hand_in([pupil("Ana")], folder)
    for _ in range(2):
        assert grade_folder(course, folder, folder / "resultados") == 0
    assert records(folder / "resultados").keys() == {"Ana"}


def test_one_folder_of_results_belongs_to_one_assignment(tmp_path, capsys):
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    hand_out(course)
    hand_in([pupil("Ana")], folder)
    report.write(out / "resultados.json", '{"assignment": "t1"}')
    assert grade_folder(course, folder, out) == 1
    assert "tem os resultados de t1" in capsys.readouterr().err


def test_the_notebook_of_another_assignment_gets_no_grade_and_is_named():
    other = released()
    other["cells"][0]["source"] = "# Tarefa 2 · Outra"
    for made in other["cells"]:
        if made["cell_type"] == "code":
            made["source"] = "outra = 1"
    record = grade(NAME, dumped(SOURCE).decode(), dumped(other))
    assert record["problem"] == 'O caderno parece ser de outra tarefa: "Tarefa 2 · Outra".'
    assert record["notes"] == [
        record["problem"],
        'Confira qual arquivo você entregou e entregue o de "Tarefa de prova".',
    ]


def another_assignment() -> dict:
    """Outra tarefa do curso, com outros nomes."""
    other = json.loads(re.sub("pontuacoes|pesos|palpite", r"outro_\g<0>", json.dumps(SOURCE)))
    other["cells"][0]["source"] = "# Outra tarefa"
    return other


def test_the_other_assignments_of_the_term_are_one_line(tmp_path, capsys):
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    hand_out(course)
    report.write(course / "outra" / "outra.ipynb", dumped(another_assignment()))
    hand_in([pupil("Ana"), pupil("Bia")], folder)
    report.write(folder / "Ana" / "outra.ipynb", dumped(another_assignment()))
    report.write(folder / "Ana" / "Untitled.ipynb", dumped(another_assignment()))
    report.write(folder / "sem dono.ipynb", b"{}")
    assert grade_folder(course, folder, out, "--no-formgrader") == 0
    said = capsys.readouterr().out
    assert "Cadernos de outras tarefas do curso: 2.\n" in said
    assert [line for line in said.splitlines() if line.startswith("Fora:")] == [
        "Fora: sem dono.ipynb: não sei de que aluno é. Ponha-o numa pasta com o nome do aluno."
    ]
    assert records(out)["Ana"]["submission_notes"] == []
    (page,) = (out / "alunos").glob("ana-*.html")
    assert "utra" not in page.read_text("utf-8")
    assert "Cadernos de outras tarefas do curso, no meio destes: 2." in (
        out / "turma.html").read_text("utf-8")


def test_the_numbers_of_the_zero_are_said_as_they_are():
    source = json.loads(dumped(SOURCE).decode().replace("palpite", "student_number"))
    data = dumped(answered(*RIGHT[:2], "student_number = 0"))
    assert grade(NAME, dumped(source).decode(), data)["notes"][-1] == (
        "A matrícula ficou 0, e corrigi com os números dessa matrícula. Se você usou a sua, avise "
        "o professor."
    )


@pytest.mark.parametrize(("written", "shown"), [
    ("5.47", "5,47"), ("'0,5'", "“0,5”"), ("(2, 6)", "(2, 6)"), ("np.float32(0.5)", "0,5"),
    ("7", "7"), ("True", "True"), ("'a' * 80", "“" + "a" * 59 + "…”"), ("1 / 3", "0,3333333333"),
    ("10 ** 80", "1" + "0" * 58 + "…"),
    ("str(object())", "“<object object>”"), ("'a\\u202eb'", "“a?b”"),
    ("None", ""), ("...", ""), ("[]", ""), ("np.ones(3)", ""), ("len", ""), ("[[1]]", ""),
    ("' '", ""), ("{'a': 1}", ""),
])
def test_what_the_student_answered(written, shown):
    data = dumped(answered(*RIGHT[:2], f"palpite = {written}"))
    made = grade(NAME, dumped(SOURCE).decode(), data)
    answers = {q["id"]: q.get("answered") for q in made["questions"]}
    assert answers == {"q1-teste": "", "q2-teste": "", "q3-teste": shown, "q4-texto": None}


def test_the_answer_shown_is_the_one_given_and_not_the_one_mended():
    data = dumped(answered("def pontuacoes(query, key):\n    return key", RIGHT_WEIGHTS,
                           "palpite = round(float(pesos(X, X)[1].max()), 2)"))
    question = grade(NAME, dumped(SOURCE).decode(), data)["questions"][2]
    assert (question["replaced"], question["answered"]) == (["pesos"], "0,74")


def with_message(said: str) -> str:
    """A tarefa, com um teste que, além de conferir, explica."""
    source = json.loads(dumped(SOURCE))
    at(source, "q2-teste")["source"] = (
        "resultado = checks.attention_weights(pesos)\n### BEGIN HIDDEN TESTS\n"
        f"assert resultado, {said!r}\n### END HIDDEN TESTS"
    )
    return dumped(source).decode()


@pytest.mark.parametrize(("said", "kept"), [("", ["unknown"]), ("Você somou 3.", [])])
def test_the_test_that_names_the_mistake_silences_the_check_that_does_not_know_it(said, kept):
    odd = "def pesos(query, key):\n    return (query @ key.T) ** 3 + 7"
    made = grade(NAME, with_message(said), dumped(answered(RIGHT[0], odd, RIGHT_GUESS)))
    question = made["questions"][1]
    assert [f for result in question["results"] for f in result["faults"]] == kept
    assert (question["message"], question["mistake"]) == (
        (said, said) if said else ("Uma parte do teste não passou.", ""))


def test_a_known_fault_is_kept_beside_the_words_of_the_test():
    bare = "def pesos(query, key):\n    return query @ key.T"
    made = grade(NAME, with_message("Veja."), dumped(answered(RIGHT[0], bare, RIGHT_GUESS)))
    faults = [f for result in made["questions"][1]["results"] for f in result["faults"]]
    assert "softmax_missing" in faults


def test_an_assert_of_the_students_own_is_not_a_mistake_the_test_names():
    own = "def pesos(query, key):\n    assert False, 'minha'"
    source = json.loads(with_message("Veja."))
    at(source, "q2-teste")["source"] = "assert pesos(X, X) is not None"
    made = grade(NAME, dumped(source).decode(), dumped(answered(RIGHT[0], own, RIGHT_GUESS)))
    question = made["questions"][1]
    assert (question["message"], question["mistake"]) == (
        "Sua resposta parou com AssertionError: minha", "")


SHORT = Limits(cell_seconds=0.5, call_seconds=0.5, total_seconds=20)


@pytest.mark.parametrize(("slow", "costs"), [
    ("while True: pass", False),
    ("ajuda = 1\nwhile True: pass", True),  # e o palpite, errado, precisava dela
    ("while pontuacoes: pass", True),  # de onde saem os pesos, e deles o palpite
])
def test_a_slow_cell_says_the_limit_and_whether_it_costs(slow, costs):
    made = answered(*RIGHT[:2], "palpite = 9\nif 'ajuda' in dir(): palpite = ajuda")
    at(made, "q4-texto")["source"] = ""
    made["cells"].insert(-2, {"cell_type": "code", "metadata": {}, "source": slow})
    found = grade(NAME, dumped(SOURCE).decode(), dumped(made), SHORT)
    said = "A 3ª célula de código da Questão 3 passou dos 0,5 segundos que cada célula tem."
    assert found["errors"] == [said + ("" if costs else " Só por isso, não se perdem pontos.")]


def test_an_answer_that_takes_too_long_says_how_long_it_had():
    source = json.loads(dumped(SOURCE))
    at(source, "q2-teste")["source"] = "assert np.allclose(pesos(X, X).sum(-1), 1)"
    slow = dumped(answered(RIGHT[0], "def pesos(query, key):\n    while True: pass", RIGHT_GUESS))
    made = grade(NAME, dumped(source).decode(), slow, SHORT)
    assert made["questions"][1]["message"] == "A sua resposta passou dos 0,5 segundos que tinha."


def test_the_time_of_the_whole_notebook_is_said():
    limits = Limits(cell_seconds=2, call_seconds=1, total_seconds=2)
    made = answered(*RIGHT)
    made["cells"][2:2] = [{"cell_type": "code", "metadata": {}, "source": "while True: pass"}] * 2
    found = grade(NAME, dumped(SOURCE).decode(), dumped(made), limits)
    assert "O caderno passou dos 2 segundos que tem ao todo; o que faltava não rodou." in (
        found["notes"])


def test_a_title_of_ones_own_does_not_make_it_another_assignment():
    named = answered(*RIGHT)
    named["cells"][0]["source"] = "# Ana da Luz"
    record = grade(NAME, dumped(SOURCE).decode(), dumped(named))
    assert record["problem"] == ""
    assert points(record) == (2, 3, 1)


def test_a_question_is_not_punished_for_the_one_before(tmp_path):
    source = hand_out(tmp_path / "curso").read_text("utf-8")
    data = dumped(answered("def pontuacoes(query, key):\n    return key", RIGHT_WEIGHTS,
                           "palpite = round(float(pesos(X, X)[1].max()), 2)"))
    questions = grade(NAME, source, data)["questions"]
    assert [q["points"] for q in questions[:3]] == [0, 3, 1]
    assert [q["replaced"] for q in questions[:3]] == [[], ["pontuacoes"], ["pesos"]]


def test_the_reference_stays_out_of_the_student_process(tmp_path):
    """Posta no lugar do que faltou, a referência é só um pedido: o código não atravessa."""
    source = hand_out(tmp_path / "curso").read_text("utf-8")
    spy = RIGHT_WEIGHTS.replace("\n", """
    achado = repr(vars(type(pontuacoes))) + repr(pontuacoes)
    if hasattr(pontuacoes, "__code__") or "swapaxes" in achado:
        return query
""", 1)
    data = dumped(answered("def pontuacoes(query, key):\n    return key", spy, RIGHT_GUESS))
    (question,) = [q for q in grade(NAME, source, data)["questions"] if q["id"] == "q2-teste"]
    assert (question["points"], question["replaced"]) == (3, ["pontuacoes"])


def test_a_bad_source_is_refused_with_the_reason(tmp_path, capsys):
    course = tmp_path / "curso"
    source = hand_out(course)
    source.write_text(source.read_text("utf-8").replace(SECRET, "0.99"), encoding="utf-8")
    (tmp_path / "entregas").mkdir()
    assert grade_folder(course, tmp_path / "entregas", tmp_path / "fora") == 1
    assert "q3-teste da fonte parou com AssertionError" in capsys.readouterr().err


def test_the_command_explains_what_it_cannot_find(tmp_path, capsys):
    assert cli.main(["nada", "--assignment", "t9", "--out", str(tmp_path)]) == 1
    assert "não achei a tarefa 't9'" in capsys.readouterr().err
    course = tmp_path / "curso"
    hand_out(course)
    assert grade_folder(course, tmp_path / "nada", tmp_path / "fora") == 1
    assert "não há nada em" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [
    ["--help"], [], ["a"], ["a", "--assignment"], ["a", "--workers", "0"], ["a", "--nada"],
    ["a", "--workers", "2", "--scheduler", "tcp://x:1"],
    ["a", "--assignment", "t", "--out", "o", "--nada"],
])
def test_the_command_speaks_portuguese(arguments, capsys):
    with pytest.raises(SystemExit):
        cli.main(arguments)
    said = "".join(capsys.readouterr())
    assert "uso: atencao-grade" in said
    english = r"usage|error|required|argument|options:|unrecognized|expected|allowed|invalid|show"
    assert not re.findall(english, said)
