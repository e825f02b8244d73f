"""Os exploradores na página estática: um script e uma folha de estilo, só onde há exploradores."""

import shutil
from pathlib import Path

from docutils import nodes

from atencao.explorers.base import STATIC

FOLDER = "explorers"


def add_where_needed(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    if any("data-atencao-explorer" in raw.astext() for raw in doctree.findall(nodes.raw)):
        app.add_css_file(f"{FOLDER}/explorer.css")
        app.add_js_file(f"{FOLDER}/page.js")


def copy_bundles(app, exception):
    if exception is None:
        target = Path(app.outdir, "_static", FOLDER)
        target.mkdir(parents=True, exist_ok=True)
        for name in ("page.js", "explorer.css"):
            shutil.copy(STATIC / name, target)


def setup(app):
    # Antes de o molde juntar os arquivos da página.
    app.connect("html-page-context", add_where_needed, priority=100)
    app.connect("build-finished", copy_bundles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
