"""O que mostra o erro nos números do próprio aluno: frases curtas, com vírgula decimal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """Uma prova em que a resposta difere: o que entrou, o que saiu, o que se esperava.

    ``values`` são os passos da conta errada que dá os mesmos números que a do aluno.
    """

    inputs: Mapping[str, object]
    answer: tuple[np.ndarray, ...]
    expected: tuple[np.ndarray, ...]
    values: Mapping[str, object]


Evidence = Callable[[Case], str]


def number(value: object) -> str:
    """Três algarismos depois da vírgula, sem zeros que nada dizem: 0,5; −1,25; 3."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    value = float(value)
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    short = f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.2e}"
    if float(short) == 0:
        short = "0" if abs(value) < 1e-12 else f"{value:.0e}"
    return short.replace(".", ",").replace("-", "−")


def numbers(values: np.ndarray, most: int = 6) -> str:
    values = np.ravel(values)
    shown = "; ".join(number(value) for value in values[:most])
    return shown + ("; …" if len(values) > most else "")


def place(index: tuple[int, ...]) -> str:
    """(2,) → "posição 2"; (1, 0) → "linha 1, coluna 0"; mais eixos → "posição [0, 1, 0]"."""
    index = tuple(int(i) for i in index)
    if len(index) == 2:
        return f"linha {index[0]}, coluna {index[1]}"
    if len(index) == 1:
        return f"posição {index[0]}"
    return f"posição {list(index)}"


def shape(array: np.ndarray) -> str:
    return str(tuple(array.shape)) if array.ndim else "um número só"


def differs(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Onde dois arrays da mesma forma diferem mais do que o arredondamento explica."""
    if found.dtype == bool or expected.dtype == bool:
        return found != expected
    loose = 1e-3 if found.dtype.itemsize < 8 and found.dtype.kind == "f" else 1e-5
    found, expected = found.astype(float), expected.astype(float)
    with np.errstate(invalid="ignore", over="ignore"):
        near = abs(found - expected) <= loose * (1 + abs(expected))
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return ~(near | same)


def first_difference(case: Case) -> str:
    """A primeira forma, ou o primeiro elemento, que não bate."""
    if len(case.answer) != len(case.expected):
        came = len(case.answer)
        verb = "Veio 1 resultado" if came == 1 else f"Vieram {came} resultados"
        return f"{verb}; o exercício pede {len(case.expected)}."
    for i, (found, expected) in enumerate(zip(case.answer, case.expected, strict=True)):
        which = f" do {i + 1}º resultado" if len(case.expected) > 1 else ""
        if found.shape != expected.shape:
            return f"A forma{which} saiu {shape(found)}; o exercício pede {shape(expected)}."
        if (found.dtype == bool) != (expected.dtype == bool):
            return f"O tipo{which} saiu {found.dtype}; o exercício pede {expected.dtype}."
        wrong = np.argwhere(differs(found, expected))
        if len(wrong):
            index = tuple(wrong[0])
            where = f"Na {place(index)}{which}, você" if index else "Você"
            return f"{where} obteve {number(found[index])}; era para ser {number(expected[index])}."
    return ""


def row_sums(case: Case) -> str:
    """Quanto somam as linhas dos pesos que o aluno usou."""
    weights = case.values.get("weights")
    if weights is None:
        return first_difference(case)
    sums = np.asarray(weights, dtype=float).sum(axis=-1)
    if np.isfinite(sums).all() and abs(sums - 1).max() < 1e-6:
        return first_difference(case)
    return f"Some cada linha dos seus pesos: {numbers(sums, 4)}. Pesos de atenção somam 1."


def column_sums(case: Case) -> str:
    weights = case.values.get("weights")
    if weights is None or np.ndim(weights) < 2:
        return first_difference(case)
    rows, columns = weights.sum(axis=-1), weights.sum(axis=-2)
    return (
        f"Nos seus pesos, as colunas somam {numbers(columns, 3)}; as linhas, {numbers(rows, 3)}. "
        "Quem reparte a atenção é a linha, a de quem consulta."
    )


def future_weight(case: Case) -> str:
    """Quanto peso foi para quem a máscara proíbe."""
    weights, mask = case.values.get("weights"), case.values.get("mask")
    if weights is None or mask is None:
        return first_difference(case)
    hidden = np.where(np.broadcast_to(mask, weights.shape), 0, weights)
    row = np.unravel_index(np.nanargmax(hidden.sum(axis=-1)), hidden.shape[:-1])
    stolen = hidden[row].sum()
    if not stolen > 1e-6:
        return first_difference(case)
    where = f"Na linha {row[0]}" if len(row) == 1 else f"Na frase {row[0]}, linha {row[1]}"
    return f"{where} dos seus pesos, {number(stolen)} foi para tokens que a máscara esconde."


def nan_rows(case: Case) -> str:
    if not case.answer:
        return "Numa das provas, de números grandes, sua conta estourou."
    lost = np.isnan(case.answer[0]).reshape(-1, case.answer[0].shape[-1]).any(axis=-1).sum()
    return f"Há NaN em {lost} {'linha' if lost == 1 else 'linhas'} da sua resposta." if lost else (
        first_difference(case)
    )


def spread(case: Case) -> str:
    """O peso que mais mudou, ao lado do que devia sair."""
    weights, right = case.values.get("weights"), case.values.get("right_weights")
    if weights is None or np.shape(weights) != np.shape(right) or not np.isfinite(weights).all():
        return first_difference(case)
    index = np.unravel_index(np.argmax(abs(weights - right)), np.shape(right))
    ours, theirs = number(right[index]), number(weights[index])
    if ours == theirs:
        return first_difference(case)
    return f"Na {place(index)} dos seus pesos saiu {theirs}; com a conta certa, sairia {ours}."


def symmetry(case: Case) -> str:
    """Pontuações que são as mesmas nos dois sentidos."""
    scores = case.values.get("scores")
    if scores is None or scores.shape[-1] != scores.shape[-2]:
        return first_difference(case)
    there, back = (number(scores[(*(0,) * (scores.ndim - 2), *pair)]) for pair in ((0, 1), (1, 0)))
    return f"Suas pontuações de 0 para 1 e de 1 para 0 são iguais: {there} e {back}."
