"""A tarefa, lida do caderno-fonte: o que é dado, o que é do aluno, o que vale pontos.

O formato é o do nbgrader. A célula de teste é a única verdade: aqui ela roda com os nomes do aluno
trocados por substitutos, e lá, no núcleo dele; os pontos saem iguais.
"""

import ast
import hashlib
import json
import re
import symtable
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

GIVEN, SOLUTION, TEST, MANUAL, PROSE = "dado", "solução", "teste", "à mão", "texto"
_HEADING = re.compile(r"^#{1,4}\s+(\S.*)", re.MULTILINE)
_WORTH = re.compile(r"[\d,]+ pontos?\b[^)]*\)")
_HIDDEN, _SOLVED = (
    re.compile(rf"^[ \t]*#{{3}} BEGIN {what}.*?^[ \t]*#{{3}} END {what}[^\n]*\n?", re.M | re.S)
    for what in ("HIDDEN TESTS", "SOLUTION")
)
# O que o aluno encontra no lugar de uma solução: o de assignments/nbgrader_config.py e o do
# próprio nbgrader.
_STUBS = {
    "", "...", "# escreva aqui", "Escreva aqui a sua resposta.",
    "# YOUR CODE HERE", "raise NotImplementedError()", "YOUR ANSWER HERE",
}

NOTHING = ast.Module(body=[], type_ignores=[])


class AssignmentError(Exception):
    """A tarefa não está como o formato pede; a mensagem diz onde."""


@dataclass(frozen=True)
class SourceCell:
    role: str
    grade_id: str
    source: str
    is_code: bool
    points: float

    @cached_property
    def visible(self) -> str:
        """O que o aluno recebeu, nas células que ele não devia mudar."""
        return _HIDDEN.sub("", self.source) if self.role == TEST else self.source

    def is_blank(self, answer: str) -> bool:
        """Se o aluno deixou a célula como a recebeu: o esboço, e o que a fonte deu junto."""
        given, marked = _SOLVED.subn("", self.source)
        known = _STUBS | {line.strip() for line in given.splitlines() if marked}
        return all(line.strip() in known for line in answer.splitlines())


@dataclass(frozen=True)
class Question:
    """``names`` são os nomes do aluno que o teste usa; ``needs``, os de outras questões que a
    solução usa; ``answer``, a célula de resposta logo acima do teste."""

    cell: SourceCell
    title: str
    answer: SourceCell | None = None
    names: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.cell.grade_id

    @property
    def points(self) -> float:
        return self.cell.points

    @property
    def manual(self) -> bool:
        return self.cell.role == MANUAL


@dataclass(frozen=True)
class Assignment:
    """Uma tarefa. Levanta AssignmentError ao ser lida se algo a tornaria injusta ou enganosa."""

    name: str
    text: str

    @classmethod
    def load(cls, path: Path) -> "Assignment":
        assignment = cls(path.stem, path.read_text(encoding="utf-8"))
        assignment.check_format()
        return assignment

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def cells(self) -> tuple[SourceCell, ...]:
        try:
            cells = json.loads(self.text)["cells"]
        except (ValueError, KeyError, TypeError):
            raise AssignmentError(f"{self.name}: não consegui ler o caderno-fonte.") from None
        return tuple(_source_cell(cell) for cell in cells)

    @cached_property
    def title(self) -> str:
        """O título do caderno, como o aluno o lê."""
        headings = (heading(cell.source) for cell in self.cells if not cell.is_code)
        return next(filter(None, headings), self.name)

    @cached_property
    def by_id(self) -> dict[str, SourceCell]:
        return {cell.grade_id: cell for cell in self.cells if cell.grade_id}

    @cached_property
    def student_names(self) -> frozenset[str]:
        return frozenset(
            name for cell in self.cells if cell.role == SOLUTION for name in bound(cell.source)
        )

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        found, title, group, tested = [], self.name, [], False
        for cell in self.cells:
            if not cell.is_code:
                title = heading(cell.source) or title
            if cell.role == SOLUTION:
                group, tested = ([] if tested else group) + [cell], False
            elif cell.role == TEST:
                own = {name for c in group for name in bound(c.source)}
                used = {name for c in group for name in loaded(c.source)}
                found.append(Question(
                    cell, title, group[-1] if group else None,
                    tuple(sorted(loaded(cell.source) & self.student_names)),
                    tuple(sorted((used & self.student_names) - own)),
                ))
                tested = True
            elif cell.role == MANUAL:
                found.append(Question(cell, title))
        return tuple(found)

    @property
    def total(self) -> float:
        return sum(question.points for question in self.questions)

    @property
    def imports(self) -> tuple[str, ...]:
        """O que carregar antes de o relógio do aluno andar."""
        roots = {
            name.split(".")[0] for cell in self.cells if cell.is_code
            for node in ast.walk(syntax(cell.source))
            for name in _imported(node)
        }
        wanted = {"numpy", *(roots & {"torch", "matplotlib", "atencao"})}
        if "torch.optim" in self.text:
            wanted.add("torch._dynamo")  # o primeiro otimizador o carrega, e leva segundos
        return tuple(sorted(wanted))

    def check_format(self) -> None:
        ids = [cell.grade_id for cell in self.cells if cell.grade_id]
        repeated = sorted({grade_id for grade_id in ids if ids.count(grade_id) > 1})
        if repeated:
            raise AssignmentError(f"{self.name}: grade_id repetido: {', '.join(repeated)}.")
        if not self.questions:
            raise AssignmentError(f"{self.name}: nenhuma célula vale pontos.")
        for question in self.questions:
            if not question.manual and not question.names:
                raise AssignmentError(
                    f"{self.name}: o teste {question.id} não usa nenhum nome ligado em célula de "
                    "solução; então daria os mesmos pontos a todos."
                )
        for cell in self.cells:
            if cell.role != GIVEN or not cell.is_code:
                continue
            borrowed = globals_of_functions(cell.source) & self.student_names
            if borrowed:
                raise AssignmentError(
                    f"{self.name}: uma função do preparo {cell.grade_id} usa "
                    f"{', '.join(sorted(borrowed))}, que é do aluno. Receba-o como argumento: do "
                    "lado de quem corrige, o nome global é o da solução."
                )


def find(name: str, folder: Path = Path()) -> Path:
    """O caderno-fonte de uma tarefa, pelo nome ou pelo caminho."""
    given = Path(name)
    places = [
        given, given / f"{given.name}.ipynb",
        *(folder / base / name / f"{name}.ipynb" for base in ("assignments/source", "source")),
    ]
    for place in places:
        if place.suffix == ".ipynb" and place.is_file():
            return place
    known = sorted({p.stem for base in ("assignments/source", "source")
                    for p in (folder / base).glob("*/*.ipynb")})
    listed = f" As que achei: {', '.join(known)}." if known else ""
    raise AssignmentError(
        f"não achei a tarefa {name!r}. Rode na pasta do curso, ou dê o caminho do caderno-fonte."
        + listed
    )


def heading(source: str) -> str:
    """O primeiro título de um texto, sem os pontos que a questão vale; "" se não há."""
    found = _HEADING.search(source)
    title = found[1].rstrip().rstrip("#").rstrip() if found else ""
    before, _, worth = title.rpartition("(")
    return before.rstrip() if before and _WORTH.fullmatch(worth) else title


def short(title: str) -> str:
    """ "Questão 2a: a linha com defeito" → "Questão 2a"."""
    return title.partition(":")[0]


def syntax(source: str) -> ast.Module:
    """A árvore de um código; ``NOTHING`` se ele não compila."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return NOTHING


def bound(source: str) -> set[str]:
    """Os nomes que uma célula liga no nível de cima. Imports não contam."""
    return set(_bound(syntax(source).body))


def _bound(statements: Iterable[ast.stmt]) -> Iterable[str]:
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.withitem):
                yield from (
                    leaf.id for leaf in ast.walk(child)
                    if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, ast.Store)
                )
        for block in ("body", "orelse", "finalbody"):
            yield from _bound(getattr(node, block, ()))
        for handler in getattr(node, "handlers", ()):
            yield from _bound(handler.body)


def loaded(source: str) -> set[str]:
    """Os nomes que uma célula lê, também de dentro de suas funções."""
    return {
        node.id for node in ast.walk(syntax(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def globals_of_functions(source: str) -> set[str]:
    """Os nomes que as funções e classes de uma célula procuram fora delas."""
    tables = list(symtable.symtable(source, "preparo", "exec").get_children())
    for table in tables:
        tables += table.get_children()
    return {
        symbol.get_name() for table in tables for symbol in table.get_symbols()
        if symbol.is_global()
    }


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def _source_cell(cell: dict) -> SourceCell:
    about = cell.get("metadata", {}).get("nbgrader") or {}
    is_code = cell["cell_type"] == "code"
    grade, solution = about.get("grade") is True, about.get("solution") is True
    if (grade and solution) or about.get("task") is True:
        role = MANUAL
    elif grade and is_code:
        role = TEST
    elif solution and is_code:
        role = SOLUTION
    else:
        role = GIVEN if is_code else PROSE
    return SourceCell(
        role, str(about.get("grade_id") or ""), "".join(cell["source"]), is_code,
        float(about.get("points") or 0),
    )
