"""Monta .venv com o ambiente testado; usa só a biblioteca padrão.

Interrompido no meio, recomeça do zero na vez seguinte. No Linux, o PyTorch vem do índice de
CPU do próprio PyTorch, quando ele responde: o do PyPI traz cerca de 3 GB de CUDA.
"""

import http.client
import os
import re
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
READY = VENV / ".pronto"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def pip_install(*arguments):
    return subprocess.run([VENV_PYTHON, "-m", "pip", "install", *arguments], cwd=ROOT, check=False)


def answers(url):
    try:
        with urllib.request.urlopen(f"{url}/", timeout=5):
            return True
    except (OSError, http.client.HTTPException):  # sem rede, ou uma rede que corta a conversa
        return False


def torch_requirement():
    return re.search(r"^torch==\S+", (ROOT / "requirements.txt").read_text("utf-8"), re.M).group()


def main():
    if sys.version_info < (3, 11):  # noqa: UP036 - é o aviso a quem tem um Python mais antigo
        sys.exit(f"O curso pede Python 3.11 ou mais novo; este é o {sys.version.split()[0]}. "
                 "Aponte outro com: make PYTHON=python3.12 …")
    was_ready = READY.exists()
    READY.unlink(missing_ok=True)  # só volta ao fim: sem ele, a próxima vez recomeça do zero
    if not was_ready:
        venv.create(VENV, clear=True, with_pip=True)
    if sys.platform == "linux" and answers(CPU_INDEX):
        pip_install(torch_requirement(), "--index-url", CPU_INDEX)
    finished = pip_install("-r", "requirements.txt")
    if finished.returncode:
        sys.exit("A instalação falhou (veja acima). Rode o mesmo comando de novo.")
    READY.touch()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrompido. Rode o mesmo comando de novo: a instalação recomeça do zero.")
