"""Todas as páginas num navegador sem rede: claro, escuro, celular, de um pen drive, sem scripts."""

import json
import re
from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import book
import browsing
import on_screen
from colours import contrast

PAGES = [*book.toc_files(), "search"]
EXPLORED = [
    f"book/{path.stem}" for path in book.NOTEBOOKS if "explorers import" in path.read_text("utf-8")
]
AXE = Axe().axe_script
# Código e fórmulas são milhares de trechos nas mesmas poucas cores, que o axe olharia um por um. As
# cores se conferem aos pares, uma vez cada; depois, o código fica liso e a fórmula, só para ouvir.
REPEATED = ["pre", ".katex-html"]
FLATTEN = """() => {
    for (const code of document.querySelectorAll("pre")) code.textContent = code.textContent;
    for (const formula of document.querySelectorAll(".katex-html")) formula.remove();
}"""
AXE_RULES = """async (options) => {
    const { violations } = await axe.run({
        resultTypes: ["violations"], selectors: false, ...options,
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}"""
COLOUR_PAIRS = """(selectors) => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const ground = (node) => {
        for (let at = node; at; at = at.parentElement) {
            const colour = channels(getComputedStyle(at).backgroundColor);
            if (colour[3] !== 0) return colour;
        }
    };
    const shown = [...document.querySelectorAll(selectors.map((each) => `${each} *`).join())]
        .filter(({ childNodes }) =>
            [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()));
    const pairs = shown.map((node) => [channels(getComputedStyle(node).color), ground(node)]);
    return [...new Set(pairs.map(JSON.stringify))].map(JSON.parse);
}"""


def opaque(colour):
    """A cor [r, g, b, opacidade?] que o navegador diz, de 0 a 255, como (r, g, b) de 0 a 1."""
    assert colour[3:] in ([], [1]), f"{colour} deixa ver o que está atrás"
    return [x / 255 for x in colour[:3]]


def complaints(page, view):
    """O que o axe acha. Do claro para o escuro, só as cores mudam."""
    found = [
        f"color-contrast: {text} sobre {ground}, em código ou fórmula"
        for text, ground in page.evaluate(COLOUR_PAIRS, REPEATED)
        if contrast(opaque(text), opaque(ground)) < 4.5
    ]
    page.evaluate(FLATTEN)
    page.evaluate(AXE)
    only = {"runOnly": ["color-contrast"]} if view == "escuro" else {}
    return found + page.evaluate(AXE_RULES, only)


def settle(page):
    """Abre o que está dobrado, chama as figuras que esperam e aguarda que tudo se desenhe."""
    page.evaluate("""async () => {
        for (const fold of document.querySelectorAll("article details")) fold.open = true;
        const images = [...document.images];
        for (const image of images) image.loading = "eager";
        await Promise.allSettled(images.map((image) => image.decode()));
        await document.fonts.ready;
    }""")


class Visit:
    """O que se viu ao abrir uma página de um jeito."""

    def __init__(self, page, address, view):
        self.watch = browsing.Watch(page)
        page.goto(address, wait_until="load")
        settle(page)
        self.explorers = page.locator("[data-atencao-explorer]").count()
        self.awake = page.locator(".is-awake .explorer").count()
        self.broken = page.evaluate(
            "[...document.images].filter((image) => !image.naturalWidth).map((i) => i.src)"
        )
        self.sideways = page.evaluate(
            "(scrollTo(999, 0), [scrollX, document.documentElement.scrollWidth - innerWidth])"
        )
        self.complaints = complaints(page, view)
        page.close()


@pytest.fixture(scope="module")
def visit(contexts, site):
    """Abre cada página uma vez de cada jeito, por mais perguntas que se façam sobre ela."""
    seen = {}

    def visited(name, view):
        if (name, view) not in seen:
            page = contexts[view].new_page()
            seen[name, view] = Visit(page, f"{site}/{name}.html", view)
        return seen[name, view]

    return visited


every_page = pytest.mark.parametrize(("name", "view"), list(product(PAGES, browsing.VIEWS)))


@every_page
def test_nothing_is_asked_of_another_host(visit, name, view):
    assert visit(name, view).watch.outside == []


@every_page
def test_nothing_is_missing(visit, name, view):
    seen = visit(name, view)
    assert seen.watch.missing == []
    assert seen.broken == []


@every_page
def test_the_console_is_silent(visit, name, view):
    assert visit(name, view).watch.errors == []


@every_page
def test_every_explorer_wakes(visit, name, view):
    seen = visit(name, view)
    assert seen.awake == seen.explorers


@every_page
def test_axe_finds_nothing(visit, name, view):
    assert visit(name, view).complaints == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_scrolls_sideways_on_a_phone(visit, name):
    assert visit(name, "celular").sideways == [0, 0]


# ---------- de um pen drive: file:// ----------

@pytest.fixture
def page_from_disk(contexts, html):
    page = contexts["claro"].new_page()
    watch = browsing.Watch(page)

    def opened(address):
        page.goto(f"{html.as_uri()}/{address}")
        return page

    yield opened
    page.close()
    assert (watch.outside, watch.missing, watch.errors) == ([], [], [])


@pytest.mark.parametrize("name", ["book/index", "book/05-artigo-llm-encontro"])
def test_from_a_disk_the_explorer_lives_and_the_formulas_are_drawn(page_from_disk, name):
    page = page_from_disk(f"{name}.html")
    place = page.locator("[data-atencao-explorer=dot-product]")
    python = on_screen.CLASSES["dot-product"](**json.loads(
        place.locator("script").first.text_content()
    ))
    on_screen.assert_agree(place.locator(".explorer"), python)
    place.get_by_role("slider", name="consulta de artigo").press("ArrowLeft")
    python.query = [0.85, 0.8]
    on_screen.assert_agree(place.locator(".explorer"), python)
    if name != "book/index":
        formulas_are_drawn(page)


def formulas_are_drawn(page):
    """As fórmulas estão à vista, e nas letras delas."""
    assert page.locator(".katex-html").first.is_visible()
    page.evaluate("document.fonts.ready.then(() => 0)")
    loaded = page.evaluate("[...document.fonts].map((font) => [font.family, font.status])")
    assert ["KaTeX_Main", "loaded"] in loaded
    assert ["KaTeX_Math", "loaded"] in loaded


def test_from_a_disk_the_search_works_too(page_from_disk):
    page = page_from_disk("search.html?q=softmax")
    expect(page.locator("#search-results a").first).to_be_visible()


@pytest.mark.parametrize(("plain", "accented"), [("mascara", "máscara"), ("atencao", "atenção")])
def test_the_search_does_not_mind_accents(contexts, site, plain, accented):
    found = []
    for word in (plain, accented):
        page = contexts["claro"].new_page()
        page.goto(f"{site}/search.html?q={word}")
        expect(page.locator(".search-summary")).to_have_text(re.compile(r"\d"))
        links = page.locator("#search-results li > a")
        found.append(set(links.evaluate_all("(all) => all.map((a) => a.pathname)")))
        page.close()
    assert len(found[0]) >= 3
    assert found[0] <= found[1]


# ---------- sem JavaScript ----------

@pytest.mark.parametrize("name", EXPLORED)
def test_without_scripts_each_explorer_leaves_its_numbers(chromium, site, name):
    context = chromium.new_context(java_script_enabled=False, **browsing.VIEWS["claro"])
    page = context.new_page()
    page.goto(f"{site}/{name}.html")
    for place in page.locator("[data-atencao-explorer]").all():
        kind = place.get_attribute("data-atencao-explorer")
        explorer = on_screen.CLASSES[kind](**json.loads(
            place.locator("script").first.text_content()
        ))
        fallback = place.locator(".explorer-fallback")
        expect(fallback).to_be_visible()
        expect(fallback).to_contain_text("se mexe na página do livro e no JupyterLab")
        shown = fallback.locator("td").all_text_contents()
        assert shown == [cell for table in explorer.tables() for row in table.rows
                         for cell in row[1:]]
    page.locator("article details:not([open]) > summary").evaluate_all(
        "(folds) => folds.forEach((fold) => { fold.parentNode.open = true; })"
    )
    formulas = page.locator("article .katex-html")
    assert formulas.count() == page.locator("article .katex-html:visible").count()
    context.close()
