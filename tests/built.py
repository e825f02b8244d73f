"""A construção do livro, ou de uma miniatura dele, para os testes que o olham pronto."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from bs4 import BeautifulSoup

import node

ROOT = Path(__file__).resolve().parent.parent

# O mínimo que usa as peças da casa: uma página e um caderno.
PAGE = """# Página

```{admonition} Resposta
:class: dropdown
Vinte e um.
```

    pip install git+https://github.com/dono/repositorio
"""
NOTEBOOK = """{"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"},
"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
"cells": [{"id": "aaaaaaaa", "cell_type": "markdown", "metadata": {}, "source": "# Caderno"}]}"""
TOC = "format: jb-book\nroot: book/pagina\nchapters: [{file: book/caderno}]\n"


def build(folder, *, miniature=False, **addresses):
    """Constrói o livro, ou uma miniatura, num caminho com espaço e acento; devolve a pasta."""
    copy = folder / "cópia do livro"
    unwanted = [".ipynb_checkpoints", "__pycache__"] + ["*.md", "*.ipynb"] * miniature
    shutil.copytree(ROOT / "book", copy / "book", ignore=shutil.ignore_patterns(*unwanted))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, copy)
    # O que o npm baixa, uma vez só para todas as cópias.
    shutil.copytree(node.packages(), copy / "node_modules", symlinks=True)
    if miniature:
        (copy / "_toc.yml").write_text(TOC, encoding="utf-8")
        (copy / "book/pagina.md").write_text(PAGE, encoding="utf-8")
        (copy / "book/caderno.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    run_build(copy, addresses)
    return copy / "_build/html"


def run_build(copy, addresses):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ATENCAO_")}
    run = subprocess.run(
        [sys.executable, "-c", "from jupyter_book.cli.main import main; main()",
         "build", str(copy), "-n", "-W", "--keep-going", "-q"],
        env=environment | addresses | {"PYTHONUTF8": "1"},
        capture_output=True, encoding="utf-8", check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]


def read_pages(html):
    """{caminho: página}, sem as que só redirecionam."""
    found = {}
    for path in sorted(html.resolve().rglob("*.html")):
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        if "_static" not in path.parts and not soup.find("meta", attrs={"http-equiv": "Refresh"}):
            found[path] = soup
    return found
