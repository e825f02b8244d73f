"""Cadernos feitos para demorar, para enganar a leitura ou para estragar o dos outros."""

import json

import pytest

from atencao.classroom import formgrader, notebook, report
from atencao.classroom.assignment import Assignment, heading
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


@pytest.mark.parametrize(("written", "length"), [
    ("# a" + " " * 200_000 + "b", 200_002), ("# " + "#" * 200_000, 0),
    ("# " + "(1" * 60_000, 120_000),
])
def test_no_title_takes_long_to_read(written, length):
    assert len(heading(written)) == length


@pytest.mark.parametrize(("written", "title"), [
    ("## Questão 2a: a linha (0,5 ponto)", "Questão 2a: a linha"),
    ("# Projeto (10 pontos, oito à mão) #", "Projeto"), ("texto\n\n### Um (dois) ##", "Um (dois)"),
    ("sem título", ""), ("#sem espaço", ""),
])
def test_a_title_without_what_it_is_worth(written, title):
    assert heading(written) == title


def test_a_huge_notebook_is_cut_before_it_is_built():
    huge = '{"cells":[' + ",".join(['{"cell_type":"code","source":"x"}'] * 5_000) + "]}"
    plan = notebook.Plan()
    assert len(notebook.read(huge.encode(), plan)) == notebook.MOST_CELLS
    assert "O caderno tem 5000 células" in plan.notes[-1]


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


QUESTION = ("## Questão 1: o livro (1 ponto)", False, "")
TITLE = ("# Tarefa 1 · Produto", False, "")


@pytest.mark.parametrize(("cells", "last"), [
    ([TITLE, ("a", True, "")], "célula do começo do caderno"),
    ([("a", True, "")], "célula do começo do caderno"),
    ([TITLE, ("a", True, ""), ("b", True, "")], "2ª célula de código do começo do caderno"),
    ([TITLE, ("a", True, ""), QUESTION, ("b", True, "")], "célula da Questão 1"),
    ([QUESTION, ("a", True, ""), ("texto", False, ""), ("b", True, "")],
     "2ª célula de código da Questão 1"),
    ([QUESTION, ("a", True, ""), ("b", True, "q1-dados")], "célula de dados da Questão 1"),
    ([QUESTION, ("a", True, ""), ("resposta", False, "")], "célula de texto da Questão 1"),
    ([TITLE, ("## Questão 4b, os dois cuidados (0,5 ponto)", False, ""), ("a", True, "")],
     "célula da Questão 4b, os dois cuidados"),
    ([TITLE, ("## Meu rascunho", False, ""), ("a", True, "")],
     'célula da parte "Meu rascunho"'),
    ([TITLE, ("# " + "x" * 90, False, ""), ("a", True, "")], f'célula da parte "{"x" * 60}"'),
])
def test_a_cell_is_found_by_the_heading_above_it(cells, last):
    assert notebook.places(cells)[-1] == last


def test_the_cells_say_of_which_assignment_a_notebook_is():
    prova = Assignment(NAME, TEXT)
    other = Assignment("outra", TEXT.replace("Tarefa de prova", "Outra").replace("pesos", "w")
                       .replace("pontuacoes", "s").replace("palpite", "p"))
    assert notebook.assignment_of([other, prova], dumped(answered(*RIGHT))) == NAME
    assert notebook.assignment_of([prova, other], other.text.encode()) == "outra"
    titled = {"cells": [extra("# Tarefa de prova", "markdown"), extra("x = 1")]}
    assert notebook.assignment_of([other, prova], dumped(titled)) == NAME
    assert notebook.assignment_of([prova, other], dumped({"cells": [extra("x = 1")]})) == ""
    assert notebook.assignment_of([prova, other], b"lixo") == ""


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
