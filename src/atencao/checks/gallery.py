"""O catálogo posto em página: os erros de um capítulo, em números, e as dúvidas de quem aprende.

Cada função devolve algo que um caderno mostra em HTML e que, impresso, cabe no terminal.
"""

import html
from dataclasses import dataclass

import numpy as np

from atencao.checks.catalogue import Example, example, exercises_of
from atencao.checks.doubts import DOUBTS, Doubt
from atencao.checks.exercises import Section
from atencao.checks.faults import FAULTS, Fault
from atencao.checks.result import address, place

FEW = 8  # acima disso, uma tabela é mostrada pela metade

_STYLE = """<style>
details.erro{border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}
details.erro{padding:.45em 0;margin:0}
details.erro>summary{cursor:pointer;font-weight:400}
details.erro dl{margin:.4em 0 .4em 1.2em}
details.erro dt{font-weight:600;margin-top:.5em}
details.erro dd{margin:0}
details.erro div.lado{display:flex;flex-wrap:wrap;gap:.2em 2.5em}
details.erro div.lado table{width:auto;margin:.3em 0;font-size:.88em}
details.erro div.lado table caption{caption-side:top;text-align:left;padding:0 0 .2em}
details.erro div.lado table td{padding:.1em .45em;line-height:1.5;text-align:right}
details.erro div.lado table td.outro{font-weight:700;text-decoration:underline}
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
        "Por que importa": html.escape(fault.why, quote=False),
        "No livro": _link(fault.look),
        "Quem o reconhece": names,
    }
    body = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in rows.items())
    return (
        f'<details class="erro" id="{fault.key}"><summary><strong>{_text(fault.title)}.</strong> '
        f"{_text(fault.did)}</summary><dl>{body}</dl></details>"
    )


def _doubt(doubt: Doubt) -> str:
    answer = f"{_text(doubt.answer)} {'; '.join(_link(section) for section in doubt.look)}."
    return f'<dt id="duvida-{doubt.number}">{_text(doubt.asks)}</dt><dd>{answer}</dd>'


def _text(text: str) -> str:
    return html.escape(text, quote=False)


def _link(section: Section) -> str:
    return f'<a href="{address(section)}">{_text(place(section))}</a>'


def _side_by_side(shown: Example) -> str:
    right, wrong = (
        None if side is None else np.asarray(side) for side in (shown.right, shown.wrong)
    )
    return (
        f'<div class="lado">{_table("Certo", right, None)}{_table("Assim sai", wrong, right)}</div>'
    )


def _table(caption: str, array: np.ndarray | None, other: np.ndarray | None) -> str:
    if array is None:
        return f"<p>{caption}: a conta para antes do fim.</p>"
    part, first = array, ""
    while part.ndim > 2:
        part, first = part[0], ", a primeira parte"
    compared = None
    if other is not None and other.shape == array.shape:
        compared = other
        while compared.ndim > 2:
            compared = compared[0]
        compared = np.atleast_2d(compared)
    rows = "".join(
        "<tr>" + "".join(_cell(x, compared is not None and not _same(x, compared[i, j]))
                         for j, x in enumerate(row[:FEW])) + "</tr>"
        for i, row in enumerate(np.atleast_2d(part)[:FEW])
    )
    shape = f" {array.shape}{first}" if array.ndim else ""
    return f"<table><caption>{caption}{shape}</caption>{rows}</table>"


def _same(a, b) -> bool:
    return bool(np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))


def _cell(value, differs: bool) -> str:
    mark = ' class="outro"' if differs else ""
    return f"<td{mark}>{_number(value)}</td>"


def _number(value) -> str:
    if isinstance(value, bool | np.bool_):
        return "True" if value else "False"
    if np.isnan(value):
        return "NaN"
    text = f"{round(float(value), 3) + 0.0:.3f}".replace("inf", "∞")
    return text.replace("-", "−").replace(".", ",")
