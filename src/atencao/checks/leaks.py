"""O teste de vazamento como conferência: muda o que vem depois e vê se o que já saiu se mexe."""

import copy
from collections.abc import Callable, Iterator

import numpy as np

from atencao.checks import behaviour, guard, torch_modules
from atencao.checks.evidence import differs, number
from atencao.checks.exercises import Section
from atencao.checks.learner import Answer, Unfinished, is_unfinished, read
from atencao.checks.result import MISTAKE, RIGHT, Note, Result, todo

NAME = "leak_free"
LOOK = (Section("07-causal", "O teste de vazamento"),)
SHOCK = 3.0


class _Stopped(Exception):
    """A função não respondeu; ``reason`` é a exceção dela."""

    def __init__(self, reason: BaseException):
        super().__init__()
        self.reason = reason


def leak_free(attend: Callable, x: object, *, seconds: float = guard.SECONDS) -> Result:
    """Confere que nenhum token vê os que vêm depois dele.

    ``attend(x)`` recebe x, (n, d) ou (B, n, d), array ou tensor, e devolve uma linha por token.
    Serve para qualquer função ou módulo, sem olhar por dentro.
    """
    if is_unfinished(attend):
        return todo(NAME)
    if torch_modules.is_module(attend):
        attend = copy.deepcopy(attend).eval()
    try:
        return _verdict(list(_outputs(attend, x, seconds)))
    except _Stopped as stopped:
        if isinstance(stopped.reason, (Unfinished, NotImplementedError)):
            return todo(NAME)
        lines = behaviour.explain(stopped.reason, attend, {})
        return _mistake("raises", "A função parou com um erro.", " ".join(filter(None, lines)))


def _outputs(attend: Callable, x: object, seconds: float) -> Iterator[tuple[int, np.ndarray]]:
    """(p, o que sai quando mudam os tokens de p em diante); p = n é a entrada como veio."""
    n = x.shape[-2]
    for position in (n, *range(1, n)):
        changed = x.copy() if isinstance(x, np.ndarray) else x.clone()
        if position < n:
            # O choque varia entre as colunas: igual em todas, uma normalização o apagaria.
            changed[..., position:, ::2] += SHOCK
        outcome = guard.run(lambda changed=changed: _rows(read(attend(changed))), seconds)
        if outcome.error is not None:
            raise _Stopped(outcome.error)
        yield position, outcome.value


def _rows(answer: Answer) -> np.ndarray:
    return answer.parts[0] if answer.whole is None else answer.whole


def _verdict(outputs: list[tuple[int, np.ndarray]]) -> Result:
    (n, calm), *shaken = outputs
    if calm.ndim < 2 or calm.shape[-2] != n:
        return _mistake(
            "wrong_shape", "Falta uma linha por token.",
            f"A saída tem forma {calm.shape}, e a frase, {n} tokens.",
        )
    if not any(differs(moved, calm).any() for _, moved in shaken):
        return _mistake(
            "blind", "A saída não depende da entrada.",
            "Mudei a frase e nada se mexeu: assim não há o que vazar, nem o que aprender.",
        )
    for position, moved in reversed(shaken):
        rows = differs(moved, calm)[..., :position, :].any(axis=-1)
        if rows.any():
            row = int(np.argwhere(rows)[0][-1])
            size = np.nanmax(abs(moved - calm)[..., row, :])
            later = (
                "Mudei só o último token" if position == n - 1
                else f"Mudei os tokens de {position} em diante"
            )
            return _mistake(
                "leaks", "O futuro está vazando.",
                f"{later}, e a saída do token {row}, que vem antes, mudou {number(size)}.",
            )
    return Result(NAME, RIGHT, 1.0, f"Nada vazou: mudei o futuro {n - 1} vezes, e o que já tinha "
                                    "saído não se mexeu.")


def _mistake(key: str, title: str, proof: str) -> Result:
    notes = (Note("O que mostra isso", proof),)
    return Result(NAME, MISTAKE, 0.0, title, notes, LOOK, (key,), ((key,),))
