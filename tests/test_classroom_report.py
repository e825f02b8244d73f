"""Planilhas, semelhanças e páginas: o que se escreve a partir do que se corrigiu."""

import csv
import io
import re
import subprocess
import sys

import pytest

from atencao.classroom import pages, report
from atencao.classroom.assignment import Assignment, AssignmentError, bound, loaded
from atencao.classroom.grade import _shingles
from classroom_class import RIGHT_WEIGHTS, SOURCE, dumped


def summary(name, sketch=(), points=1.0, identifier=""):
    return {"slug": name.lower(), "student": name, "identifier": identifier, "points": points,
            "max": 2.0, "waiting": 0, "problem": "", "comments": [], "sketch": list(sketch)}


def rows(text):
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text.lstrip("\ufeff"))))


def test_moodle_gets_its_own_identifier_and_a_point_in_the_decimals():
    found = rows(report.moodle_csv([summary("Ana", points=1.25, identifier="77")]))
    assert found[1][:4] == ["Participante77", "Ana", "1.25", "2"]


def test_moodle_finds_the_columns_it_asks_for():
    """As que o importador dele procura pelo nome; sem uma delas, recusa a planilha."""
    head = rows(report.moodle_csv([]))[0]
    assert {"Identificador", "Nota", "Última modificação (nota)"} <= set(head)


def test_no_name_becomes_a_formula():
    for name in ("=1+1", "+x", "-x", "@x"):
        found = rows(report.moodle_csv([summary(name)]))
        assert found[1][1] == f"'{name}"
        assert not rows(report.classroom_csv("t", [summary(name)]))[2][1].startswith(name[0])


def test_classroom_gets_last_and_first_names():
    found = rows(report.classroom_csv("t1", [summary("Ana da Luz")]))
    assert found[0] == ["Last Name", "First Name", "Email Address", "t1"]
    assert found[2] == ["da Luz", "Ana", "", "1"]


def test_a_copy_with_other_names_and_comments_is_similar():
    copied = re.sub(r"\bscores\b", "tabela", RIGHT_WEIGHTS).replace("\n", "  # conta\n", 1)
    assert copied != RIGHT_WEIGHTS
    own = "def pesos(a, b):\n    t = 0\n    for i, q in enumerate(a):\n        t += sum(q * b)\n" \
          "    while t > 3:\n        t = t // 2 - len(a)\n    return [t for _ in b if t]"
    class_ = [summary("Ana", _shingles(RIGHT_WEIGHTS)), summary("Bia", _shingles(copied)),
              summary("Cida", _shingles(own))]
    assert report.similar_pairs(class_) == [(1.0, "ana", "bia")]


def test_what_everybody_writes_is_not_a_copy():
    class_ = [summary(f"Aluna{i}", _shingles(RIGHT_WEIGHTS)) for i in range(30)]
    assert report.similar_pairs(class_) == []


def test_pairs_that_share_a_student_are_one_group():
    pairs = [(0.9, "ana", "bia"), (0.8, "caio", "davi"), (0.7, "bia", "eva"), (0.6, "davi", "gil")]
    assert report.groups_of(pairs) == [
        ([0.9, 0.7], ["ana", "bia", "eva"]), ([0.8, 0.6], ["caio", "davi", "gil"])
    ]
    assert report.groups_of([]) == []


def test_everything_from_a_student_is_escaped():
    evil = "<script>alert(1)</script>\"'&\ud800"
    question = {"id": "q", "title": "Q", "points": 0, "max": 1, "state": "errado",
                "message": evil, "replaced": [evil], "late": True,
                "results": [{"name": evil, "state": evil, "title": evil, "notes": [[evil, evil]],
                             "faults": []}]}
    record = {"student": evil, "questions": [question], "submission_notes": [evil],
              "notes": [evil],
              "errors": [{"cell": evil, "line": 1, "kind": evil, "message": evil}]}
    page = pages.student_page(evil, record)
    page.encode("utf-8")
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 9


def test_charts_say_in_words_what_they_draw():
    drawn = pages.columns(["a", "b"], [1, 0], alt="a: 1")
    assert 'role="img" aria-label="a: 1"' in drawn
    assert drawn.count("<rect") == 1


@pytest.mark.parametrize(("code", "names"), [
    ("a = 1", {"a"}), ("def f(): b = 1", {"f"}), ("class C: x = 1", {"C"}),
    ("for i in []:\n    j = 1", {"i", "j"}), ("with x as y: z = 1", {"y", "z"}),
    ("try:\n    a = 1\nexcept E:\n    b = 2\nfinally:\n    c = 3", {"a", "b", "c"}),
    ("a, (b, *c) = x", {"a", "b", "c"}), ("import numpy as np", set()), ("a.b = 1", set()),
    ("if (n := 1): m = n", {"n", "m"}), ("isto não é python", set()),
])
def test_names_that_a_cell_binds(code, names):
    assert bound(code) == names


def test_names_that_a_cell_reads():
    assert loaded("def f(x): return x + g(y)") >= {"g", "y"}


def test_questions_know_their_names_titles_and_what_they_lean_on():
    questions = {q.id: q for q in Assignment("prova", dumped(SOURCE).decode()).questions}
    assert questions["q2-teste"].names == ("pesos",)
    assert questions["q2-teste"].needs == ("pontuacoes",)
    assert questions["q2-teste"].title == "Questão 2: os pesos"
    assert questions["q4-texto"].manual


@pytest.mark.parametrize(("old", "new", "said"), [
    ("q2-solucao", "q1-solucao", "grade_id repetido"),
    ("checks.attention_scores(pontuacoes)", "checks.attention_scores(len)", "não usa nenhum nome"),
    ("X = np.array", "def ajuda(): return pesos(X, X)\\nX = np.array", "que é do aluno"),
])
def test_an_unfair_source_is_refused(old, new, said):
    text = dumped(SOURCE).decode()
    assert old in text
    with pytest.raises(AssignmentError, match=said):
        Assignment("prova", text.replace(old, new)).check_format()


def test_the_course_stays_light():
    code = "import sys, atencao, atencao.checks; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded_now = set(run.stdout.split())
    assert not {"atencao.classroom", "distributed", "dask", "nbgrader", "psutil"} & loaded_now
