"""Conferências de argumentos que ``functional`` e ``modules`` compartilham."""

import math
import operator
from numbers import Real

LARGEST = 2**31 - 1  # acima disso, nenhuma matriz cabe na memória


def integer(value: int, name: str) -> int:
    """Devolve value como int; True e 2.0 não passam por inteiros."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} precisa ser um inteiro; recebi {value!r} ({type(value).__name__}).")


def positive_integer(value: int, name: str, meaning: str) -> int:
    """Como ``integer``, de 1 em diante. ``meaning`` completa a frase "{name} é …"."""
    value = integer(value, name)
    if value < 1:
        raise ValueError(f"{name} é {meaning} e precisa ser ao menos 1; recebi {value}.")
    if value > LARGEST:
        raise ValueError(f"{name} é {meaning} e precisa ser no máximo {LARGEST}.")
    return value


def boolean(value: bool, name: str) -> bool:
    """Devolve value como bool; 0, None e "não" não passam por False."""
    if type(value).__name__ == "bool":  # o do Python e o do NumPy
        return bool(value)
    raise TypeError(f"{name} precisa ser True ou False; recebi {value!r}.")


def real(value: float, name: str) -> float:
    """Devolve value como float; True, texto e complexos não passam por números reais."""
    if isinstance(value, Real) and type(value).__name__ not in ("bool", "timedelta64"):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise TypeError(
        f"{name} precisa ser um número real e é {value!r}. Use float(…) se ele guarda um número."
    )


def divisors(total: int) -> str:
    """Os divisores de total, para sugerir um: divisors(6) → "1, 2, 3, 6"."""
    small = [i for i in range(1, math.isqrt(total) + 1) if total % i == 0]
    return ", ".join(map(str, sorted({*small, *(total // i for i in small)})))
