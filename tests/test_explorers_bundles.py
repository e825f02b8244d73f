"""Os dois pacotes de JavaScript são os das fontes, e as fontes combinam com o Python e as cores."""

import re

import pytest

import node
import node_tools
from atencao import figures
from atencao.explorers import base
from on_screen import CLASSES

CSS = (node.ROOT / "src/atencao/explorers/js/explorer.css").read_text("utf-8")


PAGES = [f"{kind}.{suffix}" for kind in CLASSES for suffix in ("css", "js")]


@pytest.mark.parametrize(("script", "folder", "files"), [
    ("widget", base.STATIC, ["widget.css", "widget.js"]), ("pages", base.STATIC / "pages", PAGES),
])
def test_the_committed_bundles_are_fresh(tmp_path, script, folder, files):
    node.bundle(script, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)
    for name in files:
        fresh = (tmp_path / name).read_bytes()
        assert (folder / name).read_bytes() == fresh, f"{name} é antigo: rode make explorers"


def test_both_languages_have_the_same_explorers():
    catalogue = node_tools.call(node.ROOT / "tests/catalogue.mjs", None)
    assert catalogue == {
        kind: {"title": explorer.title, "fields": list(explorer.fields)}
        for kind, explorer in CLASSES.items()
    }
    for kind, explorer in CLASSES.items():
        assert explorer().kind == kind


@pytest.mark.parametrize(("selector", "palette"), [
    (r"\.explorer", figures.PALETTE),
    (r'html\[data-theme="dark"\] \.explorer, \[data-jp-theme-light="false"\] \.explorer',
     figures.PALETTE_DARK),
])
def test_explorers_and_figures_share_their_colours(selector, palette):
    block = re.search(rf"^{selector} \{{(.*?)\}}", CSS, re.DOTALL | re.MULTILINE)[1]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6});", block))
    assert {role: colours[role] for role in palette} == palette
