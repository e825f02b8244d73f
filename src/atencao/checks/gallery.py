"""O catálogo posto em página: os erros de um capítulo, em números, e as dúvidas de quem aprende.

Cada função devolve algo que um caderno mostra em HTML e que, impresso, cabe no terminal.
"""

from dataclasses import dataclass

import numpy as np

from atencao.checks.catalogue import Example, example, exercises_of
from atencao.checks.doubts import DOUBTS, Doubt
from atencao.checks.faults import FAULTS, Fault
from atencao.checks.result import escaped, link

FEW = 8  # de uma tabela maior, só o canto

_STYLE = """<style>
details.erro{border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}
details.erro{padding:.45em 0;margin:0}
details.erro>summary{cursor:pointer;font-weight:400}
details.erro dl{margin:.4em 0 .4em 1.2em}
details.erro dt{font-weight:600;margin-top:.5em}
details.erro dd{margin:0}
details.erro div.lado{display:flex;flex-wrap:wrap;gap:.2em 2.5em}
details.erro div.lado>div{max-width:100%}
details.erro pre{margin:.2em 0 .4em;overflow-x:auto;background:none;line-height:1.5}
details.erro pre b{text-decoration:underline;text-underline-offset:.2em}
</style>"""


@dataclass(frozen=True)
class Gallery:
    """Os erros do catálogo que um capítulo trata."""

    faults: tuple[Fault, ...]

    def __repr__(self) -> str:
        return "\n".join(f"{fault.title}: {fault.did}" for fault in self.faults)

    def _repr_html_(self) -> str:
        return _STYLE + "".join(_mistake(fault) for fault in self.faults)


@dataclass(frozen=True)
class Questions:
    """As dúvidas de um grupo, com as respostas."""

    doubts: tuple[Doubt, ...]

    def __repr__(self) -> str:
        return "\n".join(f"{d.number}. {d.asks} {d.answer}" for d in self.doubts)

    def _repr_html_(self) -> str:
        return f"<dl>{''.join(_doubt(doubt) for doubt in self.doubts)}</dl>"


def mistakes(chapter: str) -> Gallery:
    """Os erros que o capítulo trata, como ``mistakes("07-causal")``.

    Levanta ValueError se o catálogo não citar o capítulo.
    """
    found = tuple(fault for fault in FAULTS.values() if fault.look.chapter == chapter)
    if not found:
        known = sorted({fault.look.chapter for fault in FAULTS.values()})
        raise ValueError(f"não há erros de {chapter!r}; há os de {', '.join(known)}.")
    return Gallery(found)


def doubts(group: str) -> Questions:
    """As dúvidas de um grupo de ``DOUBTS``, como ``doubts("Máscaras")``.

    Levanta ValueError se o grupo não existir.
    """
    if group not in DOUBTS:
        raise ValueError(f"não há dúvidas em {group!r}; os grupos são {', '.join(DOUBTS)}.")
    return Questions(DOUBTS[group])


def _mistake(fault: Fault) -> str:
    names = "; ".join(f"<code>checks.{name}</code>" for name in exercises_of(fault.key))
    rows = {
        "Em números": _side_by_side(example(fault.key)),
        "Por que importa": escaped(fault.why),
        "No livro": link(fault.look),
        "Quem o reconhece": names,
    }
    body = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in rows.items())
    return (
        f'<details class="erro" id="{fault.key}"><summary><strong>{escaped(fault.title)}.</strong> '
        f"{escaped(fault.did)}</summary><dl>{body}</dl></details>"
    )


def _doubt(doubt: Doubt) -> str:
    answer = f"{escaped(doubt.answer)} {'; '.join(link(section) for section in doubt.look)}."
    return f'<dt id="duvida-{doubt.number}">{escaped(doubt.asks)}</dt><dd>{answer}</dd>'


def _side_by_side(shown: Example) -> str:
    right, wrong = shown.right, shown.wrong
    sides = _matrix("Certo", right, right) + _matrix("Assim sai", wrong, right)
    return f'<div class="lado">{sides}</div>'


def _matrix(label: str, array: np.ndarray, reference: np.ndarray) -> str:
    """Os números em colunas; em negrito e sublinhados, os que diferem da referência."""
    shape = f" {array.shape}" if array.ndim else ""
    first = ", a primeira parte" if array.ndim > 2 else ""
    numbers = _first_table(array)
    # Com outra forma, não há o que comparar casa a casa.
    expected = _first_table(reference) if reference.shape == array.shape else numbers
    wrong = ~np.isclose(numbers, expected, rtol=1e-9, atol=1e-12, equal_nan=True)
    texts = [[_number(x) for x in row] for row in numbers]
    width = max(len(text) for row in texts for text in row)
    lines = "\n".join(
        " ".join(_marked(text, width, other) for text, other in zip(*row, strict=True))
        for row in zip(texts, wrong, strict=True)
    )
    name = f"{label}{shape}{first}"
    return f'<div>{name}<pre tabindex="0" role="group" aria-label="{name}">{lines}</pre></div>'


def _first_table(array: np.ndarray) -> np.ndarray:
    while array.ndim > 2:
        array = array[0]
    return np.atleast_2d(array)[:FEW, :FEW]


def _marked(text: str, width: int, wrong: bool) -> str:
    return " " * (width - len(text)) + (f"<b>{text}</b>" if wrong else text)


def _number(value) -> str:
    if isinstance(value, bool | np.bool_):
        return "True" if value else "False"
    if np.isnan(value):
        return "NaN"
    text = f"{round(float(value), 3) + 0.0:.3f}".replace("inf", "∞")
    return text.replace("-", "−").replace(".", ",")
