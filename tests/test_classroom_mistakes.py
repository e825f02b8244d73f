"""As tarefas de verdade diante de enganos de verdade: cada um perde o que deve, e ouve por quê."""

import ast
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache

import pytest

import book
import homework_mistakes_1
import homework_mistakes_2
import homework_mistakes_3
import homework_mistakes_4
import homework_mistakes_projeto
from atencao.classroom.assignment import Assignment
from atencao.classroom.grade import grade
from atencao.classroom.sandbox import Limits
from homework_mistakes import Answer, hand_ins, notebook

SOURCES = {path.stem: path.read_text("utf-8") for path in book.ASSIGNMENTS}
TABLES = {
    "t1-produto-escalar": homework_mistakes_1,
    "t2-projecoes-e-escala": homework_mistakes_2,
    "t3-mascara-e-lotes": homework_mistakes_3,
    "t4-multiplas-cabecas": homework_mistakes_4,
    "projeto": homework_mistakes_projeto,
}
HIDDEN = re.compile("### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS", re.DOTALL)
PATIENT = Limits(cell_seconds=60.0, call_seconds=60.0, total_seconds=600.0)  # numa máquina ocupada
# Com e sem aspas, com letras, negativa, com zero à frente e comprida: cada entrega leva uma delas.
NUMBERS = ("20231234", "'2023-77/B'", "-51", "'0042'", "31", "'GRR 20259876'")
HAND_INS = [
    (name, NUMBERS[i % len(NUMBERS)], answers)
    for name, table in TABLES.items() for i, answers in enumerate(hand_ins(table.ANSWERS))
]


def handed_in(name: str, number: str, answers: tuple[Answer, ...]) -> bytes:
    rest = {TABLES[name].NUMBER_CELL: f"student_number = {number}"} | TABLES[name].INDEPENDENT
    return notebook(SOURCES[name], rest, answers)


@cache
def graded(name: str, i: int) -> dict[str, dict]:
    """As questões corrigidas da i-ésima entrega, pelo nome do teste."""
    _, number, answers = HAND_INS[i]
    made = grade(name, SOURCES[name], handed_in(name, number, answers), PATIENT)
    return {question["id"]: question for question in made["questions"]}


def label(name: str, answer: Answer) -> str:
    return f"{name[:2]}: {answer.name}"


@pytest.mark.parametrize(("name", "i", "answer"), [
    pytest.param(name, i, answer, id=label(name, answer))
    for i, (name, _, answers) in enumerate(HAND_INS) for answer in answers
])
def test_the_answer_gets_its_points_and_its_words(name, i, answer):
    questions = graded(name, i)
    for test, (points, said) in answer.gets.items():
        question = questions[test]
        faults = [fault for result in question["results"] for fault in result["faults"]]
        heard = (answer.name, test, question["message"], faults)
        assert question["points"] == points, heard
        assert said in question["message"] or said in faults, heard
    for test, names in answer.replaced.items():
        assert questions[test]["replaced"] == names, (answer.name, test)


@pytest.mark.parametrize(("name", "i"), [
    pytest.param(name, i, id=f"{name[:2]}: " + " + ".join(answer.name for answer in answers))
    for i, (name, _, answers) in enumerate(HAND_INS)
])
def test_the_rest_of_the_hand_in_keeps_every_point(name, i):
    answers = HAND_INS[i][2]
    spoken = {test for answer in answers for test in answer.gets}
    replaced = {test for answer in answers for test in answer.replaced}
    for test, question in graded(name, i).items():
        if test not in spoken and question["state"] != "à mão":
            assert question["points"] == question["max"], (test, question["message"])
        if test not in replaced:
            assert question["replaced"] == [], test


def screen(name: str, answer: Answer, test: str) -> str:
    """O que a célula do teste mostra no caderno, a quem rodou tudo de cima até ela."""
    names: dict = {"__name__": "__main__"}
    for cell in json.loads(handed_in(name, NUMBERS[0], (answer,)))["cells"]:
        with redirect_stdout(io.StringIO()) as shown:
            if cell["cell_type"] == "code":
                exec(HIDDEN.sub("", "".join(cell["source"])), names)
        if cell["metadata"]["nbgrader"]["grade_id"] == test:
            break
    return shown.getvalue()


@pytest.mark.parametrize(("name", "answer", "test"), [
    pytest.param(name, answer, test, id=f"{label(name, answer)}, {test}")
    for name, table in TABLES.items() for answer in table.ANSWERS for test in answer.sees
])
def test_the_notebook_says_it_too(name, answer, test):
    assert answer.sees[test] in screen(name, answer, test)


def messages(hidden: str) -> Iterator[str]:
    """As frases de um teste escondido; de uma com números no meio, o pedaço mais comprido."""
    tree = ast.parse(hidden)
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    pieces = {id(piece) for node in joined for piece in node.values}
    for node in joined:
        texts = [piece.value for piece in node.values if isinstance(piece, ast.Constant)]
        yield max(texts, key=len)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in pieces:
            text = node.value
            if isinstance(text, str) and text.endswith((".", "?")):
                yield text


@pytest.mark.parametrize("name", TABLES)
def test_every_message_of_a_hidden_test_is_heard_by_someone(name):
    questions = [
        question for i, (other, _, _) in enumerate(HAND_INS) if other == name
        for question in graded(name, i).values()
    ]
    heard = {
        key: " ".join(q["message"] for q in questions if q["id"] == key)
        for key in {question["id"] for question in questions}
    }
    silent = {
        (question.id, message)
        for question in Assignment(name, SOURCES[name]).questions if not question.manual
        for hidden in HIDDEN.findall(question.cell.source) for message in messages(hidden)
        if message not in heard[question.id]
    }
    assert silent == set()


@pytest.mark.parametrize("name", TABLES)
def test_the_names_are_unique_and_the_cells_exist(name):
    """Uma célula com o nome errado deixaria a solução no lugar do engano."""
    answers = TABLES[name].ANSWERS
    assert len({answer.name for answer in answers}) == len(answers)
    known = Assignment(name, SOURCES[name]).by_id.keys()
    assert {cell for answer in answers for cell in answer.cells} <= known
