"""Conferências de argumentos que ``functional`` e ``modules`` compartilham."""

import operator


def integer(value: int, name: str) -> int:
    """Devolve value como int; True e 2.0 não passam por inteiros."""
    if type(value).__name__ not in ("bool", "bool_"):
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
    return value


def divisors(total: int) -> str:
    """Os divisores de total, para sugerir um: divisors(6) → "1, 2, 3, 6"."""
    return ", ".join(str(i) for i in range(1, total + 1) if total % i == 0)
