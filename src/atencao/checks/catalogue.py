"""O catálogo visto de fora: cada falha com um exemplo calculado, para a página de erros comuns."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from atencao.checks.diagnosis import applicable, same
from atencao.checks.exercises import EXERCISES, Probe
from atencao.checks.faults import FAULTS, Fault
from atencao.checks.pipeline import RESULT, Changes, Pipeline


class Example(NamedTuple):
    """Os mesmos dados, a conta certa e a errada, no passo que melhor as distingue."""

    exercise: str
    step: str
    inputs: Mapping[str, object]
    right: np.ndarray
    wrong: np.ndarray


def exercises_of(key: str) -> list[str]:
    """Os exercícios em que a falha cabe, na ordem do livro."""
    return [
        name
        for name, exercise in EXERCISES.items()
        if any(suspect.faults[0].key == key for suspect in applicable(exercise))
    ]


def example(key: str) -> Example:
    """A falha em números: o primeiro exercício em que ela cabe, na primeira prova que a mostra.

    Levanta KeyError se a falha não existir.
    """
    fault = FAULTS[key]
    exercise = EXERCISES[exercises_of(key)[0]]
    forms = [s.changes for s in applicable(exercise) if s.faults[0] is fault]
    return next(
        Example(exercise.name, *_shown(exercise.pipeline, fault, changes, probe))
        for probe in exercise.probes()
        for changes in forms
        if _visible(exercise.pipeline, changes, probe)
    )


def _visible(pipeline: Pipeline, changes: Changes, probe: Probe) -> bool:
    wrong = pipeline.answer(probe.inputs, changes)
    return wrong is not None and not same(wrong, pipeline.answer(probe.inputs))


def _shown(pipeline: Pipeline, fault: Fault, changes: Changes, probe: Probe) -> tuple:
    with np.errstate(all="ignore"):
        right = pipeline.values(probe.inputs)
        wrong = pipeline.values(probe.inputs, changes)
    step = fault.show if fault.show in right else RESULT
    if step == RESULT:
        different = [
            i for i, (a, b) in enumerate(zip(right[RESULT], wrong[RESULT], strict=True))
            if not same((a,), (b,))
        ]
        i = different[0]
        return pipeline.outputs[i], probe.inputs, right[RESULT][i], wrong[RESULT][i]
    return step, probe.inputs, np.asarray(right[step]), np.asarray(wrong[step])
