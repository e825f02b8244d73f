"""O que vale para todos os testes."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

import browsing
import built

# Na integração contínua, a falta é um erro: os testes rodam e não acham o que importar.
LEAVES_CLASSROOM_OUT = find_spec("nbgrader") is None and "CI" not in os.environ
collect_ignore_glob = ["test_classroom_*.py"] if LEAVES_CLASSROOM_OUT else []

# Os mesmos exemplos em toda máquina: um teste que passa aqui passa na integração contínua.
settings.register_profile("estável", deadline=None, derandomize=True)
settings.load_profile("estável")


def pytest_report_header():
    if LEAVES_CLASSROOM_OUT:
        return ("os testes das turmas ficaram de fora; para rodá-los: "
                "pip install -r requirements-classroom.txt")
    return None


@pytest.fixture(scope="session")
def html(tmp_path_factory):
    """A pasta do livro, construído uma vez, também quando os testes se repartem em processos."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "livro"
    done = folder / "pronto"
    with FileLock(folder.with_suffix(".lock")):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            done.write_text(str(built.build(folder)), encoding="utf-8")
    return Path(done.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def pages(html):
    return built.read_pages(html)


@pytest.fixture(scope="session")
def site(html):
    """O livro servido como num site; devolve o endereço."""
    with browsing.served(html) as address:
        yield address


@pytest.fixture(scope="module")
def chromium():
    """O navegador. Fecha-se no fim do módulo, porque o Playwright ocupa o laço do asyncio."""
    with browsing.launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def contexts(chromium):
    """Um contexto do navegador para cada jeito de ver as páginas."""
    opened = {view: chromium.new_context(**options) for view, options in browsing.VIEWS.items()}
    yield opened
    for context in opened.values():
        context.close()
