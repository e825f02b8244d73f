"""O que uma conferência responde: um valor que vale por verdadeiro ou falso, e que se explica."""

import html
import re
import textwrap
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from atencao.checks.exercises import Section

RIGHT, TODO, MISTAKE = "certo", "ainda por fazer", "ainda não"
SIGNS = {RIGHT: "✓", TODO: "○", MISTAKE: "✗"}
COLUMNS = 92


class Note(NamedTuple):
    """Um ou mais parágrafos da explicação (um por linha), com o nome do que explicam."""

    label: str
    text: str

    @property
    def paragraphs(self) -> list[str]:
        return self.text.split("\n")


@dataclass(frozen=True)
class Result:
    """Verdadeiro quando está certo. ``print`` o mostra em texto; um caderno, como cartão.

    ``name`` é o da função conferida, ou o do exercício se ela não tem um; ``state``, "certo",
    "ainda por fazer" ou "ainda não"; ``score`` vai de 0 a 1; ``faults`` são as chaves das falhas
    encontradas e ``alternatives``, todas as leituras que explicam os mesmos números, quando há mais
    de uma. ``arguments`` são os argumentos da prova mostrada, para repetir a conta; ``printed``, o
    que a função imprimiu.
    """

    name: str
    state: str
    score: float
    title: str
    notes: tuple[Note, ...] = ()
    look: tuple[Section, ...] = ()
    faults: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    arguments: tuple = field(default=(), repr=False)
    printed: str = field(default="", repr=False)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def passed(self) -> bool:
        return self.state == RIGHT

    @property
    def message(self) -> str:
        """Tudo o que a conferência tem a dizer, em texto."""
        lines = [f"{SIGNS[self.state]} {self.name}: {self.state}. {self.title}"]
        for note in self._all_notes():
            first, *others = note.paragraphs
            lines += _wrapped(f"{note.label}: {first}", "  ")
            for paragraph in others:
                lines += _wrapped(paragraph, "    ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.message

    __repr__ = __str__

    def _all_notes(self) -> list[Note]:
        places = "; ".join(place(section) for section in self.look)
        return [*self.notes, *([Note("Onde olhar", places)] if places else [])]

    def _repr_html_(self) -> str:
        rows = [
            _row(note.label, *(escaped(text) for text in note.paragraphs))
            for note in self.notes
        ]
        if self.look:
            rows.append(_row("Onde olhar", "; ".join(link(section) for section in self.look)))
        color = _COLORS[self.state]
        body = f'<dl style="margin:.4em 0 0">{"".join(rows)}</dl>' if rows else ""
        return (
            f'<div role="group" aria-label="{html.escape(f"{self.name}: {self.state}")}" style="'
            f"border:1px solid color-mix(in srgb,currentColor 22%,transparent);"
            f"border-left:.35em {_EDGES[self.state]} {color};border-radius:4px;"
            f"background:color-mix(in srgb,{color} 9%,transparent);"
            'padding:.6em .9em;margin:.3em 0;max-width:46em;line-height:1.45;'
            'overflow-wrap:anywhere">'
            f'<strong><span aria-hidden="true">{SIGNS[self.state]}</span> '
            f'<code style="padding:0">{html.escape(self.name)}</code>: {self.state}.</strong> '
            f"{escaped(self.title)}{body}</div>"
        )


def todo(name: str) -> Result:
    """O que se diz a quem ainda não escreveu a função."""
    return Result(name, TODO, 0.0, "Escreva a função e rode esta célula de novo.")


# Tons médios: contrastam com papel claro e escuro. O texto tem a cor da página, seja qual for.
_COLORS = {RIGHT: "#1b8f6a", TODO: "#7a8194", MISTAKE: "#c2571a"}
_EDGES = {RIGHT: "solid", TODO: "dotted", MISTAKE: "double"}


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, COLUMNS, initial_indent=indent, subsequent_indent="    ",
        break_long_words=False, break_on_hyphens=False,
    )


def _row(label: str, *paragraphs: str) -> str:
    said = "".join(f'<dd style="margin:0">{text}</dd>' for text in paragraphs)
    return f'<dt style="font-weight:600;margin:.45em 0 0">{label}</dt>{said}'


def escaped(text: str) -> str:
    return html.escape(text, quote=False)


def link(section: Section) -> str:
    return f'<a href="{address(section)}">{escaped(place(section))}</a>'


def address(section: Section) -> str:
    """O endereço da seção num caderno aberto no Jupyter; o livro o troca pelo da página."""
    return f"{section.chapter}.ipynb#{quote(plain(section.title).replace(' ', '-'))}"


def plain(title: str) -> str:
    """O título como se lê, sem as marcas do Markdown."""
    return title.replace("`", "").replace("$", "")


def place(section: Section) -> str:
    """Como em: capítulo 7, “O teste de vazamento”."""
    title = plain(section.title)
    if title.startswith('"'):
        quoted = re.sub(r'"([^"]*)"', r"“\1”", title)
    else:
        inner = re.sub(r'"([^"]*)"', r"‘\1’", title)
        quoted = f"“{inner}”"
    return f"capítulo {int(section.chapter[:2])}, {quoted}"
