"""Os endereços dos cartões levam, no livro construído, a seções que existem."""

import pytest

import book_check_links
from atencao.checks.doubts import DOUBTS
from atencao.checks.exercises import EXERCISES
from atencao.checks.faults import CATALOGUE
from atencao.checks.questions import QUESTIONS
from atencao.checks.result import address

SECTIONS = {
    *(fault.look for fault in CATALOGUE),
    *(exercise.look for exercise in EXERCISES.values()),
    *(question.look for question in QUESTIONS.values()),
    *(place for group in DOUBTS.values() for doubt in group for place in doubt.look),
}


def test_the_doubts_are_numbered_in_order_and_faults_cite_them():
    numbers = [doubt.number for group in DOUBTS.values() for doubt in group]
    assert numbers == list(range(1, 44))
    assert {number for fault in CATALOGUE for number in fault.questions} <= set(numbers)


def test_every_mistake_is_on_the_page_of_mistakes(pages, html):
    page = next(soup for path, soup in pages.items() if path.name == "erros-comuns.html")
    assert {fold["id"] for fold in page.select("details.erro")} == {f.key for f in CATALOGUE}


def test_an_address_becomes_that_of_the_page():
    html = '<a href="07-causal.ipynb#O-teste-de-vazamento">x</a> <a href="07-causal.ipynb">y</a>'
    assert book_check_links.to_page(html) == (
        '<a href="07-causal.html#o-teste-de-vazamento">x</a> <a href="07-causal.ipynb">y</a>'
    )


@pytest.mark.parametrize("section", sorted(SECTIONS, key=str), ids=address)
def test_every_section_is_on_its_page(section, html):
    link = book_check_links.to_page(f'href="{address(section)}"')
    name, anchor = link.removeprefix('href="').removesuffix('"').split("#")
    page = next(html.rglob(name)).read_text(encoding="utf-8")
    assert f'id="{anchor}"' in page


def test_no_page_keeps_an_address_of_a_notebook_section(pages, html):
    for page in html.rglob("*.html"):
        assert not book_check_links.LINK.search(page.read_text(encoding="utf-8")), page.name
