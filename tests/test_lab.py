"""Os exploradores num JupyterLab de verdade, com núcleo: o Python e a tela mudam juntos."""

import json
import os
import re
import subprocess
import sys
import time

import nbformat
import pytest
from playwright.sync_api import expect

import browsing
import on_screen
from atencao.explorers import DotProduct, Scale
from atencao.explorers.base import br

SOURCES = [
    "from atencao.explorers import DotProduct, Scale\nexplorer = DotProduct()\nexplorer",
    "explorer.query = [0.1, -0.25]",
    "print('consulta', explorer.query)",
    "explorer.query = [2, 0]",
    "scale = Scale(c=16)\nscale",
    "print('c', scale.c)",
]
SHOW, SET, READ, SET_WRONG, SHOW_SCALE, READ_SCALE = range(len(SOURCES))
QUIET = {"fetchNews": "false", "checkForUpdates": False}


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """Um servidor com um caderno, longe das configurações de quem roda; devolve o endereço."""
    folder = tmp_path_factory.mktemp("laboratório")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in SOURCES])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    (folder / "cadernos").mkdir()
    nbformat.write(notebook, folder / "cadernos/explorador.ipynb")
    settings = folder / "settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(QUIET), encoding="utf-8")
    homes = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython",
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    with (folder / "servidor.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
             "--expose-app-in-browser", f"--ServerApp.ip={browsing.HERE}", "--ServerApp.port=0",
             f"--ServerApp.root_dir={folder / 'cadernos'}"],
            env=os.environ | {name: str(folder / home) for name, home in homes.items()},
            stdout=log, stderr=log,
        )
        try:
            yield address_of(server, folder)
        finally:
            server.terminate()  # e ele encerra os núcleos
            server.wait(30)


def address_of(server, folder):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        for path in (folder / "runtime").glob("jpserver-*.json"):
            info = json.loads(path.read_text("utf-8"))
            return f"{info['url']}lab/tree/explorador.ipynb?token={info['token']}"
        time.sleep(0.1)
    return pytest.fail((folder / "servidor.log").read_text("utf-8"))


class Notebook:
    """O caderno aberto no JupyterLab."""

    def __init__(self, page):
        self.page = page
        self.cells = page.locator(".jp-Notebook .jp-CodeCell")

    def run(self, index):
        """Roda uma célula até o fim e devolve o que ela escreveu."""
        self.page.evaluate("""async (index) => {
            jupyterapp.shell.currentWidget.content.activeCellIndex = index;
            await jupyterapp.commands.execute("notebook:run-cell");
        }""", index)
        return self.cells.nth(index).locator(".jp-OutputArea").inner_text()

    def prints(self, index, text):
        """Roda uma célula até que ela escreva o texto: o que a tela manda chega um pouco depois."""
        for _ in range(30):
            said = self.run(index)
            if text in said:
                return
            self.page.wait_for_timeout(100)
        pytest.fail(f"esperava {text!r}, e a célula escreveu {said!r}")

    def selected(self):
        return self.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")

    def explorer(self, index):
        return self.cells.nth(index).locator(".explorer")


@pytest.fixture(scope="module")
def notebook(chromium, lab):
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(lab)
    page.wait_for_function("""() => {
        const panel = window.jupyterapp?.shell.currentWidget;
        return panel?.sessionContext?.session?.kernel?.connectionStatus === "connected"
            && panel.content.widgets.length > 1;
    }""", timeout=60_000)
    opened = Notebook(page)
    opened.run(SHOW)
    expect(opened.explorer(SHOW)).to_be_visible(timeout=30_000)
    yield opened
    page.close()


def agrees(notebook, **state):
    explorer = notebook.explorer(SHOW)
    query = explorer.get_by_label("consulta, formato")
    expect(query).to_have_value(br(state["query"][0]))
    on_screen.assert_agree(explorer, DotProduct(**state))


def test_python_sets_a_trait_and_the_view_follows(notebook):
    agrees(notebook, query=[0.9, 0.8])
    notebook.run(SET)
    agrees(notebook, query=[0.1, -0.25])


def test_the_view_moves_and_python_sees_it(notebook):
    notebook.run(SET)
    field = notebook.explorer(SHOW).get_by_label("consulta, formato")
    field.fill("0,75")
    field.press("Enter")
    notebook.prints(READ, "consulta [0.75, -0.25]")
    agrees(notebook, query=[0.75, -0.25])


def test_the_arrows_reach_the_explorer_and_not_the_notebook(notebook):
    notebook.run(SET)
    notebook.cells.nth(SHOW).locator(".jp-InputPrompt").click()
    notebook.page.keyboard.press("ArrowDown")
    assert notebook.selected() == SHOW + 1  # fora do explorador, elas são do caderno
    notebook.page.keyboard.press("ArrowUp")

    handle = notebook.explorer(SHOW).get_by_role("slider", name="consulta de artigo")
    handle.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp"):
        notebook.page.keyboard.press(key)
    assert notebook.selected() == SHOW
    expect(handle).to_be_focused()
    agrees(notebook, query=[0.15, -0.3])
    notebook.prints(READ, "consulta [0.15, -0.3]")


def test_enter_presses_the_buttons_of_the_explorer(notebook):
    count = notebook.explorer(SHOW).locator(".explorer-step-count")
    expect(count).to_have_text(re.compile("^0 de"))
    notebook.explorer(SHOW).get_by_role("button", name="Próximo").press("Enter")
    expect(count).to_have_text(re.compile("^1 de"))
    assert notebook.selected() == SHOW


def test_the_arrows_reach_a_native_slider_too(notebook):
    notebook.run(SHOW_SCALE)
    width = notebook.explorer(SHOW_SCALE).get_by_role("slider", name="c", exact=True)
    width.focus()
    for _ in range(3):
        notebook.page.keyboard.press("ArrowUp")
    assert notebook.selected() == SHOW_SCALE
    expect(width).to_have_attribute("aria-valuetext", "c = 19")
    on_screen.assert_agree(notebook.explorer(SHOW_SCALE), Scale(c=19))
    notebook.prints(READ_SCALE, "c 19")


def test_a_wrong_value_in_python_raises_in_portuguese_and_the_view_stays(notebook):
    notebook.run(SET)
    said = notebook.run(SET_WRONG)
    assert "TraitError: query vai de −1 a 1 e tem 2." in said
    agrees(notebook, query=[0.1, -0.25])
    notebook.prints(READ, "consulta [0.1, -0.25]")


def test_a_wrong_value_in_the_view_is_refused_and_python_does_not_see_it(notebook):
    notebook.run(SET)
    explorer = notebook.explorer(SHOW)
    field = explorer.get_by_label("consulta, formato")
    for text, complaint in (("abc", '"abc" não é um número'), ("1,5", "vão de −1 a 1")):
        field.fill(text)
        field.press("Enter")
        expect(explorer.get_by_role("alert")).to_contain_text(complaint)
        agrees(notebook, query=[0.1, -0.25])
    notebook.prints(READ, "consulta [0.1, -0.25]")
