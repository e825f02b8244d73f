"""O livro como dados para os testes: cadernos, páginas, prosa, saídas e números."""

import ast
import re
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
STUDENT = sorted(BOOK.glob("tarefas/*.ipynb"))  # as versões do aluno, que o nbgrader gera
ASSIGNMENTS = sorted(ROOT.glob("assignments/source/*/*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.stem[:2].isdigit()]
PAGES = sorted(BOOK.glob("*.md"))

DECIMAL = re.compile(r"(?<![\w.,/:])[−-]?\d+[.,]\d+(?![\w.,]*\d)(?:\s?%|\spontos?\b)?")
NUMBER = re.compile(r"(?<![\w.])[−+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?")


def read(path):
    return nbformat.read(path, as_version=4)


def toc_files():
    """Os arquivos que o sumário cita, sem extensão, na ordem em que aparecem."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [c for part in toc.get("parts", [toc]) for c in part.get("chapters", [])]
    return [toc["root"], *(chapter["file"] for chapter in chapters)]


def markdown_text(cell_or_text):
    """A prosa como se lê: sem código, sem endereços de links, sem comandos de LaTeX."""
    text = cell_or_text if isinstance(cell_or_text, str) else cell_or_text.source
    text = re.sub(r"```.*?```|~~~.*?~~~", " ", text, flags=re.S)
    text = re.sub(r"`[^`]*`", " ", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"https?://\S+", " ", text)
    text = re.sub(r"\b(Python|[Ss]eção|[Ss]eções|[Vv]ersão) \d+\.\d+", " ", text)
    return text.replace("{,}", ",").replace(r"\,", " ").replace(r"\%", "%")


def page_text(path):
    return markdown_text(path.read_text(encoding="utf-8"))


def prose(notebook):
    return "\n".join(markdown_text(c) for c in notebook.cells if c.cell_type == "markdown")


def outputs_text(notebook):
    """O que as células imprimem e o que os asserts afirmam: a evidência dos números da prosa."""
    parts = []
    for cell in (c for c in notebook.cells if c.cell_type == "code"):
        parts += claims(cell.source)
        for output in cell.outputs:
            parts.append(output.get("text", ""))
            parts.append(output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


def claims(source):
    """O que os asserts de uma célula afirmam, sem comentários nem mensagens: esses não provam."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            yield ast.unparse(node.test)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np.testing."):
            yield ast.unparse(node)


def decimals(text):
    """Os números decimais de um texto, como (escrito, valor, casas, é porcentagem)."""
    found = []
    for match in DECIMAL.finditer(text):
        written = match.group()
        digits = re.match(r"[−-]?[\d.,]+", written).group().replace("−", "-").replace(",", ".")
        percent = not written[-1].isdigit()
        found.append((written, float(digits), len(digits.split(".")[1]), percent))
    return found


def numbers(text):
    """Todos os números de um texto, com ponto ou vírgula decimal."""
    return {float(m.group().replace("−", "-").replace(",", ".")) for m in NUMBER.finditer(text)}


def is_computed(value, places, percent, evidence):
    """Verdadeiro se algum número da evidência, arredondado como na prosa, é o da prosa."""
    tolerance = 0.5 * 10**-places * (1 + 1e-9)
    candidates = evidence if not percent else evidence | {100 * e for e in evidence}
    return any(abs(abs(e) - abs(value)) <= tolerance for e in candidates)
