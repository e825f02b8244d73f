"""Máscara: quem pode ver quem, onde a máscara entra na conta e o que vaza (capítulos 07 e 08)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets

from atencao._arguments import integer
from atencao.explorers.base import Choice, Explorer, Matrix, Table, Texts, br
from atencao.functional import (
    attention_scores,
    causal_mask,
    scaled_dot_product_attention,
    softmax,
)
from atencao.text import tokenize

MASKS = ("none", "causal", "padding", "both")
ORDERS = ("before", "zero", "after")
PAD = "[pad]"
LONGEST = 64
NUMBERS_UP_TO = 12  # acima disso, a matriz é desenhada sem números
LARGEST = 100
SHOCK = 1  # o que se soma a cada posição da chave e do valor do último token


class Checked(traitlets.TraitType):
    """Traço que passa pela função dada; ela devolve o valor aceito ou levanta TraitError."""

    def __init__(self, check: Callable[[Any, str], Any], default_value: Any):
        super().__init__(default_value)
        self.check = check

    def validate(self, owner: traitlets.HasTraits, value: Any) -> Any:
        return self.check(value, self.name)


def _whole(value: Any, name: str) -> int:
    try:
        value = integer(value, name)
    except TypeError as error:
        raise traitlets.TraitError(str(error)) from None
    if value < 0:
        raise traitlets.TraitError(f"{name} conta a partir de 0; recebi {value}.")
    return value


def _trials(value: Any, name: str) -> dict[str, bool]:
    pairs = {f"{mask}/{order}" for mask in MASKS for order in ORDERS}
    if not isinstance(value, dict) or any(
        key not in pairs or not isinstance(noticed, bool) for key, noticed in value.items()
    ):
        raise traitlets.TraitError(
            f'{name} precisa ser um dicionário como {{"causal/zero": True}}; as chaves juntam uma '
            f"máscara ({', '.join(MASKS)}) e uma ordem ({', '.join(ORDERS)})."
        )
    return dict(value)


class Mask(Explorer):
    """A matriz de pesos de uma frase sob uma máscara, e o teste de vazamento.

    Traços: ``tokens``, n de 2 a 64; ``query`` e ``key`` (n, c) e ``value`` (n, c_value), de −100
    a 100; ``mask`` ("none", "causal", "padding", "both"); ``order``, onde a máscara entra
    ("before": −∞ antes do softmax; "zero": 0 antes; "after": × 0 depois); ``padding``, quantas
    posições são de preenchimento (vetores de zeros, no lugar dos últimos tokens), e ``side``, de
    que lado elas ficam ("right", "left"); ``row``, a consulta escolhida; ``changed`` soma 1 à
    chave e ao valor do último token real; ``trials``, o que já se testou.

    Para mudar n, crie outro explorador ou troque os quatro traços juntos, dentro de
    ``with explorer.hold_trait_notifications():``.
    """

    title = "Máscara: quem pode ver quem"
    fields = (
        "tokens", "query", "key", "value", "mask", "order", "padding", "side", "row", "changed",
        "trials",
    )

    kind = traitlets.Unicode("mask", read_only=True).tag(sync=True)
    tokens = Texts(2, LONGEST, tokenize("O artigo está na biblioteca")).tag(sync=True)
    query = Matrix((None, None), limit=LARGEST, default_value=[
        [1.0, 0.5], [1.0, 1.5], [1.5, 0.5], [0.0, 1.5], [1.5, 1.0],
    ]).tag(sync=True)
    key = Matrix((None, None), limit=LARGEST, default_value=[
        [0.5, 0.5], [1.5, 0.0], [0.5, 1.0], [-0.5, 1.0], [1.0, 1.5],
    ]).tag(sync=True)
    value = Matrix((None, None), limit=LARGEST, default_value=[
        [0.3, 0.2, 0.1], [1.0, 0.0, 0.2], [0.0, 1.0, 0.3], [0.0, 0.1, 0.6], [0.4, 0.0, 1.0],
    ]).tag(sync=True)
    mask = Choice(MASKS).tag(sync=True)
    order = Choice(ORDERS).tag(sync=True)
    padding = Checked(_whole, 0).tag(sync=True)
    side = Choice(("right", "left")).tag(sync=True)
    row = Checked(_whole, 1).tag(sync=True)
    changed = Choice((False, True)).tag(sync=True)
    trials = Checked(_trials, {}).tag(sync=True)

    @traitlets.validate("tokens", "query", "key", "value", "padding", "row")
    def _fits(self, proposal: dict) -> Any:
        wanted = self.state() | {proposal["trait"].name: proposal["value"]}
        n = len(wanted["tokens"])
        for name in ("query", "key", "value"):
            if len(wanted[name]) != n:
                raise traitlets.TraitError(
                    f"tokens tem {n} itens e {name} tem {len(wanted[name])} linhas. Para mudar o "
                    "tamanho, troque tokens, query, key e value juntos, dentro de "
                    "with explorador.hold_trait_notifications()."
                )
        widths = len(wanted["query"][0]), len(wanted["key"][0])
        if widths[0] != widths[1]:
            raise traitlets.TraitError(
                f"query tem largura {widths[0]} e key, {widths[1]}; o produto escalar pede "
                "larguras iguais."
            )
        for name in ("padding", "row"):
            if wanted[name] >= n:
                raise traitlets.TraitError(
                    f"{name} é {wanted[name]} e, com {n} tokens, vai de 0 a {n - 1}."
                )
        return proposal["value"]

    def numbers(self) -> dict[str, np.ndarray]:
        """O que está à vista: ``scaled``, ``entering`` (o que entra no softmax), ``soft`` (o que
        sai dele), ``weights``, ``context``; ``allowed``, a máscara; e ``moved``, quanto cada saída
        anterior se mexe quando o último token real muda (NaN onde o teste não se aplica).
        """
        n, real = len(self.tokens), self._real()
        allowed = np.broadcast_to(real, (n, n)) if self.mask in ("padding", "both") else \
            np.ones((n, n), dtype=bool)
        if self.mask in ("causal", "both"):
            allowed = allowed & causal_mask(n)
        query, key, value = map(self._arranged, (self.query, self.key, self.value))
        last = np.flatnonzero(real)[-1]
        shock = np.zeros((n, 1))
        shock[last] = SHOCK

        calm = self._attend(query, key, value, allowed)
        shaken = self._attend(query, key + shock, value + shock, allowed)
        moved = np.abs(shaken["context"] - calm["context"]).max(axis=-1)
        tested = real & (np.arange(n) < last)
        shown = shaken if self.changed else calm
        return shown | {"allowed": allowed, "moved": np.where(tested, moved, np.nan)}

    def tables(self) -> list[Table]:
        numbers, labels = self.numbers(), self._labels()
        weights, small = numbers["weights"], len(labels) <= NUMBERS_UP_TO
        return [
            Table(
                "Pesos, uma consulta por linha" if small else "Linhas da matriz de pesos",
                ["consulta", *(labels if small else []), "soma", "mexeu"],
                [[label, *(map(br, weights[i]) if small else []), br(weights[i].sum()),
                  _movement(numbers["moved"][i]) if self.changed else "?"]
                 for i, label in enumerate(labels)],
            ),
            Table(
                f"A conta da linha “{labels[self.row]}”", ["etapa", *labels],
                [[stage, *map(_score, numbers[name][self.row])] for stage, name in (
                    ("q·k ÷ √c", "scaled"), ("entra no softmax", "entering"),
                    ("sai do softmax", "soft"), ("peso", "weights"),
                )],
            ),
            Table(
                f"Contexto de “{labels[self.row]}”",
                ["vetor", *map(str, range(1, len(self.value[0]) + 1))],
                [["C", *map(br, numbers["context"][self.row])]],
            ),
        ]

    def _real(self) -> np.ndarray:
        positions = np.arange(len(self.tokens))
        if self.side == "left":
            return positions >= self.padding
        return positions < len(positions) - self.padding

    def _arranged(self, rows: list) -> np.ndarray:
        rows, real = np.array(rows), self._real()
        arranged = np.zeros_like(rows)
        arranged[real] = rows[: real.sum()]
        return arranged

    def _labels(self) -> list[str]:
        words = iter(self.tokens)
        labels = [next(words) if real else PAD for real in self._real()]
        if self.changed:
            labels[np.flatnonzero(self._real())[-1]] += "*"
        return labels

    def _attend(self, query, key, value, allowed) -> dict[str, np.ndarray]:
        scaled = attention_scores(query, key) / np.sqrt(query.shape[-1])
        if self.order == "before":
            entering = np.where(allowed, scaled, -np.inf)
            context, weights, _ = scaled_dot_product_attention(query, key, value, mask=allowed)
            soft = weights
        else:
            entering = np.where(allowed, scaled, 0) if self.order == "zero" else scaled
            soft = softmax(entering)
            weights = soft * allowed if self.order == "after" else soft
            context = weights @ value
        return {"scaled": scaled, "entering": entering, "soft": soft, "weights": weights,
                "context": context}


def _score(x: float) -> str:
    return "−∞" if x == -np.inf else br(x)


def _movement(x: float) -> str:
    if np.isnan(x):
        return "·"
    if x == 0:
        return "0"
    return br(x) if x >= 0.01 else "< 0,01"
