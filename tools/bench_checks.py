"""Mede as conferências: segundos até o veredito e a tabela de falhas × exercícios.

Para cada exercício, a resposta certa, cada falha do catálogo plantada sozinha, uns pares e uma
resposta que nada explica (a busca mais longa). O orçamento é 1 s para a certa e 3 s para a errada.

Uso: make bench, ou .venv/bin/python tools/bench_checks.py.
"""

import time
from collections.abc import Callable

import numpy as np

from atencao.checks import diagnosis
from atencao.checks.catalogue import exercises_of
from atencao.checks.check import check
from atencao.checks.exercises import EXERCISES, Exercise
from atencao.checks.faults import CATALOGUE
from atencao.checks.pipeline import RESULT, Changes
from bench import number, table

RIGHT_BUDGET, WRONG_BUDGET = 1.0, 3.0
PAIRS = 10


def planted(exercise: Exercise, changes: Changes) -> Callable:
    """A função de um aluno que só errou nisso: responde com a referência e essa troca."""

    def function(*arguments: object):
        inputs = dict(zip(exercise.pipeline.inputs, arguments, strict=True))
        with np.errstate(all="ignore"):
            found = exercise.pipeline.values(inputs, changes)[RESULT]
        return found if len(found) > 1 else found[0]

    return function


def beyond_the_catalogue(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, dtype=float) + np.arange(array.size).reshape(array.shape) ** 2


def seconds(exercise: Exercise, changes: Changes) -> float:
    start = time.perf_counter()
    check(exercise, planted(exercise, changes))
    return time.perf_counter() - start


def row(exercise: Exercise) -> list[float]:
    """Segundos: certa, pior falha, pior par (de uns sorteados), resposta sem explicação."""
    rng = np.random.default_rng(0)
    pairs = list(diagnosis.pairs(exercise))
    chosen = [pairs[i] for i in rng.permutation(len(pairs))[:PAIRS]]
    singles = diagnosis.applicable(exercise)
    return [
        seconds(exercise, {}),
        max(seconds(exercise, suspect.changes) for suspect in singles),
        max((seconds(exercise, pair.changes) for pair in chosen), default=0.0),
        seconds(exercise, {RESULT: beyond_the_catalogue}),
    ]


def print_times() -> None:
    check(EXERCISES["softmax"], planted(EXERCISES["softmax"], {}))  # aquece
    rows, worst_right, worst_wrong = [], 0.0, 0.0
    for name, exercise in EXERCISES.items():
        right, *wrong = row(exercise)
        worst_right, worst_wrong = max(worst_right, right), max(worst_wrong, *wrong)
        rows.append([name, number(right), *map(number, wrong)])
    print("\nSegundos por conferência\n")
    table(["exercício", "certa", "pior falha", "pior par", "sem explicação"], rows)
    print(
        f"\npior resposta certa: {number(worst_right / RIGHT_BUDGET)} do orçamento de "
        f"{number(RIGHT_BUDGET, 0)} s; pior errada: {number(worst_wrong / WRONG_BUDGET)} do de "
        f"{number(WRONG_BUDGET, 0)} s"
    )


def print_table() -> None:
    """Onde cada falha se aplica: um x por exercício, numerado na ordem do livro."""
    names = list(EXERCISES)
    print("\nFalhas × exercícios\n")
    for i, name in enumerate(names, 1):
        print(f"  {i:2d} {name}")
    print()
    table(
        ["falha", *(str(i) for i in range(1, len(names) + 1))],
        [
            [fault.key, *("x" if name in found else "·" for name in names)]
            for fault in CATALOGUE
            for found in [set(exercises_of(fault.key))]
        ],
    )
    planted_in = sum(len(exercises_of(fault.key)) for fault in CATALOGUE)
    print(f"\n{len(CATALOGUE)} falhas em {len(names)} exercícios: {planted_in} casos")


def main() -> None:
    print_table()
    print_times()


if __name__ == "__main__":
    main()
