"""Cadernos feitos para demorar, para enganar a leitura ou para estragar o dos outros."""

import json

import pytest

from atencao.classroom import formgrader, notebook, report
from atencao.classroom.grade import grade
from atencao.classroom.sandbox import _student_error
from classroom_class import (
    NAME,
    RIGHT,
    RIGHT_GUESS,
    RIGHT_SCORES,
    SOURCE,
    answered,
    at,
    dumped,
    extra,
)

TEXT = dumped(SOURCE).decode()


def ran(source: str) -> str:
    """O código que sobra de uma célula."""
    return notebook.runnable(notebook.Cell(1, True, source), notebook.Plan())


@pytest.mark.parametrize(("written", "left"), [
    ("%time palpite = 0.5", "palpite = 0.5"),
    ("x = !ls", "x = None"),
    ("!pip install x", "None"),
    ("  %matplotlib inline", "  None"),
    ("!ls\nresto = (1000\n% 7)", "None\nresto = (1000\n% 7)"),
])
def test_what_only_jupyter_knows_leaves_and_the_rest_stays(written, left):
    assert ran(written) == left


@pytest.mark.parametrize("source", [
    "(\n" + " " * 200_000 + "x", "(\n" + "a." * 100_000, "(\n" + "a = " * 50_000, "!" * 200_000,
])
def test_no_cell_takes_long_to_read(source):
    assert ran(source)  # com custo quadrático, isto levaria muitos minutos


def test_no_broken_file_takes_long_to_mend():
    hostile = '{"cells":[' + '{"cell_type":[' * 200 + "0," * 400_000
    assert notebook.read(hostile.encode(), notebook.Plan()) == []


def test_what_a_student_changes_in_an_argument_dies_with_the_question():
    """Os dados do preparo são os mesmos para a turma: quem os estraga só estraga os seus."""
    spoiled = json.loads(dumped(answered(*RIGHT)))
    at(spoiled, "q2-solucao")["source"] = (
        "def pesos(query, key):\n    query[...] = 9\n    return query @ key.T"
    )
    honest = dumped(answered(*RIGHT))
    before = grade(NAME, TEXT, honest)
    grade(NAME, TEXT, dumped(spoiled))
    assert grade(NAME, TEXT, honest) == before


def test_a_forged_traceback_is_cut_to_size():
    described = {"type": "E", "builtin": "ValueError", "message": "", "frames": [
        ["<célula 1>", 5, "f", -(10**13)], ["<célula 1>", 10**13, "f", 1],
    ]}
    assert [frame[1::2] for frame in _student_error(described).frames] == [(5, 1), (10**5, 1)]


def test_a_cell_too_long_to_send_is_left_out_and_said():
    made = answered(RIGHT_SCORES, RIGHT[1], RIGHT_GUESS)
    made["cells"].insert(2, extra("x = '" + "😀" * 199_000 + "'"))
    record = grade(NAME, TEXT, dumped(made))
    assert [q["points"] for q in record["questions"][:3]] == [2, 3, 1]


@pytest.mark.parametrize("attack", [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))",
    "[a](&#106;avascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "<!-- x --><svg/onload=1>",
    "[a](javascript\\:alert(1))", "![a](data:text/html;base64,PHNjcmlwdD4=)",
])
def test_no_answer_runs_in_the_formgrader(attack):
    shown = formgrader._harmless(attack).lower()
    for part in ("<script", "<img", "<svg", "<!--", "javascript:", "javascript\\:", "data:", "&#"):
        assert part not in shown


def test_an_honest_answer_reaches_the_formgrader_as_written():
    honest = "Se $a < b$ e `x<y`, **então** veja [o livro](https://exemplo.org).\n\n> É isso."
    assert formgrader._harmless(honest) == honest.replace("x<y", "x< y")


@pytest.mark.parametrize("name", ["=1", "+1", "x;=cmd", "x;  @y", "a\t=1", "＝1"])
def test_no_cell_is_a_formula_whatever_the_separator(name):
    guarded = report._no_formula(name)
    assert guarded.replace("'", "") == name
    assert guarded.count("'") == 1
