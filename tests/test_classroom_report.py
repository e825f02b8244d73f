"""Planilhas, semelhanças e páginas: o que se escreve a partir do que se corrigiu."""

import csv
import io
import re
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

import browsing
from atencao.classroom import pages, report
from atencao.classroom.assignment import Assignment, AssignmentError, bound, loaded
from atencao.classroom.collect import Collection
from atencao.classroom.grade import _shingles
from classroom_class import RIGHT_WEIGHTS, SOURCE, dumped
from colours import contrast


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


def question(title="Questão 1: o livro", state="errado", **more):
    return {"id": "q", "title": title, "points": 0, "max": 1, "state": state, "message": "",
            "replaced": [], "late": False, "results": [], "mistake": "", "answered": ""} | more


def result(**more):
    return {"name": "pesos", "state": "ainda não", "title": "T", "notes": [], "faults": []} | more


def record(*questions, **more):
    return {"student": "Ana", "questions": list(questions), "submission_notes": [], "notes": [],
            "errors": [], "problem": ""} | more


def test_everything_from_a_student_is_escaped():
    evil = "<script>alert(1)</script>\"'&\ud800`<b>`"
    asked = question(message=evil, replaced=[evil], late=True, answered=evil, results=[
        result(name=evil, state=evil, title=evil, notes=[[evil, evil]])])
    page = pages.student_page(evil, record(
        asked, student=evil, submission_notes=[evil], notes=[evil], errors=[evil]))
    page.encode("utf-8")
    assert "<script" not in page
    assert "<b>" not in page
    assert page.count("&lt;script&gt;") >= 10


def read(page):
    return BeautifulSoup(page, "html.parser")


def test_a_chart_is_a_table_whose_numbers_are_written():
    made = read(pages.chart("Quantos.", ("Faixa", "Alunos"), [("a `b`", 0.25, "1"), ("c", 0, "0")]))
    assert made.caption.text == "Quantos."
    assert [th.text for th in made.thead.find_all("th", scope="col")] == ["Faixa", "Alunos"]
    assert [(row.find("th", scope="row").text, row.td.text) for row in made.tbody.find_all("tr")] \
        == [("a b", "1"), ("c", "0")]
    assert [bar["style"] for bar in made.select(".bar i")] == ["width:25%", "width:0%"]
    assert not made.find(attrs={"aria-label": True})
    assert not made.find("svg")


def test_questions_are_one_level_under_their_section():
    made = read(pages.student_page("T", record(question(), errors=["E"])))
    assert [h.name for h in made.find_all(["h1", "h2", "h3"])] == ["h1", "h2", "h2", "h3"]


def test_two_questions_with_the_same_title_can_be_told_apart():
    titles = ["Questão 1: a", "Questão 2: b", "Questão 2: b", "Questão 3, fim", "Questão 3: c"]
    assert pages.labels(titles) == [
        "Questão 1: a", "Questão 2: b (1ª parte)", "Questão 2: b (2ª parte)", "Questão 3, fim",
        "Questão 3: c"]
    assert pages.short_labels(titles) == [
        "Questão 1", "Questão 2: b (1ª parte)", "Questão 2: b (2ª parte)", "Questão 3, fim",
        "Questão 3"]
    made = read(pages.student_page("T", record(*map(question, titles))))
    assert [h.text for h in made.find_all("h3")] == pages.labels(titles)


def test_what_was_between_back_quotes_is_code():
    made = read(pages.student_page("T", record(
        question(message="Troque `x /= …`.", results=[
            result(title="Veja `W_o`.", notes=[["Onde", "`a < b`"]])]),
        notes=["Sem `pesos`."], errors=["Na célula: `e`"])))
    found = [code.text for code in made.find_all("code")]
    assert found == ["pesos", "e", "pesos", "W_o", "a < b", "x /= …"]


def test_who_has_nothing_to_grade_reads_only_what_to_do():
    blank = question(state="em branco")
    page = pages.student_page("T", record(
        blank, problem="Outra tarefa.", submission_notes=["Havia dois."],
        notes=["Outra tarefa.", "Entregue a certa."]))
    made = read(page)
    assert [p.text for p in made.select("section p")] == [
        "Havia dois.", "Outra tarefa.", "Entregue a certa."]
    assert not made.find("h3")
    assert "de 1" not in made.body.text
    by_hand = pages.student_page("T", record(question(points=1), problem="Ilegível."))
    assert "1 de 1 pontos" in by_hand  # o professor leu, e deu nota


def test_the_page_shows_what_was_answered():
    made = read(pages.student_page("T", record(question(answered="5,47"), question(answered=""))))
    assert [p.text for p in made.select("section p") if "respondeu" in p.text] == [
        "Você respondeu 5,47."]


def mistakes(*questions):
    return {"mistakes": report._mistakes_of(questions)}


def test_mistakes_come_with_the_question_whole_and_without_the_blank_ones():
    said = "Isso é a razão entre os dois pesos (1,5), e está certa. Quantos sim a ultrapassam?"
    scale = [result(faults=["missing_scale"])]
    class_ = [
        mistakes(question(mistake=said), question("Questão 2: b", results=scale)),
        mistakes(question(mistake=said.replace("1,5", "2,7")),
                 question("Questão 3: c", results=scale)),
        mistakes(question(mistake="align ainda não devolve nada.", state="em branco"),
                 question("Questão 2: b", mistake="São 3, e não 4.")),
        mistakes(question(mistake=said), question("Questão 2: b", results=scale)),
    ]
    names = ["Questão 1", "Questão 2", "Questão 3"]
    scale_title = report.fault_title("missing_scale")
    assert report.common_mistakes(names, class_) == [
        ("Questão 1: Isso é a razão entre os dois pesos (…), e está certa. Quantos sim a "
         "ultrapassam?", 3),
        (f"Questão 2, Questão 3: {scale_title}", 3),
        ("Questão 2: São 3, e não 4.", 1),
    ]


def test_a_long_mistake_is_cut_between_sentences_or_between_words():
    first, second = "Uma frase " * 15 + "inteira.", "Outra frase " * 9 + "inteira."
    assert report.whole("Curta. Inteira.") == "Curta. Inteira."
    assert report.whole(f"{first} {second}") == f"{first} […]"
    cut = report.whole("palavra " * 60)
    assert len(cut) <= report.MOST_SAID
    assert cut.endswith("palavra…")
    assert report.whole("x" * 1_000) == "x" * report.MOST_SAID + "…"


def test_half_an_emoji_does_not_leave_the_class_without_grades(tmp_path):
    report.write(tmp_path / "notas.csv", "Oi \ud800")
    assert (tmp_path / "notas.csv").read_text("utf-8") == "Oi ?"


def small_class(tmp_path):
    """As páginas de uma turma de três: uma com tudo, uma sem nota, uma com nome sem fim."""
    assignment = Assignment("prova", dumped(SOURCE).decode())
    asked = [
        question(q.title, id=q.id, max=q.points, mistake="`pesos` não bate. " * 5, answered="5,47",
                 points=None if q.manual else 0, state="à mão" if q.manual else "errado",
                 message="Veja `" + "x" * 90 + "`.", results=[result(faults=["unknown"], notes=[
                     ["O que mostra isso", "y" * 90]])])
        for q in assignment.questions
    ]
    more = {"cells": [["", "z" * 300]], "sketch": [str(i) for i in range(20)], "identifier": "",
            "file": "f"}
    people = [
        record(*asked, notes=["n" * 90], errors=["Na célula da Questão 1: `E`"], **more),
        record(*asked, student="B" * 90, **more),
        record(*asked, student="Caio", problem="Outra.", notes=["Outra."], **more),
    ]
    slugs = ["ana", "bia", "caio"]
    for slug, person in zip(slugs, people, strict=True):
        report.write(report.data_path(tmp_path, slug), report.to_json(person))
    left = Collection([], [("w" * 90 + ".ipynb", "não sei de que aluno é")], 3)
    report.write_all(tmp_path, assignment, slugs, left, {})
    return tmp_path


def test_who_has_no_grade_is_not_a_zero_of_the_class(tmp_path):
    made = read((small_class(tmp_path) / "turma.html").read_text("utf-8"))
    assert "3 entregas, 1 sem nota." in made.text
    charts = made.select("table.chart")
    assert sum(int(td.text) for td in charts[0].select("td")) == 2
    assert "2 por ler" in charts[1].text
    assert "2 de 2" in charts[2].text
    (row,) = [row for row in made.select(".people tr") if "Caio" in row.text]
    assert row.td.text == "sem nota"


def test_the_pages_fit_a_phone_and_axe_finds_nothing(tmp_path):
    folder = small_class(tmp_path)
    with browsing.launched() as browser:
        for width, scheme in ((1200, "light"), (390, "dark")):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True,
            )
            for path in [folder / "turma.html", *(folder / "alunos").glob("*.html")]:
                page = context.new_page()
                page.goto(path.as_uri())
                page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
                assert page.evaluate(CUT) == []
                if width == 390:  # o que houve fica debaixo do nome, na largura toda
                    assert all(wide > 300 for wide in page.evaluate(WIDTHS))
                assert page.evaluate(SMALLEST) >= 13, path.name
                assert [(v["id"], v["nodes"][0]["html"]) for v in
                        Axe().run(page).response["violations"]] == []


# O que passa da borda da tela, fora dos códigos, que rolam sozinhos.
CUT = """[...document.querySelectorAll("main :not(pre)")]
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.outerHTML.slice(0, 80))"""
WIDTHS = """[...document.querySelectorAll(".people td:last-child:not(:empty)")]
    .map((node) => node.getBoundingClientRect().width)"""
SMALLEST = """Math.min(...[...document.querySelectorAll("main *")]
    .filter((node) => node.textContent.trim())
    .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""


@pytest.mark.parametrize("scheme", [0, 1])
def test_edges_and_bars_stand_out_from_the_paper(scheme):
    """O axe só olha textos."""
    rules = re.findall(r":root\{(.*?)\}", pages.STYLE, re.DOTALL)
    colours = dict(re.findall(r"--(\w+):(#\w+)", rules[scheme]))
    for name in ("good", "half", "bad", "bar", "muted"):
        for ground in ("paper", "sheet"):
            assert contrast(colours[name], colours[ground]) >= 3, (name, ground)
    assert contrast(colours["bar"], colours["rule"]) >= 3


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
