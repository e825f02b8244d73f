"""Produto escalar: uma consulta e três chaves no plano (capítulos 2 e 5, e a capa)."""

import math

import numpy as np
import traitlets

from atencao.explorers.base import Choice, Explorer, Matrix, Table, Texts, br, round_half_up
from atencao.functional import attention_scores, softmax
from atencao.text import library_question

_EXAMPLE = library_question()


class DotProduct(Explorer):
    """A conta da atenção de um token, com as setas na mão.

    Traços: ``query`` (2,) e ``key`` (3, 2), de −1 a 1; ``value`` (3, 3); ``by_hand`` arredonda
    cada etapa como no papel; ``scaled`` divide por √2; ``stretch`` (1 ou 10) alonga os vetores.
    Os padrões são o exemplo artigo / LLM / encontro.
    """

    title = "Uma consulta, três chaves"
    fields = ("tokens", "query", "key", "value", "by_hand", "scaled", "stretch")

    kind = traitlets.Unicode("dot-product", read_only=True).tag(sync=True)
    tokens = Texts(3, 3, _EXAMPLE.tokens).tag(sync=True)
    query = Matrix((2,), limit=1, default_value=_EXAMPLE.query[0].tolist()).tag(sync=True)
    key = Matrix((3, 2), limit=1, default_value=_EXAMPLE.key.tolist()).tag(sync=True)
    value = Matrix((3, 3), default_value=_EXAMPLE.value.tolist()).tag(sync=True)
    by_hand = Choice((False, True)).tag(sync=True)
    scaled = Choice((True, False)).tag(sync=True)
    stretch = Choice((1, 10)).tag(sync=True)

    def numbers(self) -> dict[str, np.ndarray]:
        """As etapas à vista, das pontuações (``scores``) ao contexto (``context``)."""
        def keep(x, digits):
            # No papel, 0,135 é 0,14: um nada a mais desfaz o que o binário deixou abaixo do meio.
            on_paper = [float(round_half_up(value, digits)) for value in x + np.sign(x) * 1e-9]
            return np.array(on_paper) if self.by_hand else x

        query, key = np.array([self.query]), np.array(self.key)
        scores = keep(attention_scores(query, key)[0] * self.stretch**2, 2)
        root = 1.41 if self.by_hand else math.sqrt(2)
        scaled_scores = keep(scores / root, 2) if self.scaled else scores
        powers = keep(np.exp(scaled_scores), 4)
        # No papel, as três exponenciais podem virar 0,0000; sem por quanto dividir, ficam zeros.
        shares = powers / powers.sum() if powers.any() else powers
        weights = keep(shares, 4) if self.by_hand else softmax(scaled_scores)
        return {
            "scores": scores, "scaled_scores": scaled_scores, "powers": powers,
            "weights": weights, "context": weights @ np.array(self.value),
        }

    def tables(self) -> list[Table]:
        numbers = self.numbers()
        context = numbers.pop("context")
        vectors = {f"consulta {self.tokens[0]}": self.query} | {
            f"chave {token}": key for token, key in zip(self.tokens, self.key, strict=True)
        }
        return [
            Table("Vetores", ["vetor", "formato", "assunto"],
                  [[name, *(br(x) for x in vector)] for name, vector in vectors.items()]),
            Table("Da pontuação ao peso", ["token", "q·k", "÷ √2", "e^x", "peso"],
                  [[token, *(br(stage[i], 4) for stage in numbers.values())]
                   for i, token in enumerate(self.tokens)]),
            Table("Contexto: a mistura dos valores", ["vetor", "1", "2", "3"],
                  [["C", *(br(x, 4) for x in context)]]),
        ]
