"""A autoavaliação na fonte: perguntas bem formadas, gabarito e números refeitos em conta."""

import gzip
import re
from collections import Counter

import numpy as np
import pytest

import book
import book_quiz
from quiz_evidence import EVIDENCE

TEXT = (book.BOOK / "perguntas.md").read_text(encoding="utf-8")
QUESTIONS = book_quiz.read(TEXT)
CHECKED = [question for question in QUESTIONS if question.kind != "open"]
CHAPTER = re.compile(r"Capítulo (\d+): ")
OBVIOUS = {0, 1, 2}  # contar e dobrar não precisa de prova

each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.title)
each_checked = pytest.mark.parametrize("question", CHECKED, ids=lambda q: q.title)


def written_numbers(question):
    """(escrito, valor, casas) de cada número de uma pergunta, das opções e da resposta."""
    parts = [question.statement, *question.choices, question.answer]
    # Os algarismos das listas numeram; \; é um espaço do LaTeX.
    text = re.sub(r"^\d+\. ", "", "\n".join(parts), flags=re.MULTILINE).replace("\\;", " ")
    text = book.markdown_text(text).replace("{", " ").replace("}", " ")
    for match in book.NUMBER.finditer(text):
        written = match.group().lstrip("+−-")
        yield written, abs(book_quiz.value(written)), len(written.partition(",")[2])


def stands(value, places, evidence):
    """Se algum número calculado, arredondado como está escrito, é o escrito."""
    slack = 0.5 * 10.0**-places if places else 0
    return bool((abs(evidence - value) <= slack + 1e-7 * (1 + value)).any())


@each_question
def test_question_is_well_formed(question):
    assert not list(question.problems())


def test_every_title_is_its_own():
    assert max(Counter(question.title for question in QUESTIONS).values()) == 1


def test_every_chapter_asks_three_to_five_questions():
    asked = Counter(m[1] for q in QUESTIONS if (m := CHAPTER.match(q.section)))
    assert asked.keys() == {str(int(path.stem[:2])) for path in book.CHAPTERS}
    assert all(3 <= count <= 5 for count in asked.values()), asked
    assert len(CHECKED) >= 40


def test_every_section_links_its_own_chapter():
    for head, body in re.findall(r"^## (.+)\n\n(.+)", TEXT, flags=re.MULTILINE):
        if chapter := CHAPTER.match(head):
            assert re.search(rf"\({int(chapter[1]):02d}-[\w-]+\.ipynb\)", body), head


def test_every_question_has_its_evidence():
    assert {question.title for question in CHECKED} == EVIDENCE.keys()


@each_checked
def test_the_key_is_what_the_numbers_say(question):
    evidence = EVIDENCE[question.title]()
    if question.kind == "choice":
        assert [bool(right) for right in evidence.right] == question.right
        return
    answer, slack = question.number
    assert abs(evidence.answer - answer) <= slack + 1e-6
    assert len(evidence.slips) == len(question.slips)
    for computed, (slip, tolerance) in zip(evidence.slips, question.slips, strict=True):
        assert abs(computed - slip) <= tolerance + 1e-6


@each_checked
def test_every_number_is_computed(question):
    evidence = EVIDENCE[question.title]().numbers()
    orphans = [
        written for written, value, places in written_numbers(question)
        if value not in OBVIOUS and not stands(value, places, evidence)
    ]
    assert not orphans


# ---------- O formato ----------

WELL = """# Página

## Parte

### Título

Enunciado.

1. Uma.
2. Outra.

<details><summary>Resposta</summary>

1. **Certa.** Porque assim é, e um número mostra como.
2. Tenta porque se parece com a primeira, e falha porque não é ela.

</details>
"""
NUMERIC = """### Conta

Quanto dá?

<details><summary>Resposta</summary>

**0,90** (folga de 0,02): a soma dos produtos.

- **1,10**: você somou em vez de multiplicar, e a soma não compara nada.

</details>
"""


def said(text):
    return [problem for question in book_quiz.read(text) for problem in question.problems()]


def test_a_good_question_is_read():
    (question,) = book_quiz.read(WELL)
    assert (question.section, question.statement) == ("Parte", "Enunciado.")
    assert question.choices == ["Uma.", "Outra."]
    assert question.right == [True, False]
    assert question.line == 5
    assert not said(WELL)


def test_a_number_is_read():
    (question,) = book_quiz.read(NUMERIC)
    assert (question.kind, question.number) == ("number", (0.9, 0.02))
    assert question.slips == [(1.1, pytest.approx(0.005))]
    assert not said(NUMERIC)


@pytest.mark.parametrize(("good", "bad", "complaint"), [
    ("**Certa.** ", "", "nenhum comentário começa por"),
    ("2. Tenta", "2. **Certa.** Tenta", "Marque todas"),
    ("Enunciado.", "Marque todas as certas.", "Marque todas"),
    ("2. Outra.\n", "2. Outra.\n3. Mais uma.\n", "3 opções e 2 comentários"),
    ("2. Tenta porque se parece com a primeira, e falha porque não é ela.", "2. Errado.",
     "o comentário 2 precisa dizer por que"),
    ("<details>", "<div>", "falta a resposta"),
])
def test_a_malformed_choice_is_refused(good, bad, complaint):
    assert good in WELL
    assert any(complaint in problem for problem in said(WELL.replace(good, bad)))


@pytest.mark.parametrize(("good", "bad", "complaint"), [
    ("**1,10**", "**0,91**", "se confunde"),
    ("**1,10**: ", "", "cada engano de conta"),
    ("- **1,10**: você somou em vez de multiplicar, e a soma não compara nada.", "", "cada engano"),
])
def test_a_malformed_number_is_refused(good, bad, complaint):
    assert good in NUMERIC
    assert any(complaint in problem for problem in said(NUMERIC.replace(good, bad)))


def test_a_wrong_key_does_not_pass():
    """Trocar a certa de lugar numa pergunta qualquer contradiz a conta."""
    for question in CHECKED:
        if question.kind == "choice":
            truth = [bool(right) for right in EVIDENCE[question.title]().right]
            assert np.any(truth)
            assert truth[1:] + truth[:1] != question.right


# ---------- O que vai para a página ----------


def test_only_this_page_carries_the_quiz_and_it_is_small(pages):
    for path, soup in pages.items():
        carried = "quiz.js" in str(soup.head) + str(soup.find_all("script"))
        assert carried == (path.stem == "perguntas"), path.name
    folder = next(path for path in pages if path.stem == "perguntas").parents[1] / "_static/quiz"
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in folder.iterdir()}
    assert sizes.keys() == {"quiz.js", "quiz.css"}
    assert sizes["quiz.js"] <= 8 * 1024


def test_the_page_has_the_parts_the_script_looks_for(pages):
    soup = next(soup for path, soup in pages.items() if path.stem == "perguntas")
    found = {}
    for section in soup.select("section:has(> details)"):
        comments = section.select(":scope > details > ol > li")
        found[section.h3.get_text().removesuffix("#")] = [
            len(section.select(":scope > ol > li")),
            [(li.strong.get_text() if li.strong else "") == "Certa." for li in comments],
        ]
    expected = {
        re.sub(r"[*`]|\$(\w)_(\w)\$", "", q.title): [len(q.choices), q.right if q.choices else []]
        for q in QUESTIONS
    }
    assert list(found.values()) == list(expected.values())
    assert soup.find(id="seu-resumo")
