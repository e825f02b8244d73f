"""Projeção: uma matriz 3×2 leva o espaço ao plano; três matrizes, três vistas (capítulo 03)."""

from typing import Any

import numpy as np
import traitlets

from atencao.explorers.base import Choice, Explorer, Matrix, Table, br
from atencao.functional import attention_scores

AXES = ("nomeia", "age", "vive")
SEARCH_AXES, VALUE_AXES = ("quem", "ação"), ("vida", "ação")
GROUPS = ("nome", "pronome", "verbo", "adjetivo", "ligação")

# Feitos à mão, para que cada número se leia: quanto a palavra nomeia, age e vive, de 0 a 1.
WORDS = [
    ["Maria", "nome", 1.0, 0.0, 1.0], ["menino", "nome", 0.9, 0.2, 1.0],
    ["gata", "nome", 0.9, 0.4, 0.9], ["árvore", "nome", 0.9, 0.1, 0.7],
    ["rio", "nome", 0.8, 0.5, 0.2], ["chuva", "nome", 0.7, 0.6, 0.1],
    ["biblioteca", "nome", 1.0, 0.1, 0.2], ["livro", "nome", 0.9, 0.2, 0.0],
    ["artigo", "nome", 0.8, 0.0, 0.1], ["mesa", "nome", 1.0, 0.0, 0.0],
    ["ela", "pronome", 0.4, 0.0, 0.8], ["ele", "pronome", 0.5, 0.1, 0.8],
    ["alguém", "pronome", 0.3, 0.1, 0.9], ["isso", "pronome", 0.4, 0.0, 0.0],
    ["corre", "verbo", 0.0, 1.0, 0.6], ["encontra", "verbo", 0.1, 0.8, 0.5],
    ["lê", "verbo", 0.1, 0.7, 0.7], ["dorme", "verbo", 0.0, 0.4, 0.8],
    ["cai", "verbo", 0.0, 0.9, 0.1], ["chove", "verbo", 0.2, 0.9, 0.0],
    ["está", "verbo", 0.1, 0.3, 0.3], ["é", "verbo", 0.0, 0.3, 0.1],
    ["viva", "adjetivo", 0.3, 0.3, 1.0], ["veloz", "adjetivo", 0.2, 0.7, 0.3],
    ["pesada", "adjetivo", 0.3, 0.2, 0.1], ["azul", "adjetivo", 0.4, 0.1, 0.2],
    ["a", "ligação", 0.2, 0.0, 0.1], ["um", "ligação", 0.2, 0.1, 0.0],
    ["sobre", "ligação", 0.0, 0.1, 0.0], ["na", "ligação", 0.1, 0.0, 0.0],
]

# Uma linha por eixo, e as colunas quem · ação (consulta e chave) ou vida · ação (valor).
_W_QUERY = [
    [-0.5, 1.0],  # nomeia: procura o que se faz; quem, já é
    [1.0, -1.0],  # age: procura quem faz; ação, já é
    [0.5, 0.5],   # vive: procura um pouco dos dois
]
_W_KEY = [
    [1.0, -0.5],  # nomeia: sou quem, não o que se faz
    [-0.5, 1.0],  # age: sou o que se faz, não quem
    [0.5, 0.0],   # vive: sou quem
]
_W_VALUE = [
    [0.0, 0.0],  # nomeia: serviu para achar; não se entrega
    [0.0, 1.0],  # age
    [1.0, 0.0],  # vive
]


class Cloud(traitlets.TraitType):
    """Traço que guarda palavras: [palavra, classe, nomeia, age, vive], números de 0 a 1."""

    def validate(self, owner: traitlets.HasTraits, value: Any) -> list:
        try:
            words = [
                [word, group, *(float(x) for x in point)] for word, group, *point in value
            ]
        except (TypeError, ValueError):
            words = []
        if not 2 <= len(words) <= 40:
            raise traitlets.TraitError(
                f"{self.name} precisa de 2 a 40 linhas [palavra, classe, nomeia, age, vive]."
            )
        for word, group, *point in words:
            if not isinstance(word, str) or not word.strip():
                raise traitlets.TraitError(f"cada palavra precisa ser um texto; recebi {word!r}.")
            if group not in GROUPS:
                raise traitlets.TraitError(
                    f"a classe de {word} precisa ser uma de: {', '.join(GROUPS)}; "
                    f"recebi {group!r}."
                )
            if len(point) != 3 or not all(0 <= x <= 1 for x in point):
                raise traitlets.TraitError(f"{word} precisa de três números de 0 a 1: {AXES}.")
        if len({word for word, *_ in words}) < len(words):
            raise traitlets.TraitError(f"há palavras repetidas em {self.name}.")
        return words


class Projection(Explorer):
    """Três matrizes 3×2 sobre a mesma nuvem de palavras.

    Traços: ``w_query``, ``w_key`` e ``w_value`` (3, 2), de −2 a 2; ``role``, a matriz à vista
    ("query", "key" ou "value"); ``chosen``, a palavra seguida; ``angles``, giro e inclinação da
    nuvem em graus; ``words``, as palavras. Para trocar ``words`` e ``chosen`` juntos, use
    ``hold_trait_notifications``.
    """

    title = "Uma nuvem, três projeções"
    fields = ("words", "w_query", "w_key", "w_value", "role", "chosen", "angles")

    kind = traitlets.Unicode("projection", read_only=True).tag(sync=True)
    words = Cloud(default_value=WORDS).tag(sync=True)
    w_query = Matrix((3, 2), limit=2, default_value=_W_QUERY).tag(sync=True)
    w_key = Matrix((3, 2), limit=2, default_value=_W_KEY).tag(sync=True)
    w_value = Matrix((3, 2), limit=2, default_value=_W_VALUE).tag(sync=True)
    role = Choice(("query", "key", "value")).tag(sync=True)
    chosen = traitlets.TraitType("ela").tag(sync=True)
    angles = Matrix((2,), limit=180, default_value=[-35, 20]).tag(sync=True)

    @traitlets.validate("chosen")
    def _known(self, proposal):
        return self._refuse_unknown(proposal["value"], self.words)

    @traitlets.validate("words")
    def _keeps_the_chosen(self, proposal):
        self._refuse_unknown(self.chosen, proposal["value"])
        return proposal["value"]

    @staticmethod
    def _refuse_unknown(chosen, words):
        names = [word for word, *_ in words]
        if not isinstance(chosen, str) or chosen not in names:
            raise traitlets.TraitError(
                f"chosen precisa ser uma das palavras: {', '.join(names)}; recebi {chosen!r}."
            )
        return chosen

    def numbers(self) -> dict[str, np.ndarray]:
        """``query``, ``key`` e ``value`` (n, 2), as três vistas; ``scores`` (n,), as pontuações
        da consulta de ``chosen``; ``rank``, o posto da matriz à vista."""
        x = np.array([point for _, _, *point in self.words])
        views = {role: x @ np.array(getattr(self, f"w_{role}"))
                 for role in ("query", "key", "value")}
        line = [self._position()]
        return views | {
            "scores": attention_scores(views["query"][line], views["key"])[0],
            "rank": np.linalg.matrix_rank(np.array(getattr(self, f"w_{self.role}")), tol=1e-6),
        }

    def _position(self) -> int:
        return [word for word, *_ in self.words].index(self.chosen)

    def tables(self) -> list[Table]:
        numbers, position = self.numbers(), self._position()
        point = self.words[position][2:]
        matrix, image = getattr(self, f"w_{self.role}"), numbers[self.role]
        name, axes = f"W_{self.role[0]}", VALUE_AXES if self.role == "value" else SEARCH_AXES
        best = np.argsort(-numbers["scores"].round(9), kind="stable")[:3]
        return [
            Table(f"{self.chosen} por {name}, de posto {numbers['rank']}",
                  ["eixo", "x", *axes],
                  [*([axis, *map(br, (x, *row))]
                     for axis, x, row in zip(AXES, point, matrix, strict=True)),
                   ["resultado", "", *map(br, image[position])]]),
            Table(f"Chaves de maior pontuação para a consulta de {self.chosen}",
                  ["palavra", "q·k"],
                  [[self.words[i][0], br(numbers["scores"][i])] for i in best]),
            Table(f"Onde cada palavra cai por {name}", ["palavra", "classe", *axes],
                  [[word, group, *map(br, place)]
                   for (word, group, *_), place in zip(self.words, image, strict=True)]),
        ]
