"""Os exercícios dos capítulos: o esboço não acusa ninguém, a solução passa, o erro tem nome."""

import ast
import math
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import book
from exercise_mistakes import MISTAKES

EXERCISE = re.compile(r"^### Exercício · (.+)$", re.MULTILINE)
LINE = re.compile(r"^\*(★☆☆|★★☆|★★★) · \d+ min · treina: .+\*$", re.MULTILINE)
SUMMARY = re.compile(r"<summary>(.+?)</summary>")
FOLDED = {"source_hidden": True, "outputs_hidden": True}


def call(cell):
    return cell.source.splitlines()[-1]


@dataclass
class Exercise:
    chapter: str
    title: str
    imports: str
    prose: list[str] = field(default_factory=list)
    cells: list = field(default_factory=list)

    @property
    def checked(self):
        """Tem conferência; os outros pedem uma explicação, e a resposta vem dobrada."""
        return bool(self.cells) and call(self.cells[0]).startswith("checks.")

    @property
    def stub(self):
        return self.cells[0]

    @property
    def solution(self):
        return self.cells[1]


def read_exercises(path):
    cells = book.read(path).cells
    imports = next(cell.source for cell in cells if cell.cell_type == "code")
    found = []
    for cell in cells:
        if cell.cell_type == "markdown" and "## Em resumo" in cell.source:
            break
        if cell.cell_type == "markdown" and (title := EXERCISE.search(cell.source)):
            found.append(Exercise(path.stem[:2], title[1], imports))
        if found:
            (found[-1].prose if cell.cell_type == "markdown" else found[-1].cells).append(cell)
    return found


EXERCISES = [each for path in book.CHAPTERS for each in read_exercises(path)]
CHECKED = [each for each in EXERCISES if each.checked]


def name(each):
    return f"{each.chapter} {each.title}" if isinstance(each, Exercise) else None


def shown(cell):
    return "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)


@pytest.mark.parametrize("path", book.CHAPTERS, ids=lambda path: path.stem)
def test_each_chapter_grows_from_a_line_to_a_challenge(path):
    mine = [each for each in EXERCISES if each.chapter == path.stem[:2]]
    assert 3 <= len(mine) <= 6
    stars = [LINE.search(each.prose[0].source)[1].count("★") for each in mine]
    assert stars == sorted(stars)
    assert stars[0] == 1
    assert stars[-1] == 3
    assert sum(each.checked for each in mine) >= len(mine) - 1


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_hints_and_answers_are_folded(exercise):
    folds = SUMMARY.findall("\n".join(cell.source for cell in exercise.prose))
    if exercise.checked:
        assert folds[:2] == ["Dica 1", "Dica 2"]
        assert exercise.solution.metadata["tags"] == ["hide-cell"]
        assert exercise.solution.metadata["jupyter"] == FOLDED
    else:
        assert folds == ["Dica", "Uma resposta"]


@pytest.mark.parametrize("exercise", CHECKED, ids=name)
def test_the_stub_fails_kindly_and_the_solution_passes(exercise):
    # As saídas guardadas são as que o nbval compara com as de agora.
    assert call(exercise.solution) == call(exercise.stub)
    assert shown(exercise.solution).startswith("✓")
    empty = re.search(r"^( +)?(answer = )?\.\.\.$", exercise.stub.source, re.MULTILINE)
    assert shown(exercise.stub).startswith("○" if empty else "✗")


@pytest.mark.parametrize("exercise", CHECKED, ids=name)
def test_a_typical_mistake_gets_its_name(exercise):
    mistakes = MISTAKES[exercise.chapter, exercise.title]
    assert mistakes
    dtype = torch.get_default_dtype()
    try:
        for source, expected in mistakes:
            names = {"math": math, "np": np, "torch": torch, "nn": nn, "F": F}
            exec(exercise.imports, names)
            result = run(source, names)
            assert not result
            assert expected in result.faults or expected in " ".join(result.message.split())
    finally:
        torch.set_default_dtype(dtype)


def run(source, names):
    """Roda uma célula e devolve o valor da última linha, como um caderno."""
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "<célula>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<célula>", "eval"), names)


def test_every_planted_mistake_belongs_to_an_exercise():
    assert set(MISTAKES) == {(each.chapter, each.title) for each in CHECKED}
