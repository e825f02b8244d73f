"""Os cartões das conferências apontam para seções de cadernos; no livro, elas são páginas.

``atencao.checks`` escreve ``07-causal.ipynb#O-teste-de-vazamento``, que o Jupyter entende. Aqui o
endereço vira ``07-causal.html#o-teste-de-vazamento``, com o id que o Sphinx dá ao título.
"""

import re
from urllib.parse import unquote

from docutils import nodes
from sphinx.application import Sphinx

LINK = re.compile(r'href="(\d\d-[\w-]+)\.ipynb#([^"]*)"')


def to_page(html: str) -> str:
    """Troca, num pedaço de HTML, os endereços de seções de cadernos pelos das páginas."""
    return LINK.sub(
        lambda found: f'href="{found[1]}.html#{nodes.make_id(unquote(found[2]))}"', html
    )


def rewrite(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in doctree.findall(nodes.raw):
        if "html" in node.get("format", "") and ".ipynb#" in node.astext():
            node.children = [nodes.Text(to_page(node.astext()))]


def setup(app: Sphinx) -> dict:
    app.connect("doctree-resolved", rewrite)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
