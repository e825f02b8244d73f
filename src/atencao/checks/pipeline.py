"""A referência de um exercício: uma fila de passos com nome, cada um uma conta curta.

Um passo é uma função cujos parâmetros são nomes de entradas ou de passos anteriores. Trocar um
passo é planejar um erro: é assim que o catálogo de falhas reproduz o que um aluno escreveu.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

Step = Callable[..., object]
Changes = Mapping[str, Step]

# Sem máscara, os logits são as pontuações escaladas; sem escala, as próprias pontuações.
STANDS_FOR = {"logits": "scaled", "scaled": "raw", "raw": "scores"}
RESULT = "result"  # o último passo de todos: o que a função devolve, sem mexer


@cache
def parameters(step: Step) -> tuple[str, ...]:
    code, defaults = step.__code__, step.__defaults__ or ()
    return code.co_varnames[: code.co_argcount - len(defaults)]


@dataclass(frozen=True)
class Pipeline:
    """inputs: nomes do que entra, na ordem em que a função do aluno recebe; outputs: o que sai."""

    inputs: tuple[str, ...]
    steps: Mapping[str, Step]
    outputs: tuple[str, ...]

    def values(self, inputs: Mapping[str, object], changes: Changes | None = None) -> dict:
        """Tudo o que se calcula pelo caminho, por nome. O resultado é a tupla em ``result``."""
        changes = changes or {}
        values = dict(inputs)
        for name, step in self.steps.items():
            values[name] = _apply(changes.get(name, step), values)
        found = tuple(np.asarray(values[name]) for name in self.outputs)
        if RESULT in changes:
            found = tuple(np.asarray(changes[RESULT](array)) for array in found)
        return values | {RESULT: found}

    def answer(
        self, inputs: Mapping[str, object], changes: Changes | None = None
    ) -> tuple[np.ndarray, ...] | None:
        """O que a função devolve; None se a conta nem chega ao fim com estas formas."""
        try:
            with np.errstate(all="ignore"):
                return self.values(inputs, changes)[RESULT]
        except (ValueError, IndexError):
            return None

    def can_change(self, changes: Changes) -> bool:
        """Diz se este exercício tem os passos trocados e os valores que os novos passos leem."""
        known = {*self.inputs, *self.steps}
        return all(
            name == RESULT
            or (
                name in self.steps
                and all(any(link in known for link in _chain(read)) for read in parameters(step))
            )
            for name, step in changes.items()
        )


def _apply(step: Step, values: dict) -> object:
    return step(*(
        next(values[link] for link in _chain(name) if link in values) for name in parameters(step)
    ))


def _chain(name: str) -> list[str]:
    chain = [name]
    while chain[-1] in STANDS_FOR:
        chain.append(STANDS_FOR[chain[-1]])
    return chain
