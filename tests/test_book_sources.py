"""O livro na fonte: sumário, cadernos normalizados, números da prosa, figuras, vocabulário."""

import re

import pytest

import book
import notebooks as tool

each_notebook = pytest.mark.parametrize(
    "path", book.NOTEBOOKS + book.ASSIGNMENTS, ids=lambda p: p.stem
)
each_chapter = pytest.mark.parametrize("path", book.CHAPTERS, ids=lambda p: p.stem)
each_source = pytest.mark.parametrize(
    "path", book.NOTEBOOKS + book.ASSIGNMENTS + book.PAGES, ids=lambda p: p.stem
)

SECTIONS = ("Onde as pessoas tropeçam", "Exercícios", "Em resumo")
# Variantes que a página de notação substitui: o que não escrever → o que escrever.
BANNED = {
    r"\bd_\{?k\}?(?![^.]*artigo|[^.]*paper|[^.]*Vaswani)": "c (d_k só ao citar o artigo original)",
    r"\bauto[- ]aten": "autoatenção",
    r"\bself[- ]attention\b(?!\*)": "autoatenção",
    r"\bmulti[- ]?cabeças?\b": "múltiplas cabeças",
    r"\bmáscara de causalidade\b": "máscara causal",
    r"\b(incorporação|incorporações)\b": "embedding",
    r"\bscores?\b": "pontuação",
    r"\bqueries\b": "consultas",
    r"\bbatch(es)?\b": "lote",
    r"\bvamos\s+mergulhar\b|\bé\s+importante\s+notar\b": "(corte)",
    r"\bpoderos[oa]s?\b|\bsimplesmente\b": "(corte)",
    r"\bQK\^T\b|\bQK\^\{T\}": r"QK^\top",
}


@pytest.fixture(scope="module")
def toc():
    return book.toc_files()


def test_every_chapter_and_page_is_in_the_contents(toc):
    sources = book.NOTEBOOKS + book.PAGES + book.STUDENT
    assert {p.relative_to(book.ROOT).with_suffix("").as_posix() for p in sources} == set(toc)
    assert len(toc) == len(set(toc))


def test_the_ten_chapters_are_there():
    assert [p.stem[:2] for p in book.CHAPTERS] == [f"{i:02d}" for i in range(1, 11)]


@each_notebook
def test_notebook_is_normalised(path):
    assert tool.is_normal(path), f"rode: python tools/notebooks.py {path.relative_to(book.ROOT)}"


@each_notebook
def test_every_cell_was_run_in_order(path):
    counts = [c.execution_count for c in book.read(path).cells if c.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


def test_few_outputs_are_left_uncompared():
    """nbval-ignore-output é dívida: no máximo cinco no livro, cada uma com seu motivo."""
    ignored = [
        (path.stem, cell) for path in book.NOTEBOOKS for cell in book.read(path).cells
        if "nbval-ignore-output" in cell.metadata.get("tags", [])
    ]
    assert len(ignored) <= 5
    for stem, cell in ignored:
        assert "# nbval:" in cell.source, f"{stem}: diga o motivo num comentário '# nbval: …'"


@each_notebook
def test_notebook_leaves_no_warnings_or_errors(path):
    for cell in book.read(path).cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text


@each_notebook
def test_every_decimal_in_the_prose_is_computed(path):
    notebook = book.read(path)
    evidence = book.numbers(book.outputs_text(notebook))
    text = book.prose(notebook)
    if path in book.ASSIGNMENTS:  # o que vale cada item, test_classroom_assignments.py confere
        text = re.sub(r"\d+,\d+ pontos?\b", " ", text)
    orphans = [
        written for written, value, places, percent in book.decimals(text)
        if not book.is_computed(value, places, percent, evidence)
    ]
    assert not orphans, f"números sem célula que os calcule: {orphans}"


def test_every_decimal_in_the_pages_is_computed_by_some_chapter():
    evidence = set().union(*(book.numbers(book.outputs_text(book.read(p))) for p in book.NOTEBOOKS))
    orphans = [
        (page.name, written) for page in book.PAGES if page.stem != "perguntas"  # test_quiz.py
        for written, value, places, percent in book.decimals(book.page_text(page))
        if not book.is_computed(value, places, percent, evidence)
    ]
    assert not orphans


@each_notebook
def test_every_figure_speaks(path):
    """Texto alternativo com substância, igual nos metadados (livro) e na saída (nbval)."""
    figures = 0
    for cell in book.read(path).cells:
        for output in cell.get("outputs", []):
            images = {kind for kind in output.get("data", {}) if kind.startswith("image/")}
            assert images <= {"image/png"}, "mostre figuras com figures.show"
            if images:
                figures += 1
                alt = output.data["text/plain"]
                assert len(alt) >= 80
                assert alt.endswith("."), "descreva com uma frase; isto parece um título"
                assert cell.metadata["mystnb"]["image"]["alt"] == alt
    assert figures or path not in book.CHAPTERS, "cada capítulo tem ao menos uma figura"


@each_chapter
def test_chapter_keeps_its_contract(path):
    cells = book.read(path).cells
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    assert cells[0].source.startswith("# ")
    assert "**A pergunta.**" in text
    assert re.search(r"\b\d+ minutos\b", text), "diga quantos minutos leva"
    positions = [text.find(f"\n## {section}") for section in SECTIONS]
    assert all(p > 0 for p in positions), dict(zip(SECTIONS, positions, strict=True))
    assert positions == sorted(positions)
    assert "**A seguir.**" in text
    exercises = re.findall(r"^### Exercício · .+$", text, flags=re.M)
    assert 3 <= len(exercises) <= 6
    solutions = [c for c in cells if "hide-cell" in c.metadata.get("tags", [])]
    assert solutions
    for cell in solutions:
        assert cell.metadata.jupyter.source_hidden, "dobre a solução também no JupyterLab"


@each_source
def test_words_and_notation(path):
    text = book.prose(book.read(path)) if path.suffix == ".ipynb" else book.page_text(path)
    if path.stem in {"notacao", "glossario", "referencias"}:
        return  # ali as variantes aparecem para serem explicadas
    found = {
        (match.group(), instead) for pattern, instead in BANNED.items()
        for match in re.finditer(pattern, text, flags=re.I)
    }
    assert not found


@each_chapter
def test_chapters_01_to_05_never_import_torch(path):
    if path.stem[:2] <= "05":
        code = "\n".join(c.source for c in book.read(path).cells if c.cell_type == "code")
        assert "torch" not in code
