"""Fórmulas desenhadas na construção do livro: HTML para os olhos, MathML para leitores de tela.

Nenhum script vai para a página. O KaTeX (MIT) roda aqui, uma vez por página; sua folha de estilo e
suas fontes vão junto. Uma fórmula que ele não entende interrompe a construção e diz qual é.
"""

import shutil
from pathlib import Path

from docutils import nodes

import node_tools

FOLDER = "vendor/katex"
drawn = {}  # (LaTeX, em destaque?) → HTML


def draw(formulas):
    new = [formula for formula in dict.fromkeys(formulas) if formula not in drawn]
    if new:
        drawn.update(zip(new, node_tools.call("katex.mjs", new), strict=True))


def draw_page(app, doctree, docname):
    if app.builder.format == "html":
        inline = [(node.astext(), False) for node in doctree.findall(nodes.math)]
        display = [(node.astext(), True) for node in doctree.findall(nodes.math_block)]
        draw(inline + display)


def visit_math(self, node):
    formula = (node.astext(), isinstance(node, nodes.math_block))
    draw([formula])  # os títulos que o sumário repete não passam por draw_page
    tag = "div" if formula[1] else "span"
    self.body.append(self.starttag(node, tag, "", CLASS="math"))
    self.body.append(f"{drawn[formula]}</{tag}>")
    raise nodes.SkipNode


def copy_assets(app, exception):
    if exception is None:
        target = Path(app.outdir, "_static", FOLDER)
        (target / "fonts").mkdir(parents=True, exist_ok=True)
        source = node_tools.PACKAGES / "katex/dist"
        shutil.copy(source / "katex.min.css", target)
        for font in (source / "fonts").glob("*.woff2"):
            shutil.copy(font, target / "fonts")


def setup(app):
    app.add_html_math_renderer("katex", (visit_math, None), (visit_math, None))
    app.config.html_math_renderer = "katex"
    app.add_css_file(f"{FOLDER}/katex.min.css")
    app.connect("builder-inited", lambda app: node_tools.install_packages())
    app.connect("doctree-resolved", draw_page)
    app.connect("build-finished", copy_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
