"""Escala e softmax: a largura c cresce, e o divisor decide o que sobra da atenção (capítulo 04)."""

import functools
import math

import numpy as np
import traitlets

from atencao.explorers.base import Choice, Explorer, Table, Whole, br
from atencao.functional import attention_scores, softmax

LINES, KEYS, WIDEST = 128, 12, 1024


class Scale(Explorer):
    """Pontuações, pesos e derivadas de 128 consultas sorteadas, com 12 chaves cada.

    Traços: ``c``, de 1 a 1024; ``divisor``, "1", "sqrt(c)" ou "c"; ``seed``, de 0 a 9999. Os
    vetores são sorteados uma vez por semente, com 1024 posições, e a conta usa as c primeiras.
    """

    title = "Quanto dividir antes do softmax"
    fields = ("c", "divisor", "seed")

    kind = traitlets.Unicode("scale", read_only=True).tag(sync=True)
    c = Whole(1, WIDEST, default_value=16).tag(sync=True)
    divisor = Choice(("1", "sqrt(c)", "c")).tag(sync=True)
    seed = Whole(0, 9999, default_value=44).tag(sync=True)

    def numbers(self) -> dict[str, np.ndarray]:
        """O que está à vista; o eixo 0 é a consulta, e a linha desenhada é a 0.

        ``scores`` (já divididas) e ``weights``, (128, 12); ``entropy`` (parte do máximo),
        ``largest``, ``jacobian`` (norma de J) e ``reach`` (norma de JK/s), (128,).
        """
        query, key = (part[..., : self.c] for part in _vectors(self.seed))
        scores = attention_scores(query, key)[:, 0] / self._s()
        weights = softmax(scores)
        jacobian = weights[:, :, None] * (np.eye(KEYS) - weights[:, None, :])
        logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
        return {
            "scores": scores,
            "weights": weights,
            "entropy": -(weights * logs).sum(axis=-1) / math.log(KEYS),
            "largest": weights.max(axis=-1),
            "jacobian": np.linalg.norm(jacobian, axis=(1, 2)),
            "reach": np.linalg.norm(jacobian @ key / self._s(), axis=(1, 2)),
        }

    def _s(self) -> float:
        return {"1": 1.0, "sqrt(c)": math.sqrt(self.c), "c": float(self.c)}[self.divisor]

    def tables(self) -> list[Table]:
        numbers = self.numbers()
        written = {"1": "sem escala", "sqrt(c)": "÷ √c", "c": "÷ c"}[self.divisor]

        def row(label, values, write):
            return [label, write(values[0]), write(np.median(values))]

        return [
            Table(f"c = {self.c}, {written}, sorteio {self.seed}: linha e mediana de {LINES}",
                  ["medida", "linha", "mediana"],
                  [row("entropia (% do máximo)", numbers["entropy"], _percent),
                   row("maior peso", numbers["largest"], br),
                   row("norma de J", numbers["jacobian"], _small),
                   row("norma de JK/s", numbers["reach"], _small)]),
            Table(f"Variância de {LINES * KEYS} pontuações", ["medida", "valor"],
                  [["sorteada", _small(numbers["scores"].var())],
                   ["prevista, c/s²", _small(self.c / self._s() ** 2)]]),
            Table("Pesos desta linha", ["chave", "ω/s", "peso"],
                  [[str(i + 1), br(score), br(weight)] for i, (score, weight) in
                   enumerate(zip(numbers["scores"][0], numbers["weights"][0], strict=True))]),
        ]


def _percent(share: float) -> str:
    return f"{br(100 * share, 1)}%"


def _small(number: float) -> str:
    """Duas casas bastam a um número grande; um pequeno pede quatro."""
    return br(number, 2 if abs(number) >= 10 else 4)


@functools.lru_cache(maxsize=1)
def _vectors(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Consultas (128, 1, 1024) e chaves (128, 12, 1024): a consulta i vê as chaves i, i + 1, …"""
    positions = normals(seed, WIDEST * 2 * LINES).reshape(WIDEST, 2, LINES)
    query, key = positions.transpose(1, 2, 0)
    seen = (np.arange(LINES)[:, None] + np.arange(KEYS)) % LINES
    return query[:, None], key[seen]


def normals(seed: int, count: int) -> np.ndarray:
    """Os mesmos ``count`` números, um par deles, que js/random.js sorteia (mulberry32, Box-Muller).

    O NumPy tem sorteios melhores, mas nenhum que o navegador repita.
    """
    state = np.uint32(seed) + np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x6D2B79F5)
    mixed = (state ^ (state >> 15)) * (state | np.uint32(1))
    mixed = (mixed + (mixed ^ (mixed >> 7)) * (mixed | np.uint32(61))) ^ mixed
    first, second = ((mixed ^ (mixed >> 14)) / 2**32).reshape(-1, 2).T
    radius, angle = np.sqrt(-2 * np.log(1 - first)), 2 * np.pi * second
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).ravel()
