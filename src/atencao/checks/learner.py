"""A função do aluno: chamá-la em segurança e ler o que ela devolve, seja qual for o jeito."""

import inspect
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from atencao.checks import guard

UNFINISHED = (None, ..., NotImplemented)


def is_unfinished(value: object) -> bool:
    """Diz se é o que um esboço deixa no lugar da resposta."""
    return any(value is nothing for nothing in UNFINISHED)


class Unfinished(Exception):
    """A função ainda não devolve nada; ``nothing`` é o que ela devolveu no lugar."""

    def __init__(self, nothing: object):
        super().__init__()
        self.nothing = nothing


@dataclass(frozen=True)
class Answer:
    """Um array só (``whole``), vários (``parts``), ou os dois, se dá para ler das duas formas."""

    whole: np.ndarray | None
    parts: tuple[np.ndarray, ...]

    def like(self, expected: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """A leitura que mais se parece com o esperado: (contexto, pesos) vale por contexto."""
        if len(expected) > 1:
            if self.parts:
                return self.parts
            return tuple(self.whole) if self.whole.ndim == expected[0].ndim + 1 else (self.whole,)
        several = self.parts and (
            self.whole is None or self.parts[0].ndim >= max(expected[0].ndim, 1)
        )
        return (self.parts[0] if several else self.whole,)


@dataclass(frozen=True)
class Reply:
    """O que houve numa chamada. ``changed`` são os argumentos em que a função mexeu."""

    answer: Answer | None
    error: BaseException | None
    changed: tuple[str, ...]
    printed: str

    @property
    def unfinished(self) -> bool:
        return isinstance(self.error, (Unfinished, NotImplementedError))

    @property
    def fatal(self) -> bool:
        """Não adianta chamar outra vez."""
        return self.unfinished or isinstance(self.error, (guard.TimeUp, KeyboardInterrupt))


class Learner:
    """Chama a função com arrays; se ela só entende tensores ou listas, com eles."""

    def __init__(self, function: Callable, names: tuple[str, ...], seconds: float):
        self.function = function
        self.names = names
        self.deadline = time.monotonic() + seconds
        self.convert = _as_is

    def try_out(self, inputs: Mapping[str, object]) -> Reply:
        """A primeira chamada, que descobre o que a função sabe receber."""
        first = reply = self.call(inputs)
        kinds = [_as_lists] if "torch" not in sys.modules else [_as_tensors, _as_lists]
        for kind in kinds:
            if reply.error is None or reply.fatal:
                return reply
            self.convert = kind
            reply = self.call(inputs)
            if kind is _as_tensors and "Tensor" in guard.words(first.error):
                first = reply  # ela espera tensores: o erro que conta é o que dá com eles
                if reply.error is not None:
                    return reply
        if reply.error is None:
            return reply
        self.convert = _as_is
        return first

    def call(self, inputs: Mapping[str, object]) -> Reply:
        given = {name: self.convert(inputs[name]) for name in self.names}
        kept = {name: self.convert(inputs[name]) for name in self.names}
        outcome = guard.run(
            lambda: read(_call(self.function, given)), self.deadline - time.monotonic()
        )
        changed = tuple(name for name in self.names if not _intact(given[name], kept[name]))
        return Reply(outcome.value, outcome.error, changed, outcome.printed)


def read(value: object) -> Answer:
    """Lê o que a função devolveu: número, lista, array, tensor, ou uma tupla deles."""
    if is_unfinished(value):
        raise Unfinished(value)
    if not isinstance(value, (tuple, list)):
        return Answer(_array(value), ())
    if any(is_unfinished(part) for part in value):
        raise Unfinished(...)
    parts = [_part(part) for part in value]
    same = len({part.shape for part in parts}) == 1 if parts else False
    whole = np.stack(parts) if same else None
    if isinstance(value, list) and same:
        return Answer(whole, ())
    if not parts:
        raise TypeError("ela devolveu uma sequência vazia")
    return Answer(whole, tuple(parts))


def _part(value: object) -> np.ndarray:
    answer = read(value)
    if answer.whole is None:
        raise TypeError("as linhas do que ela devolveu têm comprimentos diferentes")
    return answer.whole


def _array(value: object) -> np.ndarray:
    if type(value).__module__.partition(".")[0] == "torch":
        value = value.detach().cpu()
        value = (value.float() if value.dtype.itemsize < 4 and value.is_floating_point() else value)
        value = value.numpy()
    if isinstance(value, (str, bytes, dict, set)) or callable(value):
        raise TypeError(f"ela devolveu {_kind(value)}; o exercício pede números")
    array = np.array(value, subok=False)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"ela devolveu {_kind(value)} de tipo {array.dtype}; o exercício pede "
                        "números reais")
    return array


def _kind(value: object) -> str:
    names = {"str": "um texto", "dict": "um dicionário", "set": "um conjunto",
             "ndarray": "um array", "function": "uma função"}
    return names.get(type(value).__name__, f"um objeto {type(value).__name__}")


def _call(function: Callable, given: Mapping[str, object]) -> object:
    """Posicionais na ordem do exercício; o que a função só aceita por nome vai por nome."""
    values = list(given.values())
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(*values)
    kinds = [p.kind for p in parameters]
    by_place = sum(kind in (inspect.Parameter.POSITIONAL_ONLY,
                            inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
    if inspect.Parameter.VAR_POSITIONAL in kinds or by_place >= len(values):
        return function(*values)
    first, rest = values[:by_place], dict(list(given.items())[by_place:])
    by_name = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    if rest.keys() <= {p.name for p in by_name}:
        return function(*first, **rest)
    required = [p.name for p in by_name if p.default is inspect.Parameter.empty]
    if len(required) == len(rest):
        return function(*first, **dict(zip(required, rest.values(), strict=True)))
    return function(*values)


def _as_is(value: object) -> object:
    return value.copy() if isinstance(value, np.ndarray) else value


def _as_lists(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _as_tensors(value: object) -> object:
    if not isinstance(value, np.ndarray):
        return value
    torch = sys.modules["torch"]
    kind = torch.float32 if value.dtype.kind == "f" else None
    return torch.tensor(value, dtype=kind)


def _intact(given: object, kept: object) -> bool:
    """Só olha o que se pode mexer: o resto (números, camadas) é igual a si mesmo."""
    if isinstance(kept, np.ndarray):
        return given.shape == kept.shape and given.tobytes() == kept.tobytes()
    if isinstance(kept, list):
        return repr(given) == repr(kept)
    if hasattr(kept, "detach"):
        return given.shape == kept.shape and bool((given.detach() == kept).all())
    return True
