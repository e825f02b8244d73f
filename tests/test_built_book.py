"""O livro construído, como o leitor o recebe: língua, ligações, figuras, atalhos, cores."""

import importlib.util
import re
from itertools import pairwise, product
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup

import built
from atencao import figures
from colours import contrast

ROOT = Path(__file__).resolve().parent.parent
CSS = (ROOT / "book/_static/atencao.css").read_text(encoding="utf-8")

REPOSITORY = "https://github.com/dono/livro"
ADDRESSES = re.compile(r"github\.com|colab\.research|mybinder\.org")

# Palavras que só aparecem na interface se alguma peça do tema voltar a falar inglês.
ENGLISH = re.compile(
    r"\b(the|and|of|to|on|by|this|with|back|skip|search|previous|next|page|toggle|click|show|hide"
    r"|copy|copied|contents|edit|download|launch|open|print|close|light|dark|mode|settings|theme"
    r"|copyright|note|warning|tip|see also|hint|caution|link to|permalink|home|main|navigation|code"
    r"|version|repository|hidden|error|please)\b",
    re.IGNORECASE,
)
PROPER_NAMES = re.compile(r"CC BY 4\.0")
SPOKEN = ("aria-label", "title", "placeholder", "data-tooltip", "data-bs-title", "data-toggle-hint")


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """Uma miniatura que sabe onde mora seu repositório."""
    folder = tmp_path_factory.mktemp("publicado")
    html = built.build(folder, miniature=True, ATENCAO_REPOSITORY=REPOSITORY, ATENCAO_BRANCH="aula")
    return built.read_pages(html)


@pytest.fixture(scope="session")
def shell():
    spec = importlib.util.spec_from_file_location("book_shell", ROOT / "book/_ext/book_shell.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def interface_texts(soup):
    """O que a interface diz, à vista ou ao leitor de tela, sem o que os autores escreveram."""
    for tag in soup.select("*:not(.bibtex-citation *)"):  # a dica de uma citação é o título da obra
        for attribute in SPOKEN:
            if tag.get(attribute):
                yield tag[attribute]
    for button in soup.select("article :is(button, details.hide > summary)"):
        yield button.get_text(" ", strip=True)
    rest = BeautifulSoup(str(soup.body), "html.parser")
    for written in rest.select("article, nav a, script, style, noscript"):
        written.decompose()
    yield from rest.stripped_strings


def test_every_page_is_in_portuguese(pages):
    for path, soup in pages.items():
        assert soup.html["lang"] == "pt-BR", path.name
        for said in interface_texts(soup):
            assert not ENGLISH.search(PROPER_NAMES.sub("", said)), f"{path.name}: {said!r}"


def test_boxes_have_titles_of_their_own(pages):
    for path, soup in pages.items():
        for title in soup.select(".admonition > .admonition-title"):
            assert not ENGLISH.search(title.get_text()), f"{path.name}: {title.get_text()!r}"


def test_copy_button_is_translated(pages):
    static = next(path for path in pages if path.name == "search.html").parent / "_static"
    theirs = (static / "copybutton.js").read_text("utf-8")
    english = re.search(r"'en': \{(.*?)\}", theirs, re.DOTALL)
    keys = set(re.findall(r"'(\w+)':", english[1]))
    ours = (static / "atencao.js").read_text("utf-8")
    assert keys, "o botão de copiar mudou de formato"
    assert keys <= set(re.findall(r"(\w+): \"", ours))


def test_every_link_leads_somewhere(pages):
    for path, soup in pages.items():
        for tag, attribute in (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src")):
            for element in soup.find_all(tag, attrs={attribute: True}):
                link = element[attribute]
                if re.match(r"[a-z]+:", link):
                    continue
                file, anchor = urldefrag(link)
                file = unquote(file.split("?")[0])
                target = (path.parent / file).resolve() if file else path
                assert target.is_file(), f"{path.name}: {link} não existe"
                if anchor and tag == "a" and target.suffix == ".html":
                    assert pages[target].find(id=unquote(anchor)), f"{path.name}: {link} sem âncora"


def test_nothing_but_mathjax_comes_from_outside(pages):
    for path, soup in pages.items():
        loaded = [tag["src"] for tag in soup.find_all(["script", "img", "iframe"], src=True)]
        loaded += [tag["href"] for tag in soup.find_all("link", rel="stylesheet")]
        outside = {address for address in loaded if re.match(r"(https?:)?//", address)}
        assert all("/mathjax@3/" in address for address in outside), f"{path.name}: {outside}"


def test_every_figure_speaks(pages):
    for path, soup in pages.items():
        for image in soup.select("article img"):
            alt = image.get("alt", "")
            assert len(alt) >= 40, f"{path.name}: {alt!r} é curto para dizer o que a figura mostra"
            assert not re.search(r"\.(png|svg|jpg)\b|/_build/", alt), f"{path.name}: {alt!r}"


def test_no_markup_is_left_raw(pages):
    for path, soup in pages.items():
        assert not soup.select(".problematic, .system-message"), path.name
        text = BeautifulSoup(str(soup.body), "html.parser")
        for code in text.select("pre, code, script, style"):
            code.decompose()
        raw = re.search(r"\{(cite|ref|numref|eq|doc|admonition)[:\w]*\}|:::|```", text.get_text())
        assert not raw, f"{path.name}: {raw[0]}"


def test_headings_do_not_skip_levels(pages):
    for path, soup in pages.items():
        levels = [int(tag.name[1]) for tag in soup.select("article :is(h1, h2, h3, h4, h5, h6)")]
        assert levels.count(1) == 1, path.name
        assert all(after <= before + 1 for before, after in pairwise(levels)), path.name


def test_without_an_address_no_page_points_to_a_repository(pages):
    for path, soup in pages.items():
        frame = BeautifulSoup(str(soup.body), "html.parser")
        frame.article.clear()
        assert not ADDRESSES.search(str(frame)), path.name


def test_with_an_address_each_page_opens_its_own_source(published):
    links = {
        path.stem: {a.get_text(strip=True): a["href"] for a in soup.select(".tool-menu a")}
        for path, soup in published.items()
    }
    source = f"{REPOSITORY}/blob/aula/book/caderno.ipynb"
    assert links["caderno"] == {
        "Abrir no Colab": source.replace("github.com", "colab.research.google.com/github"),
        "Abrir no Binder":
            "https://mybinder.org/v2/gh/dono/livro/aula?urlpath=lab%2Ftree%2Fbook%2Fcaderno.ipynb",
        "Ver no repositório": source,
        "Sugerir uma correção": source.replace("/blob/", "/edit/"),
    }
    assert list(links["pagina"]) == ["Ver no repositório", "Sugerir uma correção"]
    assert links["search"] == {}


def test_with_an_address_a_page_tells_it(published, pages):
    page = next(soup for path, soup in published.items() if path.stem == "pagina")
    assert f"git+{REPOSITORY}\n" in page.pre.get_text()
    without = next(soup for path, soup in pages.items() if path.stem == "como-usar")
    assert "git+https://github.com/dono/repositorio" in without.article.get_text()


def test_a_dropdown_opens_without_scripts(published):
    page = next(soup for path, soup in published.items() if path.stem == "pagina")
    assert page.select_one("article details.dropdown > summary").get_text() == "Resposta"


@pytest.mark.parametrize("wrong", ["dono/livro", REPOSITORY.replace("s:", ":"), f"{REPOSITORY}/a"])
def test_an_address_of_another_shape_is_refused(shell, wrong):
    with pytest.raises(shell.ConfigError, match="precisa ser da forma"):
        shell.page_links(wrong, "main", "book/index.md")


def test_the_address_that_git_clones_is_also_accepted(shell):
    expected = shell.page_links(REPOSITORY, "main", "book/index.md")
    for same in (f"{REPOSITORY}.git", f"{REPOSITORY}/"):
        assert shell.page_links(same, "main", "book/index.md") == expected


def colours(selector):
    block = re.search(re.escape(selector) + r" \{(.*?)\n\}", CSS, re.DOTALL)[1]
    return dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6});", block))


LIGHT, DARK = colours(":root"), colours('html[data-theme="dark"]')


@pytest.mark.parametrize(
    ("page", "palette"), [(LIGHT, figures.PALETTE), (DARK, figures.PALETTE_DARK)]
)
def test_page_and_figures_share_their_colours(page, palette):
    assert {role: page[role] for role in palette} == palette


@pytest.mark.parametrize("page", [LIGHT, DARK], ids=["claro", "escuro"])
def test_every_text_colour_is_readable(page):
    code = [name for name in page if name.startswith("code-")]
    pairs = [
        *product(figures.PALETTE, ("paper", "raised")),
        *product(["ink", "muted", *code], ("paper", "sheet", "raised")),
    ]
    for text, ground in pairs:
        assert contrast(page[text], page[ground]) >= 4.5, f"{text} sobre {ground}"


def test_building_again_with_nothing_new_keeps_the_styles(tmp_path):
    html = built.build(tmp_path, miniature=True)
    before = (html / "_static/livro.css").read_bytes()
    built.run_build(html.parent.parent, {})
    assert (html / "_static/livro.css").read_bytes() == before
