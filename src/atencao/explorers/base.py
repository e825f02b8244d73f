"""O que todo explorador tem: estado conferido, números em texto e uma tabela sem JavaScript.

Um explorador é um ipywidget (anywidget) cujo módulo JavaScript faz as contas a partir do estado.
Por isso ele vive em dois lugares: no JupyterLab, ligado ao Python; e na página estática, onde um
script pequeno lê o estado guardado no HTML. Sem nenhum dos dois fica a tabela.
"""

import html
import json
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import numpy as np
import traitlets

STATIC = Path(__file__).parent / "static"


def round_half_up(number: float, digits: int) -> Decimal:
    """Arredonda como no papel, meio afastando-se de zero; é o que ``toFixed`` faz no JavaScript."""
    place, enough = Decimal(1).scaleb(-digits), Context(prec=400)
    return Decimal(float(number)).quantize(place, ROUND_HALF_UP, enough) + 0


def br(number: float, digits: int = 2) -> str:
    """Um número como se escreve em português, igual ao ``br`` do JavaScript."""
    if np.isneginf(number):
        return "−∞"
    return f"{round_half_up(number, digits):f}".replace("-", "−").replace(".", ",")


class Table(NamedTuple):
    """Uma tabela de números já escritos: legenda, cabeçalho e linhas (a 1ª coluna é o rótulo)."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_text(self) -> str:
        lines = [list(self.head), *(list(row) for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.head))]
        written = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            for line in lines
        ]
        return "\n".join([self.caption, *written])

    def as_html(self) -> str:
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.head)
        body = "".join(
            f'<tr><th scope="row">{html.escape(row[0])}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        return (
            f"<table><caption>{html.escape(self.caption)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


class Matrix(traitlets.TraitType):
    """Traço que guarda números finitos numa forma fixa, como listas; None num eixo aceita qualquer.

    Aceita listas, arrays do NumPy e o que mais ``np.asarray`` ler. Levanta TraitError, em
    português e com as formas, para o resto.
    """

    def __init__(self, shape: tuple[int | None, ...], *, limit: float | None = None, **kwargs):
        super().__init__(**kwargs)
        self.shape, self.limit = shape, limit

    def validate(self, owner: traitlets.HasTraits, value: Any) -> list:
        try:
            array = np.asarray(value)
        except ValueError:  # linhas de comprimentos diferentes
            array = np.array(None)
        if array.dtype.kind not in "fiu":
            raise traitlets.TraitError(
                f"{self.name} precisa ser de números, na forma {self._wanted()}."
            )
        array = array.astype(float)
        fits = array.ndim == len(self.shape) and all(
            wanted in (None, size) for wanted, size in zip(self.shape, array.shape, strict=True)
        )
        if not fits or array.size == 0:
            raise traitlets.TraitError(
                f"{self.name} tem forma {array.shape} e precisa ter {self._wanted()}."
            )
        if not np.isfinite(array).all():
            raise traitlets.TraitError(f"{self.name} tem NaN ou infinito; use números finitos.")
        if self.limit is not None and np.abs(array).max() > self.limit:
            raise traitlets.TraitError(
                f"{self.name} vai de −{self.limit:g} a {self.limit:g} e tem "
                f"{array.flat[np.abs(array).argmax()]:g}."
            )
        return array.tolist()

    def _wanted(self) -> str:
        return f"({', '.join('n' if size is None else str(size) for size in self.shape)})"


class Choice(traitlets.TraitType):
    """Traço que guarda um entre poucos valores. Levanta TraitError, em português, para outros."""

    def __init__(self, options: Sequence[Any], **kwargs):
        super().__init__(options[0], **kwargs)
        self.options = options

    def validate(self, owner: traitlets.HasTraits, value: Any) -> Any:
        for option in self.options:
            if type(option) is type(value) and option == value:
                return value
        allowed = ", ".join(map(repr, self.options))
        raise traitlets.TraitError(f"{self.name} precisa ser um de: {allowed}; recebi {value!r}.")


class Whole(traitlets.TraitType):
    """Traço que guarda um inteiro de ``low`` a ``high``. Levanta TraitError, em português."""

    def __init__(self, low: int, high: int, **kwargs):
        super().__init__(**kwargs)
        self.low, self.high = low, high

    def validate(self, owner: traitlets.HasTraits, value: Any) -> int:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not self.low <= value <= self.high:
            raise traitlets.TraitError(
                f"{self.name} precisa ser um inteiro de {self.low} a {self.high}; "
                f"recebi {value!r}."
            )
        return int(value)


class Texts(traitlets.TraitType):
    """Traço que guarda uma lista de ``low`` a ``high`` textos. Levanta TraitError, em português."""

    def __init__(self, low: int, high: int, default_value: Sequence[str]):
        super().__init__(list(default_value))
        self.low, self.high = low, high

    def validate(self, owner: traitlets.HasTraits, value: Any) -> list[str]:
        listed = isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)
        if not listed or not self.low <= len(value) <= self.high:
            wanted = self.low if self.low == self.high else f"{self.low} a {self.high}"
            raise traitlets.TraitError(
                f"{self.name} precisa ser uma lista de {wanted} textos; recebi {value!r}."
            )
        return list(value)


class Explorer(anywidget.AnyWidget):
    """A base: cada filha diz ``kind``, ``title``, ``fields`` e ``tables``."""

    _esm = STATIC / "widget.js"
    _css = STATIC / "widget.css"

    kind = traitlets.Unicode(read_only=True).tag(sync=True)
    title: str
    fields: tuple[str, ...]

    def __init__(self, **state):
        unknown = sorted(state.keys() - set(self.fields))
        if unknown:
            raise TypeError(
                f"{type(self).__name__} não tem {', '.join(unknown)}; tem {', '.join(self.fields)}."
            )
        super().__init__(**state)

    def state(self) -> dict[str, Any]:
        """O estado inteiro, em tipos que o JSON conhece."""
        return {name: getattr(self, name) for name in self.fields}

    def tables(self) -> list[Table]:
        """Os números à vista, calculados com ``atencao.functional``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n\n".join([f"Explorador: {self.title}", *(t.as_text() for t in self.tables())])

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        data["text/plain"] = repr(self)
        data["text/html"] = self.as_html()
        return bundle

    def as_html(self) -> str:
        """O estado em JSON e as tabelas: o que a página, o GitHub e a impressão recebem."""
        state = json.dumps(self.state(), ensure_ascii=False).replace("</", "<\\/")
        tables = "".join(table.as_html() for table in self.tables())
        return (
            f'<div data-atencao-explorer="{self.kind}">'
            f'<script type="application/json">{state}</script>'
            f'<div class="explorer-fallback"><p><strong>{html.escape(self.title)}.</strong> '
            "Este explorador se mexe na página do livro e no JupyterLab, depois de rodar a célula. "
            f"Aqui ficam os seus números.</p>{tables}</div></div>"
        )
