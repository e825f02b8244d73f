"""O que se vê sem olhar os números do catálogo: como a função se porta e que propriedade quebra."""

import itertools
import linecache
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from atencao.checks import guard
from atencao.checks.diagnosis import Arrays, same
from atencao.checks.evidence import Case, differs, first_difference, number, numbers, shape
from atencao.checks.exercises import Exercise, Probe
from atencao.checks.learner import Learner

Property = Callable[[Case], str]


# ── Exceções ────────────────────────────────────────────────────────────────────────────────────


def explain(error: BaseException, function: Callable, inputs: Mapping[str, object]) -> list[str]:
    """A exceção em frases: o que ela diz, em que linha da função e com que formas."""
    if isinstance(error, guard.TimeUp):
        what = "Sua função não terminou no tempo combinado. Há um laço que não para?"
    elif isinstance(error, RecursionError):
        what = "Sua função chama a si mesma sem parar (RecursionError)."
    elif isinstance(error, MemoryError):
        what = "Sua função pediu mais memória do que a conferência dá (MemoryError)."
    elif isinstance(error, SystemExit):
        what = "Sua função tentou encerrar o Python. Para terminar uma função, basta devolver."
    elif isinstance(error, KeyboardInterrupt):
        what = "A conferência foi interrompida (KeyboardInterrupt)."
    else:
        what = f"Sua função parou com {type(error).__name__}: {_text(error)}"
    return [what, *_where(error, function), _hint(error), _shapes(inputs)]


def _text(error: BaseException) -> str:
    text = textwrap.shorten(guard.words(error), 200, placeholder=" …")
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def _where(error: BaseException, function: Callable) -> list[str]:
    """A linha mais funda que é do aluno, contada a partir do começo da função."""
    home = _home(function)
    ours = str(Path(__file__).parent.parent)
    own = [frame for frame in guard.frames(error.__traceback__) if not frame[0].startswith(ours)]
    own = [frame for frame in own if frame[0] == home] or own[:1]
    if not own:
        return []
    # Uma compreensão de lista é um pedaço da função em que está.
    named = [frame for frame in own if not frame[2].endswith(("comp>", "genexpr>"))] or own
    file, _, name, start = named[-1]
    line = own[-1][1]
    code = textwrap.shorten(linecache.getline(file, line), 80, placeholder=" …")
    quoted = f": {code}" if code else "."
    return [f"Foi na linha {line - start + 1} de {name}{quoted}"]


def _home(function: Callable) -> str | None:
    function = getattr(function, "module", function)
    owner = function if isinstance(function, type) else type(function)
    for candidate in (function, getattr(owner, "forward", None), owner.__call__):
        code = getattr(candidate, "__code__", None)
        if code is not None:
            return code.co_filename
    return None


def _hint(error: BaseException) -> str:
    text = _text(error) if isinstance(error, (ValueError, RuntimeError, TypeError)) else ""
    if "matmul" in text or "mat1 and mat2" in text or "shapes cannot be multiplied" in text:
        return (
            "Num produto de matrizes, o último tamanho da primeira precisa ser o penúltimo da "
            "segunda: escreva as duas formas lado a lado."
        )
    if "broadcast" in text or "must match the size" in text:
        return (
            "Essas formas não se alinham: da direita para a esquerda, cada tamanho precisa ser "
            "igual ou 1."
        )
    if "positional argument" in text:
        return "Confira quantos argumentos a função recebe, e em que ordem."
    if isinstance(error, NameError):
        return "Esse nome ainda não foi definido quando a função rodou."
    return ""


def _shapes(inputs: Mapping[str, object]) -> str:
    def describe(name: str, value: object) -> str:
        if isinstance(value, np.ndarray):
            return f"{name} {shape(value)}"
        return name if callable(value) else f"{name} = {value}"

    if not inputs:
        return ""
    *first, last = [describe(name, value) for name, value in inputs.items()]
    return f"Ela recebeu {', '.join(first)} e {last}." if first else f"Ela recebeu {last}."


def does_something(function: Callable) -> bool:
    """Diz se a função faz alguma conta; um esboço não faz."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_names or len(code.co_varnames) > code.co_argcount)


# ── Propriedades dos números ────────────────────────────────────────────────────────────────────


def shape_read(case: Case) -> str:
    found, expected = case.answer[0], case.expected[0]
    if len(case.answer) == 1 and found.shape == expected.shape[::-1] != expected.shape and not (
        differs(found.T, expected).any()
    ):
        return "Os números estão certos, mas transpostos: linhas no lugar de colunas."
    if found.size == expected.size and found.shape != expected.shape and not (
        differs(found.ravel(), expected.ravel()).any()
    ):
        return "Os números estão certos; a forma é que não."
    return ""


def sums(case: Case) -> str:
    """Linhas de pesos que não somam 1."""
    found, expected = case.answer[0], case.expected[0]
    if found.shape != expected.shape or found.ndim == 0 or found.dtype == bool:
        return ""
    total = found.sum(axis=-1)
    if not np.allclose(expected.sum(axis=-1), 1) or np.allclose(total, 1, atol=1e-4):
        return ""
    return f"Suas linhas somam {numbers(total, 4)}; pesos de atenção somam 1."


def negatives(case: Case) -> str:
    found = case.answer[0]
    if found.dtype == bool or not (case.expected[0] >= 0).all() or not (found < 0).any():
        return ""
    return f"Há peso negativo: {number(found.min())}. Peso é uma parte, e parte nenhuma é negativa."


def not_numbers(case: Case) -> str:
    found = case.answer[0]
    if found.dtype == bool or np.isfinite(found).all():
        return ""
    kind = "NaN" if np.isnan(found).any() else "infinito"
    return f"Há {kind} na sua resposta."


def proportional(case: Case) -> str:
    found, expected = case.answer[0], case.expected[0]
    if len(case.answer) > 1 or found.shape != expected.shape or found.dtype == bool:
        return ""
    where = abs(expected) > 1e-9
    if not where.any() or not np.isfinite(found).all():
        return ""
    ratio = (found[where] / expected[where]).ravel()
    constant = np.allclose(ratio, ratio[0], rtol=1e-5) and not found[~where].any()
    if constant and ratio[0] not in (0, 1):
        return f"Todos os seus números são os certos multiplicados por {number(ratio[0])}."
    return ""


def row_order(case: Case) -> str:
    found, expected = case.answer[0], case.expected[0]
    if found.shape != expected.shape or found.ndim != 2 or len(found) > 6:
        return ""
    for order in itertools.permutations(range(len(found))):
        if list(order) != sorted(order) and not differs(found[list(order)], expected).any():
            return "As linhas estão certas, mas em outra ordem."
    return ""


def right_rows(case: Case) -> str:
    found, expected = case.answer[0], case.expected[0]
    if found.shape != expected.shape or found.ndim < 2:
        return ""
    good = ~differs(found, expected).any(axis=tuple(range(1, found.ndim)))
    if not good.any():
        return ""
    which = ", ".join(str(i) for i in np.flatnonzero(good))
    return f"Já estão certas: {which} (contando de 0, no primeiro eixo). As outras, não."


PROPERTIES: tuple[Property, ...] = (shape_read, not_numbers, proportional, row_order, right_rows)
OF_WEIGHTS: tuple[Property, ...] = (sums, negatives)


# ── Propriedades que pedem outra chamada ────────────────────────────────────────────────────────


def leak(exercise: Exercise, learner: Learner, probe: Probe, answer: Arrays) -> str:
    """Muda só o último token: nenhuma saída anterior pode se mexer."""
    changed = dict(probe.inputs)
    for name in ("x", "query", "key", "value"):
        if name in changed:
            shaken = changed[name].copy()
            shaken[..., -1, :] += 3.0
            changed[name] = shaken
    moved = _again(learner, changed, answer)
    if moved is None or moved.ndim < 2:
        return ""
    rows = differs(moved, answer[0])[:-1].any(axis=-1)
    if not rows.any():
        return ""
    return (
        f"Mudei só o último token, e a saída da linha {np.flatnonzero(rows)[0]} se mexeu: "
        "o futuro está vazando."
    )


def batch(exercise: Exercise, learner: Learner, probe: Probe, answer: Arrays) -> str:
    """A primeira frase sozinha precisa dar o mesmo que no lote."""
    alone = {name: value[:1] for name, value in probe.inputs.items()}
    single = _again(learner, alone, (answer[0][:1],))
    if single is None or not differs(single, answer[0][:1]).any():
        return ""
    return "Uma frase sozinha dá um resultado, e no lote, outro: uma frase está mudando a outra."


def _again(learner: Learner, inputs: Mapping[str, object], like: Arrays) -> np.ndarray | None:
    reply = learner.call(inputs)
    if reply.answer is None:
        return None
    found = reply.answer.like(like)[0]
    return found if found.shape == like[0].shape else None


def broken(
    exercise: Exercise,
    learner: Learner,
    probes: Sequence[Probe],
    answers: Sequence[Arrays | None],
    expected: Sequence[Arrays],
) -> list[str]:
    """O que se pode dizer de uma resposta que não está no catálogo."""
    found = []
    given = [(p, a, e) for p, a, e in zip(probes, answers, expected, strict=True) if a is not None]
    wrong = [(p, a, e) for p, a, e in given if not p.square and not same(a, e)]
    if not wrong:
        wrong = [(p, a, e) for p, a, e in given if not same(a, e)]
    values = [a for p, a, _ in given if not p.square]
    if any(p.square and same(a, e) for p, a, e in given) and not any(
        same(a, e) for p, a, e in given if not p.square
    ):
        found.append(
            "Quando todos os tamanhos são iguais sua conta acerta; com tamanhos diferentes, não. "
            "Algum eixo está fazendo o papel de outro."
        )
    if len(values) > 1 and all(same(value, values[0]) for value in values[1:]):
        found.append("Sua resposta é a mesma para entradas diferentes.")
    if not wrong:
        return found
    probe, answer, right = wrong[0]
    case = Case(probe.inputs, answer, right, {})
    if len(answer) == len(right):
        properties = (*(OF_WEIGHTS if exercise.rows_sum_to_one else ()), *PROPERTIES)
        found += [text for check in properties if (text := check(case))][:2]
    if exercise.causal:
        found.append(leak(exercise, learner, probe, answer))
    if exercise.batched:
        found.append(batch(exercise, learner, probe, answer))
    found.append(first_difference(case))
    return [text for text in found if text]


