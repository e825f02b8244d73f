"""Faz, com o nbgrader, a versão do aluno de cada tarefa e a põe no livro, em book/tarefas/.

    python tools/assignments.py

As fontes, com soluções e testes escondidos, ficam em assignments/source/ e não entram no livro.
"""

import json
import shutil
import tempfile
import warnings
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config, PyFileConfigLoader

ROOT = Path(__file__).resolve().parent.parent
COURSE = ROOT / "assignments"
STUDENT = ROOT / "book/tarefas"
NAMES = sorted(path.name for path in (COURSE / "source").iterdir() if path.is_dir())


def student_versions(folder):
    """{tarefa: o caderno que o aluno recebe}. O nbgrader trabalha em ``folder``, uma cópia.

    Levanta RuntimeError, com o que o nbgrader disse, se ele recusar uma fonte.
    """
    course = Path(folder) / "curso"
    shutil.copytree(COURSE / "source", course / "source")
    config = Config(PyFileConfigLoader("nbgrader_config.py", path=str(COURSE)).load_config())
    config.CourseDirectory.root = str(course)
    with warnings.catch_warnings(action="ignore"):  # o nbgrader fala do SQLAlchemy novo
        api = NbGraderAPI(config=config)
        return {name: _student_version(api, course, name) for name in NAMES}


def _student_version(api, course, name):
    outcome = api.generate_assignment(name, force=True, create=True)
    if not outcome["success"]:
        raise RuntimeError(f"{name}: {outcome.get('log') or outcome['error']}")
    made = (course / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
    return _without_figures(made)


def _without_figures(text):
    """Sem o texto alternativo das figuras da solução, que o nbgrader não sabe que está ali."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        cell["metadata"].pop("mystnb", None)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, notebook in student_versions(folder).items():
            (STUDENT / f"{name}.ipynb").write_text(notebook, encoding="utf-8", newline="\n")
            print(f"{name}.ipynb")


if __name__ == "__main__":
    main()
