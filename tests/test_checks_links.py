"""Os endereços dos cartões levam, no livro construído, a seções que existem."""

import pytest

import book_check_links
from atencao.checks.exercises import EXERCISES
from atencao.checks.faults import CATALOGUE
from atencao.checks.questions import QUESTIONS
from atencao.checks.result import address

SECTIONS = {
    *(fault.look for fault in CATALOGUE),
    *(exercise.look for exercise in EXERCISES.values()),
    *(question.look for question in QUESTIONS.values()),
}


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
