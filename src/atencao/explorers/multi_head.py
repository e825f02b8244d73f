"""Múltiplas cabeças: repartir um tensor sem embaralhar, e olhar o que cada cabeça escolhe (09)."""

from itertools import pairwise
from typing import Any

import numpy as np
import traitlets
from numpy.typing import NDArray

from atencao.explorers.base import Choice, Explorer, Matrix, Table, Texts, br
from atencao.functional import attention_weights, causal_mask, merge_heads, softmax, split_heads

TOTAL = 6  # h·c, a largura do tensor que se reparte
MOST_TOKENS, MOST_HEADS = 64, 8

# As palavras e as duas primeiras cabeças são as do capítulo 09; a terceira é a de um exercício.
_WORDS = [
    ("Ana", "nome"), ("leu", "verbo"), ("o", "artigo"), ("artigo", "substantivo"), ("e", ""),
    ("ela", "pronome"), ("citou", "verbo"), ("a", "artigo"), ("autora", "substantivo"),
]


def _handmade_heads() -> tuple[list, list]:
    """Consultas e chaves (h, n, c) de quatro cabeças: cada coluna é uma pergunta que se lê."""
    verb, noun, pronoun, thing, article = (
        np.array([float(word_class == name) for _, word_class in _WORDS])
        for name in ("verbo", "nome", "pronome", "substantivo", "artigo")
    )
    place = np.arange(len(_WORDS), dtype=float)
    recent, nothing = place / 10, 0 * place
    query = [
        [8 * verb, 8 * verb, nothing],
        [8 * pronoun, nothing, nothing],
        [14 * thing, 14 * thing, nothing],
        # −8 (m − 1 − p)², sem a parte que é igual para todo p: ganha o token anterior.
        [16 * (place - 1), nothing - 8, nothing],
    ]
    key = [
        [noun + pronoun, recent, nothing],
        [noun, nothing, nothing],
        [article, recent, nothing],
        [place, place**2, nothing],
    ]
    return np.swapaxes(query, 1, 2).tolist(), np.swapaxes(key, 1, 2).tolist()


_QUERY, _KEY = _handmade_heads()


class _Heads(Matrix):
    def __init__(self, **kwargs):
        super().__init__((None, None, None), **kwargs)

    def _wanted(self) -> str:
        return "(h, n, c)"


class _Index(traitlets.TraitType):
    """Um índice a partir de 0; ``None`` só se ``allow_none``."""

    def validate(self, owner: traitlets.HasTraits, value: Any) -> int:
        if type(value) is not int or value < 0:
            raise traitlets.TraitError(
                f"{self.name} é um índice, um inteiro a partir de 0; recebi {value!r}."
            )
        return value


class _Cells(traitlets.TraitType):
    """Números de células, sem repetição, em ordem."""

    def validate(self, owner: traitlets.HasTraits, value: Any) -> list[int]:
        listed = value if isinstance(value, list | tuple) else [value]
        if not all(type(cell) is int and cell >= 0 for cell in listed):
            raise traitlets.TraitError(
                f"{self.name} é uma lista de números de células, inteiros a partir de 0; "
                f"recebi {value!r}."
            )
        return sorted(set(listed))


class MultiHead(Explorer):
    """Do tensor (n, h·c) às cabeças e de volta; e os pesos de cada cabeça sobre uma frase.

    Traços: ``mode`` é "split" (repartir) ou "look" (olhar).

    - Repartir: ``n`` (2 a 6) e ``num_heads`` (divisor de 6); ``path`` é "transpose" (certo),
      "reshape" (só reshape, na ida e na volta) ou "half" (sem transpor na volta); ``stage`` é a
      etapa à vista; ``picked``, as células que o leitor aposta que vão para a cabeça 2.
    - Olhar: ``tokens``; ``query`` e ``key`` (h, n, c), uma matriz por cabeça, com máscara causal;
      ``token``, ``head`` e ``other`` são os índices da linha, da cabeça e da que se compara.

    Para trocar a frase por outra de outro tamanho, mude os traços juntos, dentro de
    ``with explorador.hold_trait_notifications():``.
    """

    title = "Um tensor, várias cabeças"
    fields = (
        "mode", "n", "num_heads", "path", "stage", "picked",
        "tokens", "query", "key", "token", "head", "other",
    )

    kind = traitlets.Unicode("multi-head", read_only=True).tag(sync=True)
    mode = Choice(("split", "look")).tag(sync=True)
    n = Choice((4, 2, 3, 5, 6)).tag(sync=True)
    num_heads = Choice((3, 1, 2, 6)).tag(sync=True)
    path = Choice(("transpose", "reshape", "half")).tag(sync=True)
    stage = Choice(("start", "view", "transpose", "attend", "back", "concat", "project")).tag(
        sync=True
    )
    picked = _Cells([]).tag(sync=True)
    tokens = Texts(2, MOST_TOKENS, [token for token, _ in _WORDS]).tag(sync=True)
    query = _Heads(default_value=_QUERY).tag(sync=True)
    key = _Heads(default_value=_KEY).tag(sync=True)
    token = _Index(6).tag(sync=True)
    head = _Index(0).tag(sync=True)
    other = _Index(None, allow_none=True).tag(sync=True)

    @traitlets.validate("n", "picked", "tokens", "query", "key", "token", "head", "other")
    def _fits_the_rest(self, proposal):
        name = proposal["trait"].name
        wanted = self.state() | {name: proposal["value"]}
        problem = _problem(wanted)
        if problem:
            raise traitlets.TraitError(problem)
        return proposal["value"]

    def numbers(self) -> dict[str, np.ndarray]:
        """``cells`` e ``received`` (números das células), ``weights``, ``context``, ``merged``,
        ``output`` e ``heard`` de repartir; ``head_weights`` (h, n, n) de olhar."""
        n, c = self.n, TOTAL // self.num_heads
        cells = np.arange(n * TOTAL).reshape(n, TOTAL)
        received = self._split(cells)
        # Cada token para trás recebe metade do peso do seguinte na cabeça 1, um quarto na 2, …
        distance = np.arange(n)[:, np.newaxis] - np.arange(n)
        decay = -np.log(2) * np.arange(1, self.num_heads + 1)[:, np.newaxis, np.newaxis]
        weights = softmax(np.where(causal_mask(n), decay * distance, -np.inf))
        context = weights @ received
        merged = self._merge(context)
        identity = np.eye(TOTAL)
        heard = np.logical_or.accumulate(np.eye(n, dtype=bool)[received // TOTAL], axis=1)
        return {
            "cells": cells, "received": received, "weights": weights, "context": context,
            "merged": merged, "output": merged @ ((identity + np.roll(identity, c, axis=0)) / 2),
            "heard": np.stack([self._merge(heard[..., t]).any(axis=1) for t in range(n)], axis=1),
            "head_weights": attention_weights(
                self.query, self.key, mask=causal_mask(len(self.tokens))
            ),
        }

    def tables(self) -> list[Table]:
        numbers = self.numbers()
        heads = [f"cabeça {k + 1}" for k in range(self.num_heads)]
        columns = [str(p) for p in range(TOTAL)]
        return [
            Table("Etapas: forma e passos", ["etapa", "forma", "passos"], self._stages(numbers)),
            Table("O que cada cabeça recebe", ["cabeça", "células", "dos tokens"],
                  [[name, _ranges(cells.ravel()), _ranges(np.unique(cells // TOTAL))]
                   for name, cells in zip(heads, numbers["received"], strict=True)]),
            Table("Pesos da última linha", ["cabeça", *columns[:self.n]],
                  [[name, *map(br, weights[-1])]
                   for name, weights in zip(heads, numbers["weights"], strict=True)]),
            Table("Quem cada linha da saída ouviu", ["linha", "tokens", "falta ou sobra"],
                  [[str(m), _ranges(np.flatnonzero(row)), _verdict(m, row)]
                   for m, row in enumerate(numbers["heard"])]),
            Table("Saída", ["linha", *columns],
                  [[str(m), *(br(x, 1) for x in row)] for m, row in enumerate(numbers["output"])]),
            Table(f"A linha de {self.tokens[self.token]}, por cabeça",
                  ["token", *(f"cabeça {k + 1}" for k in range(len(self.query)))],
                  [[token, *(br(A[self.token, p]) for A in numbers["head_weights"])]
                   for p, token in enumerate(self.tokens)]),
        ]

    def _split(self, x: NDArray) -> NDArray:
        if self.path == "reshape":
            return x.reshape(self.num_heads, self.n, -1)
        return split_heads(x, self.num_heads)

    def _merge(self, x: NDArray) -> NDArray:
        return merge_heads(x) if self.path == "transpose" else x.reshape(self.n, TOTAL)

    def _stages(self, numbers: dict[str, NDArray]) -> list[list[str]]:
        cells, received, context = (numbers[name] for name in ("cells", "received", "context"))
        skipped = {"reshape": ("view", "2º transpose"), "half": ("2º transpose",)}
        tensors = {
            "início": cells,
            "view": cells.reshape(self.n, self.num_heads, -1),
            "reshape" if self.path == "reshape" else "transpose": received,
            "atenção": context,
            "2º transpose": context.swapaxes(0, 1),
            "concatenar": numbers["merged"],
            "vezes W_o": numbers["output"],
        }
        return [
            [name, "pulada", "pulada"] if name in skipped.get(self.path, ())
            else [name, str(x.shape), str(tuple(step // x.itemsize for step in x.strides))]
            for name, x in tensors.items()
        ]


def _problem(state: dict[str, Any]) -> str:
    """O que não combina entre os traços, ou ""."""
    n, heads = len(state["tokens"]), len(state["query"])
    query, key = np.shape(state["query"]), np.shape(state["key"])
    if query != key:
        return f"query tem forma {query} e key, {key}; as duas precisam da mesma, (h, n, c)."
    if query[1] != n:
        return f"query e key têm forma {query} e há {n} tokens; o eixo do meio precisa ter {n}."
    if heads > MOST_HEADS:
        return f"são {heads} cabeças; cabem até {MOST_HEADS}."
    if state["token"] >= n:
        return f"token vai de 0 a {n - 1}; recebi {state['token']}."
    for name in ("head", "other"):
        if state[name] is not None and state[name] >= heads:
            return f"{name} vai de 0 a {heads - 1}; recebi {state[name]}."
    last = state["n"] * TOTAL - 1
    if max(state["picked"], default=0) > last:
        return f"picked tem a célula {max(state['picked'])} e elas vão de 0 a {last}."
    return ""


def _ranges(cells: NDArray) -> str:
    """Números em ordem, com os vizinhos juntos: [0, 1, 6, 7] → "0–1, 6–7"."""
    cells = cells.tolist()
    starts = [cells[0], *(b for a, b in pairwise(cells) if b != a + 1)]
    ends = [*(a for a, b in pairwise(cells) if b != a + 1), cells[-1]]
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=True))


def _verdict(row: int, heard: NDArray) -> str:
    missing, future = np.flatnonzero(~heard[:row + 1]), np.flatnonzero(heard[row + 1:]) + row + 1
    notes = [f"{word} {_ranges(tokens)}"
             for word, tokens in (("falta", missing), ("vê o futuro:", future)) if tokens.size]
    return "; ".join(notes) or "nada"
