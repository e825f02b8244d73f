"""Os exploradores na página estática: um script e uma folha de estilo para cada tipo em uso."""

import re
import shutil
from pathlib import Path

from docutils import nodes

from atencao.explorers.base import STATIC

FOLDER = "explorers"
KIND = re.compile(r'data-atencao-explorer="([\w-]+)"')


def add_where_needed(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    kinds = {kind for raw in doctree.findall(nodes.raw) for kind in KIND.findall(raw.astext())}
    for kind in sorted(kinds):
        app.add_css_file(f"{FOLDER}/{kind}.css")
        app.add_js_file(f"{FOLDER}/{kind}.js")


def copy_bundles(app, exception):
    if exception is None:
        target = Path(app.outdir, "_static", FOLDER)
        shutil.copytree(STATIC / "pages", target, dirs_exist_ok=True)


def setup(app):
    # Antes de o molde juntar os arquivos da página.
    app.connect("html-page-context", add_where_needed, priority=100)
    app.connect("build-finished", copy_bundles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
