"""Estraga a solução de cada exercício, um operador, eixo ou constante por vez: toda é recusada."""

import ast
import copy
from collections.abc import Iterator

import pytest

from check_answers import SOLUTIONS, check, compiled

SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.GtE: ast.Gt, ast.Gt: ast.GtE,
}
CALLS = {
    "max": "min", "min": "max", "exp": "cos", "sum": "max", "mean": "sum", "sqrt": "square",
    "sin": "cos", "cos": "sin", "where": "maximum", "maximum": "minimum", "tri": "ones",
    "zeros": "ones", "swapaxes": "reshape", "concatenate": "stack", "nan_to_num": "abs",
    "triu_indices": "tril_indices", "append": "extend", "arange": "ones", "reshape": "transpose",
}
OVERWRITTEN = "todas as posições são preenchidas depois"
ANY_NEGATIVE = "para o reshape do NumPy, qualquer tamanho negativo é o que faltar"
# O que muda a escrita e não a conta: (exercício, o pedaço do código como ficou) → por quê.
EQUIVALENT = {
    ("sinusoidal_positions", "np.ones((n, d))"): OVERWRITTEN,
    ("causal_mask", "np.ones((n, n), dtype=bool)"): OVERWRITTEN,
    ("split_heads", "num_heads, -2)"): ANY_NEGATIVE,
    ("split_heads", "num_heads, -4)"): ANY_NEGATIVE,
    ("merge_heads", "shape[1], -2)"): ANY_NEGATIVE,
    ("merge_heads", "shape[1], -4)"): ANY_NEGATIVE,
    ("multi_head_attention", "num_heads, -2)"): ANY_NEGATIVE,
    ("multi_head_attention", "num_heads, -4)"): ANY_NEGATIVE,
    ("multi_head_attention", "len(x), -2)"): ANY_NEGATIVE,
    ("multi_head_attention", "len(x), -4)"): ANY_NEGATIVE,
    ("layer_norm", "(mean - x) ** 2"): "o quadrado esquece o sinal",
}


def mutants(code: str) -> Iterator[tuple[str, ast.Module]]:
    """Cada árvore com uma mudança só, e o que mudou."""
    original = ast.parse(code)
    for i, _ in enumerate(ast.walk(original.body[-1])):  # o softmax tem seus próprios exercícios
        for change in range(4):
            tree = copy.deepcopy(original)
            node = list(ast.walk(tree.body[-1]))[i]
            if _change(node, change):
                ast.fix_missing_locations(tree)
                line = getattr(node, "lineno", 0)
                yield f"linha {line}: {ast.unparse(node)}", tree


def _change(node: ast.AST, change: int) -> bool:
    if change == 0:
        for field in ("op", "ops"):
            operator = getattr(node, field, None)
            first = operator[0] if isinstance(operator, list) else operator
            if type(first) in SWAPS:
                swapped = SWAPS[type(first)]()
                setattr(node, field, [swapped] if isinstance(operator, list) else swapped)
                return True
        if isinstance(node, ast.Attribute) and node.attr in CALLS:
            node.attr = CALLS[node.attr]
            return True
        if isinstance(node, ast.Attribute) and node.attr == "T":
            node.attr = "real"
            return True
    if isinstance(node, ast.Constant) and not isinstance(node.value, (str, type(None))):
        return _change_constant(node, change)
    if change == 1 and isinstance(node, ast.BinOp):  # troca os lados
        node.left, node.right = node.right, node.left
        return not isinstance(node.op, (ast.Add, ast.Mult, ast.BitAnd))
    if change == 2 and isinstance(node, ast.BinOp):  # esquece o lado direito
        node.right = copy.deepcopy(node.left)
        return not isinstance(node.op, ast.BitAnd)
    return False


def _change_constant(node: ast.Constant, change: int) -> bool:
    value = node.value
    if isinstance(value, bool):
        node.value = not value
        return change == 1
    options = {1: value + 1 if value >= 1 or value == 0 else value * 100, 2: value * 2 + 2, 3: 0}
    if change not in options or options[change] == value:
        return False
    node.value = options[change]
    return True


MUTANTS = [
    pytest.param(name, label, tree, id=f"{name}-{i}")
    for name, code in SOLUTIONS.items()
    for i, (label, tree) in enumerate(mutants(code))
]


@pytest.mark.parametrize(("name", "label", "tree"), MUTANTS)
def test_every_mutant_is_refused(name, label, tree):
    code = ast.unparse(tree)
    equivalent = any(name == where and text in code for where, text in EQUIVALENT)
    result = check(name, compiled(tree))
    assert bool(result) == equivalent, f"{label}\n{code}"


def test_there_are_many_mutants():
    names = [mutant.values[0] for mutant in MUTANTS]
    assert len(MUTANTS) - len(EQUIVALENT) >= 390
    assert set(names) == set(SOLUTIONS)
