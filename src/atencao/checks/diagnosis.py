"""O diagnóstico: a busca, no catálogo, da troca que reproduz os números do aluno."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from atencao.checks.evidence import differs
from atencao.checks.exercises import EXERCISES, Exercise, Probe
from atencao.checks.faults import CATALOGUE, Fault
from atencao.checks.pipeline import Changes

Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Suspect:
    """Uma falha, ou um par, numa das formas de escrevê-la."""

    faults: tuple[Fault, ...]
    changes: Changes

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(fault.key for fault in self.faults)


def same(found: Arrays | None, expected: Arrays | None) -> bool:
    """Diz se dois resultados são o mesmo, a menos do arredondamento. None é uma conta que parou."""
    if found is None or expected is None:
        return found is expected
    return len(found) == len(expected) and all(
        a.shape == b.shape and (a.dtype == bool) == (b.dtype == bool) and not differs(a, b).any()
        for a, b in zip(found, expected, strict=True)
    )


def applicable(exercise: Exercise) -> list[Suspect]:
    """Cada falha do catálogo que cabe no exercício, em cada uma de suas formas."""
    return list(_applicable(exercise.name))


@cache
def _applicable(name: str) -> tuple[Suspect, ...]:
    exercise = EXERCISES[name]
    pipeline, probes = exercise.pipeline, exercise.probes()
    return tuple(
        Suspect((fault,), changes)
        for fault in CATALOGUE
        if (not fault.only or name in fault.only) and name not in fault.not_in
        for changes in fault.forms
        if pipeline.can_change(changes)
        and any(pipeline.answer(probe.inputs, changes) is not None for probe in probes)
    )


def pairs(exercise: Exercise) -> Iterator[Suspect]:
    """Os pares que fazem sentido: duas falhas que não trocam o mesmo passo."""
    singles = [suspect for suspect in applicable(exercise) if not suspect.faults[0].alone]
    for first, second in combinations(singles, 2):
        if first.faults != second.faults and not first.changes.keys() & second.changes.keys():
            yield Suspect((*first.faults, *second.faults), {**first.changes, **second.changes})


def suspects(
    exercise: Exercise,
    probes: Sequence[Probe],
    answers: Sequence[Arrays | None],
    overflowed: Collection[int] = (),
) -> list[Suspect]:
    """As explicações mais simples que dão os mesmos números em todas as provas.

    Nas provas de ``overflowed`` a conta do aluno estourou: basta que a explicação dê NaN.

    Vários elementos: os números não bastam para decidir entre elas. Nenhum: não está no catálogo.
    """
    if not any(answer is not None for answer in answers):
        return []
    order = sorted(range(len(probes)), key=lambda i: answers[i] is None)

    def agrees(i: int, found: Arrays | None) -> bool:
        if i in overflowed:
            return found is not None and any(np.isnan(array).any() for array in found)
        return same(answers[i], found)

    def fits(suspect: Suspect) -> bool:
        return all(
            agrees(i, exercise.pipeline.answer(probes[i].inputs, suspect.changes)) for i in order
        )

    return next(
        (
            _distinct(found)
            for found in (list(filter(fits, group())) for group in (
                lambda: applicable(exercise), lambda: pairs(exercise)
            ))
            if found
        ),
        [],
    )


def _distinct(found: list[Suspect]) -> list[Suspect]:
    return list({suspect.keys: suspect for suspect in reversed(found)}.values())[::-1]
