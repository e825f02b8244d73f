"""Reexecuta e normaliza os cadernos do livro e das tarefas, para que um diff mostre só o que mudou.

    python tools/notebooks.py                 todos
    python tools/notebooks.py book/05-….ipynb só os indicados
    python tools/notebooks.py --check         não escreve; falha se algum não estiver normalizado
"""

import argparse
import hashlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
CELL_TIMEOUT = 120
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Só vale com o núcleo que o criou; sem ele, fica a versão text/html do explorador.
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CELL_METADATA = {"tags", "jupyter", "mystnb", "nbgrader"}


def execute(notebook, folder):
    """Roda o caderno de cima a baixo num núcleo novo deste mesmo Python."""
    resources = {"metadata": {"path": folder}}
    client = NotebookClient(
        notebook, timeout=CELL_TIMEOUT, resources=resources, extra_arguments=["--log-level=ERROR"]
    )
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    client.execute()


def normalise(notebook):
    """Deixa só o que tem significado: metadados mínimos, ids estáveis, contagem de 1 em diante."""
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen, count = set(), 0
    for cell in notebook.cells:
        cell.source = cell.source.strip("\n")
        kept = {key: cell.metadata[key] for key in CELL_METADATA & cell.metadata.keys()}
        cell.metadata = nbformat.from_dict(kept)
        cell.id = _stable_id(cell, seen)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _normal_outputs(cell.outputs, count)
            _speak_figures(cell)


def _stable_id(cell, seen):
    """Mantém um id bem formado; um novo nasce do conteúdo, sem acaso."""
    kept = cell.get("id", "")
    if re.fullmatch(r"[0-9a-f]{8}", kept) and kept not in seen:
        seen.add(kept)
        return kept
    salt = 0
    while (made := hashlib.sha256(f"{salt}{cell.source}".encode()).hexdigest()[:8]) in seen:
        salt += 1
    seen.add(made)
    return made


def _normal_outputs(outputs, count):
    """Junta trechos seguidos do mesmo fluxo, que o núcleo parte ao acaso."""
    merged = []
    for output in outputs:
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
            continue
        if output.output_type == "execute_result":
            output.execution_count = count
        output.get("data", {}).pop(WIDGET_VIEW, None)
        merged.append(output)
    return merged


def _speak_figures(cell):
    """Leva o texto alternativo de figures.show aos metadados, onde o livro o procura."""
    alts = [o.data["text/plain"] for o in cell.outputs if "image/png" in o.get("data", {})]
    if len(alts) > 1:
        raise SystemExit(f"a célula {cell.id} mostra {len(alts)} figuras; use uma por célula.")
    mystnb = cell.metadata.pop("mystnb", {})
    mystnb.pop("image", None)
    if alts:
        mystnb["image"] = {"alt": alts[0]}
    if mystnb:
        cell.metadata["mystnb"] = nbformat.from_dict(mystnb)


def text_of(notebook):
    nbformat.validate(notebook)
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"


def refresh(path):
    notebook = nbformat.read(path, as_version=4)
    try:
        execute(notebook, path.parent)
    except CellExecutionError as error:
        raise SystemExit(f"{path.name} não rodou até o fim.\n{error}") from None
    normalise(notebook)
    path.write_text(text_of(notebook), encoding="utf-8", newline="\n")
    return path


def is_normal(path):
    notebook = nbformat.read(path, as_version=4)
    normalise(notebook)
    return text_of(notebook) == path.read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, help="cadernos; sem nenhum, todos")
    parser.add_argument("--check", action="store_true", help="só confere, sem rodar nem escrever")
    options = parser.parse_args()
    paths = options.paths or [
        *sorted(ROOT.glob("book/*.ipynb")), *sorted(ROOT.glob("assignments/source/*/*.ipynb")),
    ]
    if options.check:
        wrong = [path.name for path in paths if not is_normal(path)]
        if wrong:
            sys.exit(f"fora do normal: {', '.join(wrong)}. Rode make notebooks.")
        return
    with ThreadPoolExecutor(2) as pool:
        for path in pool.map(refresh, paths):
            print(path.name)


if __name__ == "__main__":
    main()
