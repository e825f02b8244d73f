"""Cinco produtos: a atenção inteira em matrizes, do X ao C (capítulo 06)."""

from typing import Any

import numpy as np
import traitlets

from atencao import text
from atencao.explorers.base import Explorer, Matrix, Table, Texts, br
from atencao.functional import scaled_dot_product_attention

_TOKENS = ["artigo", "llm", "biblioteca"]
_PROJECTIONS = ("W_query", "W_key", "W_value")
_SYMBOLS = {"query": "Q", "key": "K", "value": "V", "scores": "Ω", "weights": "A", "context": "C"}
_SIZES = {"n": (3, 6), "d": (1, 8), "c": (1, 4)}


class _NamedAxes(Matrix):
    """Matriz de −10 a 10 cuja recusa chama os eixos pelo nome, como no livro."""

    def __init__(self, axes: str, default: list):
        super().__init__((None, None), limit=10, default_value=default)
        self.axes = axes

    def _wanted(self) -> str:
        return f"({', '.join(self.axes)})"


class _Cell(traitlets.TraitType):
    """Uma casa de um resultado: [nome da matriz, linha, coluna], contando do zero."""

    def validate(self, owner: traitlets.HasTraits, value: Any) -> list:
        match value:
            case [str() as name, int() as row, int() as column] if (
                name in _SYMBOLS and bool not in (type(row), type(column))
            ):
                return [name, row, column]
        raise traitlets.TraitError(
            f"cell precisa ser [matriz, linha, coluna], com a matriz entre {', '.join(_SYMBOLS)}, "
            f"como ['context', 0, 1]; recebi {value!r}."
        )


class FiveProducts(Explorer):
    """X, as projeções e o que sai delas: Q, K, V, Ω, A e C, com a conta de cada casa.

    Traços: ``tokens`` (n textos, de 3 a 6); ``X`` (n, d), com d até 8; ``W_query``, ``W_key`` e
    ``W_value`` (d, c), com c até 4; entradas de −10 a 10. ``cell`` é a casa explicada, como
    ``["context", 0, 1]``, contando do zero. Os padrões são o exemplo do capítulo 06. Para trocar
    os tamanhos depois de criar, use ``hold_trait_notifications()``.
    """

    title = "Cinco produtos e uma transposição"
    fields = ("tokens", "X", *_PROJECTIONS, "cell")

    kind = traitlets.Unicode("five-products", read_only=True).tag(sync=True)
    tokens = Texts(*_SIZES["n"], _TOKENS).tag(sync=True)
    X = _NamedAxes("nd", text.embed(_TOKENS).tolist()).tag(sync=True)
    W_query = _NamedAxes("dc", [[2.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]).tag(sync=True)
    W_key = _NamedAxes("dc", [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 2.0]]).tag(sync=True)
    W_value = _NamedAxes("dc", [[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 2.0]]).tag(sync=True)
    cell = _Cell(["context", 0, 1]).tag(sync=True)

    @traitlets.validate(*fields)
    def _fits(self, proposal):
        state = self.state() | {proposal["trait"].name: proposal["value"]}
        sizes = {"n": len(state["tokens"]), "d": len(state["X"][0]), "c": len(state["W_query"][0])}
        for size, (low, high) in _SIZES.items():
            if not low <= sizes[size] <= high:
                raise traitlets.TraitError(f"{size} vai de {low} a {high} e aqui é {sizes[size]}.")
        for name in ("X", *_PROJECTIONS):
            axes = "nd" if name == "X" else "dc"
            wanted = tuple(sizes[axis] for axis in axes)
            if np.shape(state[name]) != wanted:
                raise traitlets.TraitError(
                    f"{name} tem forma {np.shape(state[name])} e precisa ter {wanted}, que é "
                    f"({', '.join(axes)}). Para mudar n, d ou c, troque tudo junto."
                )
        name, row, column = state["cell"]
        rows, columns = sizes["n"], sizes["n" if name in ("scores", "weights") else "c"]
        if not (0 <= row < rows and 0 <= column < columns):
            raise traitlets.TraitError(
                f"cell aponta para a casa [{row}, {column}] de {name}, que tem forma "
                f"({rows}, {columns}), contando do zero."
            )
        return proposal["value"]

    def numbers(self) -> dict[str, np.ndarray]:
        """Os resultados: ``query``, ``key``, ``value``, ``scores``, ``weights`` e ``context``."""
        query, key, value = (np.array(self.X) @ getattr(self, name) for name in _PROJECTIONS)
        attention = scaled_dot_product_attention(query, key, value)
        return {"query": query, "key": key, "value": value, "scores": attention.scores,
                "weights": attention.weights, "context": attention.context}

    def tables(self) -> list[Table]:
        numbers = self.numbers()
        n, d, c = len(self.tokens), len(self.X[0]), len(self.W_query[0])
        steps = [("Q", "X·Wq", n, d, c), ("K", "X·Wk", n, d, c), ("V", "X·Wv", n, d, c),
                 ("Ω", "Q·Kᵀ", n, c, n), ("C", "A·V", n, n, c)]
        return [
            self._by_token("X: um embedding por token", {"X": self.X}),
            Table("As três projeções", ["linha", *(f"{name} {i + 1}" for name in ("Wq", "Wk", "Wv")
                                                   for i in range(c))],
                  [[str(i + 1), *(br(x) for name in _PROJECTIONS for x in getattr(self, name)[i])]
                   for i in range(d)]),
            self._by_token("Consultas, chaves e valores",
                           {_SYMBOLS[name]: numbers[name] for name in ("query", "key", "value")}),
            self._by_token("Ω: pontuações", {"Ω": numbers["scores"]}, self.tokens),
            self._by_token("A: pesos, softmax(Ω/√c) por linha", {"A": numbers["weights"]},
                           self.tokens, digits=4),
            self._by_token("C: vetores de contexto", {"C": numbers["context"]}, digits=4),
            Table("Os cinco produtos (e uma transposição, a de K)",
                  ["resultado", "conta", "formas", "multiplicações"],
                  [[name, product, f"({r}, {s})·({s}, {t})", str(r * s * t)]
                   for name, product, r, s, t in steps]
                  + [["total", "", "", str(sum(r * s * t for *_, r, s, t in steps))]]),
            self._sum_of_cell(numbers),
        ]

    def _by_token(self, caption, matrices, columns=None, digits=2) -> Table:
        head = [f"{name} {columns[i] if columns else i + 1}"
                for name, matrix in matrices.items() for i in range(len(matrix[0]))]
        rows = [[token, *(br(x, digits) for matrix in matrices.values() for x in matrix[m])]
                for m, token in enumerate(self.tokens)]
        return Table(caption, ["token", *head], rows)

    def _sum_of_cell(self, numbers: dict[str, np.ndarray]) -> Table:
        name, row, column = self.cell
        place = self.tokens[column] if name in ("scores", "weights") else column + 1
        caption = f"A casa escolhida: {_SYMBOLS[name]}, linha {self.tokens[row]}, coluna {place}"
        result = br(numbers[name][row, column], 4)
        if name == "weights":
            scaled = numbers["scores"][row] / np.sqrt(len(self.W_query[0]))
            rows = [[token, br(x, 4), br(weight, 4)]
                    for token, x, weight in zip(self.tokens, scaled, numbers[name][row],
                                                strict=True)]
            return Table(caption, ["coluna", "Ω/√c", "peso"], rows)
        projections = dict(zip(("query", "key", "value"), _PROJECTIONS, strict=True))
        left, top = {
            "scores": (numbers["query"], numbers["key"].T),
            "context": (numbers["weights"], numbers["value"]),
        }.get(name) or (np.array(self.X), np.array(getattr(self, projections[name])))
        rows = [[str(i + 1), br(a, 4), br(b, 4), br(a * b, 4)]
                for i, (a, b) in enumerate(zip(left[row], top[:, column], strict=True))]
        return Table(caption, ["termo", "linha", "coluna", "produto"],
                     [*rows, ["soma", "", "", result]])
