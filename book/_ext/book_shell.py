"""O que o Jupyter Book não faz por configuração: endereços, fontes, caixas dobráveis, bagagem.

Endereços: o livro não sabe onde seu repositório mora até a publicação. Com ATENCAO_REPOSITORY
(``https://github.com/dono/repositorio``) e, se não for main, ATENCAO_BRANCH no ambiente, cada
página ganha atalhos para abrir, ver e corrigir a própria fonte; sem eles, nenhum atalho aparece.
"""

import os
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import font_source_sans_pro
from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.errors import ConfigError
from sphinx.transforms.post_transforms import SphinxPostTransform

# O tema carrega isto em toda página, e o livro não usa: Thebe quer um servidor, o botão de dobrar
# fala inglês e foi trocado por <details>, e o script do tema serve à barra que também foi trocada.
UNUSED_EXTENSIONS = {"sphinx_thebe", "sphinx_togglebutton"}
UNUSED_ASSETS = {
    "sphinx-thebe.css",
    "togglebutton.css",
    "scripts/sphinx-book-theme.js",
    "design-tabs.js",
    "sphinx-design.min.css",
}

# O endereço de exemplo que as páginas trazem; com o de verdade, o livro publicado traz o seu.
EXAMPLE_REPOSITORY = "https://github.com/dono/repositorio"

FONT_FILES = {"regular": "Regular", "italic": "It", "semibold": "Semibold"}
# A licença OFL reserva o nome "Source" à versão integral: o recorte precisa de outro.
FONT_NAME = "AtencaoSans"
FONT_NAME_RECORDS = {1, 3, 4, 6, 16}  # família, identificador, nome completo, PostScript
FONT_RANGES = (
    (0x0020, 0x00FF),  # latim e acentos
    (0x0391, 0x03C9),  # grego
    (0x2010, 0x2089),  # travessões, aspas, reticências, expoentes e índices
    (0x2190, 0x2265),  # setas e operadores
)


def page_links(repository: str, branch: str, source: str) -> dict[str, str]:
    """Atalhos de uma página: o que dizem → aonde levam.

    source: o caminho da fonte a partir da raiz do repositório. Sem repository, não há atalhos.

    Levanta ConfigError se repository não for da forma
    https://github.com/dono/repositorio.
    """
    if not repository:
        return {}
    match = re.fullmatch(r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?", repository)
    if not match:
        raise ConfigError(
            f"ATENCAO_REPOSITORY é {repository!r} e precisa ser da forma {EXAMPLE_REPOSITORY}."
        )
    home, source = f"{match[1]}/{match[2]}", quote(source)
    file = f"{home}/blob/{quote(branch)}/{source}"
    links = {}
    if source.endswith(".ipynb"):
        place = f"{home}/{quote(branch, safe='')}?urlpath={quote(f'lab/tree/{source}', safe='')}"
        links["Abrir no Colab"] = f"https://colab.research.google.com/github/{file}"
        links["Abrir no Binder"] = f"https://mybinder.org/v2/gh/{place}"
    links["Ver no repositório"] = f"https://github.com/{file}"
    links["Sugerir uma correção"] = f"https://github.com/{home}/edit/{quote(branch)}/{source}"
    return links


def tell_the_repository(app, name, source):
    """Troca, no texto de uma página, o endereço de exemplo pelo do repositório."""
    if app.config.book_repository:
        source[0] = source[0].replace(EXAMPLE_REPOSITORY, app.config.book_repository)


class Fold(nodes.General, nodes.Element):
    """Uma caixa que se abre e fecha."""


class FoldTitle(nodes.TextElement):
    """O título sempre visível de uma caixa que se abre e fecha."""


class FoldDropdowns(SphinxPostTransform):
    """Toda caixa de classe dropdown vira <details>: abre sem script, com teclado e na impressão."""

    default_priority = 200
    formats = ("html",)

    def run(self, **kwargs):
        for box in list(self.document.findall(nodes.Admonition)):
            if "dropdown" not in box["classes"]:
                continue
            title, *body = box.children
            kind = [] if isinstance(box, nodes.admonition) else [box.tagname]
            fold = Fold(classes=["admonition", *kind, *box["classes"]], ids=box["ids"])
            fold += FoldTitle("", "", *title.children, classes=["admonition-title"])
            fold += body
            box.replace_self(fold)


class Corner(nodes.Part, nodes.Element):
    """O canto vazio de uma tabela, que não é título de coluna nenhuma."""


class MarkCorners(SphinxPostTransform):
    """Um <th> vazio faz o leitor de tela anunciar um título que não existe."""

    default_priority = 200
    formats = ("html",)

    def run(self, **kwargs):
        for head in self.document.findall(nodes.thead):
            for entry in list(head.findall(nodes.entry)):
                if not entry.astext().strip():
                    entry.replace_self(Corner())


def visit_corner(self, node):
    self.body.append("<td></td>\n")


def depart_corner(self, node):
    pass


def visit_fold(self, node):
    self.body.append(self.starttag(node, "details"))


def depart_fold(self, node):
    self.body.append("</details>\n")


def visit_fold_title(self, node):
    self.body.append(self.starttag(node, "summary", ""))


def depart_fold_title(self, node):
    self.body.append("</summary>\n")


# O que o myst-nb diz que a dobra esconde. A célula inteira (hide-cell) é a solução de um exercício.
FOLDED = {"content": "Mostrar a solução", "source": "Mostrar o código", "output": "Mostrar a saída"}


def visit_hidden_cell(self, node):
    # O do myst-nb tem um aria-label em inglês, fixo no código.
    self.body.append(self.starttag(node, "details", CLASS="hide"))
    self.body.append(f"<summary>{FOLDED[node['prompt_show']]}</summary>\n")


def unload_unused(app):
    for listeners in list(app.events.listeners.values()):
        for listener in list(listeners):
            if listener.handler.__module__.split(".")[0] in UNUSED_EXTENSIONS:
                app.disconnect(listener.id)


def defer_scripts(scripts, *, wait):
    """A página se desenha antes dos scripts; na busca, que os usa na hora, eles vêm antes."""
    for script in scripts:
        name = str(getattr(script, "filename", None) or "")
        if name and not name.endswith("documentation_options.js"):
            # O mesmo objeto serve a todas as páginas.
            script.attributes.pop("defer", None)
            if not wait:
                script.attributes["defer"] = "defer"


def complete_page(app, pagename, templatename, context, doctree):
    for kind in ("css_files", "script_files"):
        context[kind] = [
            asset for asset in context[kind]
            if getattr(asset, "filename", None) is None
            or not any(str(asset.filename).split("?")[0].endswith(name) for name in UNUSED_ASSETS)
        ]
    defer_scripts(context["script_files"], wait=pagename == "search")
    if doctree is not None:
        source = Path(app.env.doc2path(pagename)).relative_to(app.srcdir).as_posix()
        config = app.config
        context["page_links"] = page_links(config.book_repository, config.book_branch, source)
        context["is_notebook"] = source.endswith(".ipynb")


def write_fonts(app, exception):
    """Recorta a fonte instalada ao alfabeto do livro e a põe, com a licença, junto das páginas."""
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir, "_static", "fonts")
    target.mkdir(parents=True, exist_ok=True)
    source = Path(font_source_sans_pro.font_directory)
    shutil.copyfile(source / "LICENSE.txt", target / "OFL.txt")
    letters = [code for first, last in FONT_RANGES for code in range(first, last + 1)]
    for name, style in FONT_FILES.items():
        path = target / f"{name}.woff2"
        if path.exists():
            continue
        options = subset.Options(hinting=False, name_IDs=["*"], flavor="woff2")
        options.layout_features += ["tnum", "lnum"]
        with TTFont(source / f"SourceSansPro-{style}.ttf") as font:
            subsetter = subset.Subsetter(options)
            subsetter.populate(unicodes=letters)
            subsetter.subset(font)
            for record in font["name"].names:
                if record.nameID in FONT_NAME_RECORDS:
                    record.string = f"{FONT_NAME}-{style}"
            font.flavor = "woff2"
            font.save(path)


def setup(app):
    unload_unused(app)
    # Como valores de configuração, uma mudança neles refaz as páginas já construídas.
    app.add_config_value("book_repository", os.environ.get("ATENCAO_REPOSITORY", ""), "env")
    app.add_config_value("book_branch", os.environ.get("ATENCAO_BRANCH") or "main", "env")
    page_links(os.environ.get("ATENCAO_REPOSITORY", ""), "main", "")  # recusa logo um mau endereço
    app.add_post_transform(FoldDropdowns)
    app.add_post_transform(MarkCorners)
    app.add_node(Corner, html=(visit_corner, depart_corner))
    app.add_node(Fold, html=(visit_fold, depart_fold))
    app.add_node(FoldTitle, html=(visit_fold_title, depart_fold_title))
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_cell, depart_fold))
    app.connect("source-read", tell_the_repository)
    # Depois das extensões do tema, que enchem as listas na mesma hora.
    app.connect("html-page-context", complete_page, priority=900)
    app.connect("build-finished", write_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
