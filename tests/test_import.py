"""O que ``import atencao`` carrega: NumPy, e nada mais pesado."""

import subprocess
import sys

import pytest

HEAVY = {"torch", "matplotlib", "IPython", "anywidget", "ipywidgets"}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", ["atencao", "atencao.functional", "atencao.text"])
def test_importing_loads_numpy_and_nothing_heavier(name):
    loaded = loaded_by(f"import {name}")
    assert "numpy" in loaded
    assert not loaded & HEAVY


def test_modules_load_torch_but_not_matplotlib():
    loaded = loaded_by("import atencao.modules")
    assert "torch" in loaded
    assert "matplotlib" not in loaded


def test_the_course_does_not_load_what_only_a_class_needs():
    loaded = loaded_by("import atencao.checks, atencao.figures, atencao.modules")
    assert not loaded & {"dask", "distributed", "nbgrader", "psutil"}


def test_the_grading_command_says_what_is_missing():
    code = "import sys; sys.modules['psutil'] = None; from atencao.classroom import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "falta o pacote psutil" in run.stderr
    assert 'pip install ".[classroom]"' in run.stderr
    assert "Traceback" not in run.stderr
