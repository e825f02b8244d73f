"""As perguntas de palpite: ler a resposta, seja qual for o jeito de escrevê-la, e comentá-la."""

import math
import operator
import re
from difflib import get_close_matches

import numpy as np

from atencao.checks import guard
from atencao.checks.learner import is_unfinished
from atencao.checks.questions import QUESTIONS, Question
from atencao.checks.result import MISTAKE, RIGHT, TODO, Note, Result


def number(key: str, answer: object) -> Result:
    """Confere um palpite de número. ``answer`` pode ser 0.42, "0,42", "42%", um array de um só…

    Levanta KeyError se a pergunta não existir.
    """
    wanted = f"um número, como 0.42 ou \"0,42\". {comma(answer)}"
    return _ask(key, answer, _read_number, wanted.strip())


def shape(key: str, answer: object) -> Result:
    """Confere um palpite de forma. ``answer`` pode ser (4, 3), [4, 3], "4 × 3", um torch.Size…

    Levanta KeyError se a pergunta não existir.
    """
    return _ask(key, answer, _read_shape, "uma forma, como (4, 3).")


def read_number(answer: object) -> float | None:
    """O número de uma resposta, escrito de qualquer desses jeitos; None, se não há um."""
    try:
        value = _read_number(answer)
    except Exception:
        return None
    return value if math.isfinite(value) else None


def comma(answer: object) -> str:
    """O que dizer a quem escreveu 0,7 e passou, sem querer, dois números; a outros, nada."""
    if type(answer) is tuple and len(answer) == 2 and read_number(answer[1]) is not None:
        return "No Python, a vírgula separa dois números; a casa decimal vem depois de um ponto."
    return ""


def _ask(key: str, answer: object, read, wanted: str) -> Result:
    question = _question(key)
    if is_unfinished(answer):
        return Result(key, TODO, 0.0, question.asks)
    outcome = guard.run(lambda: read(answer), guard.SECONDS)
    if outcome.value is None:
        note = Note("O que você fez", f"A resposta precisa ser {wanted}")
        return Result(key, MISTAKE, 0.0, question.asks, (note,), (question.look,), ("unreadable",))
    with guard.pristine():
        return _comment(question, outcome.value)


def _question(key: str) -> Question:
    try:
        return QUESTIONS[key]
    except KeyError:
        near = get_close_matches(str(key), QUESTIONS, n=1)
        hint = f" Seria {near[0]!r}?" if near else ""
        raise KeyError(f"não há pergunta {key!r}.{hint}") from None


def _comment(question: Question, given: float | tuple) -> Result:
    right = question.answer()
    if _near(given, right, question.tolerance):
        return Result(question.key, RIGHT, 1.0, f"{_written(right, question.tolerance)}: é isso.")
    for i, slip in enumerate(question.slips):
        if _near(given, slip.value(), question.tolerance):
            return _missed(question, slip.did, f"slip_{i + 1}")
    return _missed(question, _direction(given, right, question.tolerance), "unknown")


def _missed(question: Question, did: str, key: str) -> Result:
    return Result(
        question.key, MISTAKE, 0.0, question.asks, (Note("O que você fez", did),),
        (question.look,), (key,), ((key,),),
    )


def _near(given: float | tuple, value: object, tolerance: float) -> bool:
    if isinstance(value, tuple) or isinstance(given, tuple):
        return given == value
    return abs(given - float(value)) <= tolerance * (1 + 1e-9)


def _direction(given: float | tuple, right: object, tolerance: float) -> str:
    if isinstance(given, tuple):
        if len(given) != len(right):
            return f"Sua forma tem {len(given)} eixos, e a certa tem {len(right)}."
        if sorted(given) == sorted(right):
            return "Os tamanhos são esses; a ordem é outra."
        good = [str(i) for i, (a, b) in enumerate(zip(given, right, strict=True)) if a == b]
        return f"Já está certo o eixo {', '.join(good)}." if good else "Nenhum dos eixos bate."
    if np.isnan(given):
        return "NaN não é um palpite: é uma conta que não deu número."
    return f"{_written(given, tolerance)} é {'mais' if given > right else 'menos'} do que o certo."


def _written(value: object, tolerance: float) -> str:
    """Com uma casa a mais que a folga; inteiros, por extenso."""
    if isinstance(value, tuple):
        return str(tuple(map(int, value)))
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value)).replace("-", "−")
    digits = max(1, math.ceil(-math.log10(tolerance)) + 1) if tolerance else 6
    return f"{value:.{digits}f}".rstrip("0").rstrip(".,").replace(".", ",").replace("-", "−")


# Possessivo: num texto comprido que não é número, não volta atrás.
_NUMBER = re.compile(r"([-−+]?(?:\d++(?:[.,]\d++)?|[.,]\d++)(?:[eE][-+]?\d++)?)\s*+(%?)")


def _read_number(answer: object) -> float:
    if isinstance(answer, str):
        found = _NUMBER.fullmatch(answer.strip())
        value = float(found[1].replace(",", ".").replace("−", "-"))
        return value / 100 if found[2] else value
    if isinstance(answer, (bool, np.bool_)):
        raise TypeError
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu().numpy()
    array = np.array(answer, dtype=float, subok=False)
    return float(array.reshape(()) if array.size == 1 else array)


def _read_shape(answer: object) -> tuple[int, ...]:
    if isinstance(answer, str):
        if not re.fullmatch(r"[\s()\[\],;x×·\d]*\d[\s()\[\],;x×·\d]*", answer):
            raise ValueError
        return tuple(int(size) for size in re.findall(r"\d+", answer))
    if isinstance(answer, (int, np.integer)) and not isinstance(answer, bool):
        return (int(answer),)
    return tuple(operator.index(size) for size in answer)
