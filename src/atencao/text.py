"""De uma frase aos vetores: tokens, ids, embeddings, e os dados de exemplo do curso.

Os tokens deste curso são palavras inteiras e sinais de pontuação, para que dê para acompanhar
com um lápis. Modelos de verdade usam pedaços de palavra; o resto do caminho é igual.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atencao._arguments import integer, positive_integer


def tokenize(text: str) -> list[str]:
    """Separa um texto em palavras, em minúsculas, e sinais de pontuação.

    text: str → lista de tokens. Levanta TypeError se text não for str.
    """
    if not isinstance(text, str):
        raise TypeError(f"text precisa ser str; recebi {type(text).__name__}.")
    # "á" pode vir como um caractere ou como "a" mais um acento, que \w não reconhece.
    return re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text).lower())


class Vocabulary:
    """O dicionário do modelo: cada token distinto, na ordem em que apareceu, ganha um id.

    Levanta TypeError se tokens não for uma sequência de str.
    """

    def __init__(self, tokens: Iterable[str]):
        self.tokens = list(dict.fromkeys(_token_list(tokens)))
        self._ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Iterable[str]) -> NDArray[np.int64]:
        """Tokens → ids (n,).

        Levanta KeyError se algum token não estiver no vocabulário; TypeError se tokens não for
        uma sequência de str.
        """
        tokens = _token_list(tokens)
        unknown = [token for token in tokens if token not in self._ids]
        if unknown:
            raise KeyError(
                f"fora do vocabulário de {len(self)} tokens: {', '.join(unknown)}. "
                "Monte o vocabulário com todos os textos que vai usar."
            )
        return np.array([self._ids[token] for token in tokens], dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Ids → tokens. Levanta IndexError se um id não existir; TypeError se não for inteiro."""
        ids = [integer(i, "cada id") for i in _listed(ids, "ids")]
        missing = [i for i in ids if not 0 <= i < len(self)]
        if missing:
            raise IndexError(f"os ids vão de 0 a {len(self) - 1}; recebi {missing}.")
        return [self.tokens[i] for i in ids]


def one_hot(ids: ArrayLike, size: int) -> NDArray[np.float64]:
    """Uma linha por id, com 1 na posição do id e 0 nas outras: (…,) → (…, size).

    Levanta IndexError se algum id não couber em size; TypeError se os ids ou size não forem
    inteiros; ValueError se size < 1 ou os ids não formarem uma matriz.
    """
    size = positive_integer(size, "size", "o tamanho do vocabulário")
    ids = _integer_array(ids)
    if ids.size and not (ids.min() >= 0 and ids.max() < size):
        raise IndexError(f"os ids vão de {ids.min()} a {ids.max()} e size é {size}.")
    return (ids[..., np.newaxis] == np.arange(size)).astype(float)


def sinusoidal_positions(n: int, d: int) -> NDArray[np.float64]:
    """Vetores de posição de senos e cossenos: (n, d), valores em [−1, 1].

    A coluna 2i traz sen(p / 10000^(2i/d)) e a 2i+1, o cosseno do mesmo ângulo.
    Fonte: Vaswani et al. (2017), seção 3.5. Levanta TypeError ou ValueError se n ou d não for
    um inteiro positivo.
    """
    n = positive_integer(n, "n", "o número de posições")
    d = positive_integer(d, "d", "a largura dos vetores")
    positions = np.arange(n)[:, np.newaxis]
    columns = np.arange(d)
    angles = positions / 10_000 ** (2 * (columns // 2) / d)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# Embeddings feitos à mão, para que cada número tenha um motivo que se lê.
AXES = ("documento", "tecnologia", "ser vivo", "lugar")
EMBEDDINGS = {
    "o": (0.1, 0.1, 0.1, 0.1),
    "artigo": (0.9, 0.5, 0.0, 0.1),
    "sobre": (0.2, 0.2, 0.0, 0.1),
    "llm": (0.3, 0.9, 0.1, 0.0),
    "está": (0.0, 0.0, 0.3, 0.5),
    "na": (0.0, 0.0, 0.0, 0.4),
    "biblioteca": (0.6, 0.2, 0.0, 0.8),
    "the": (0.1, 0.1, 0.1, 0.1),
    "fat": (0.0, 0.0, 0.8, 0.1),
    "cat": (0.0, 0.1, 1.0, 0.1),
    "sat": (0.0, 0.0, 0.5, 0.5),
    "on": (0.0, 0.0, 0.0, 0.5),
    "mat": (0.1, 0.0, 0.1, 0.9),
}

ARTICLE_SENTENCE = "O artigo sobre LLM está na biblioteca"
CAT_SENTENCE = "The fat cat sat on the mat"


def embed(tokens: Sequence[str]) -> NDArray[np.float64]:
    """As linhas de EMBEDDINGS dos tokens dados: n tokens → (n, 4), colunas em AXES.

    Levanta KeyError se algum token não tiver embedding; TypeError se tokens não for uma
    sequência de str.
    """
    tokens = _token_list(tokens)
    unknown = [token for token in tokens if token not in EMBEDDINGS]
    if unknown:
        raise KeyError(f"sem embedding feito à mão: {', '.join(unknown)}.")
    return np.array([EMBEDDINGS[token] for token in tokens]).reshape(-1, len(AXES))


class LibraryQuestion(NamedTuple):
    """"Onde encontro o artigo sobre LLM?", sem as palavras vazias, vista pelo token *artigo*.

    Os dois eixos das consultas e chaves são formato (físico ↔ documento) e assunto
    (outro ↔ tecnologia). Os valores são escolha nossa: três eixos fáceis de reconhecer.
    """

    tokens: tuple[str, ...]
    query: NDArray[np.float64]  # (1, 2): a consulta de artigo
    key: NDArray[np.float64]  # (3, 2)
    value: NDArray[np.float64]  # (3, 3)


LIBRARY_QUESTION = "Onde encontro o artigo sobre LLM?"
LIBRARY_AXES = ("formato", "assunto")
LIBRARY_VALUE_AXES = ("é um texto", "é tecnologia", "é uma ação")


def library_question() -> LibraryQuestion:
    """O exemplo resolvido do capítulo 05, na ordem em que ele é contado: artigo, LLM, encontro."""
    return LibraryQuestion(
        tokens=("artigo", "LLM", "encontro"),
        query=np.array([[0.9, 0.8]]),
        key=np.array([[0.9, 0.7], [0.2, 0.9], [-0.8, -0.1]]),
        value=np.array([[1.0, 0.2, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    )


def _token_list(tokens: Iterable[str]) -> list[str]:
    if isinstance(tokens, str):
        raise TypeError(
            f"esperava uma lista de tokens e recebi o texto {tokens!r}. Separe-o com tokenize."
        )
    tokens = _listed(tokens, "tokens")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"cada token precisa ser str; recebi {token!r}.")
    return tokens


def _listed(items: Iterable, name: str) -> list:
    try:
        return list(items)
    except TypeError:
        raise TypeError(
            f"{name} precisa ser uma sequência; recebi {type(items).__name__}."
        ) from None


def _integer_array(ids: ArrayLike) -> NDArray[np.integer]:
    try:
        array = np.asarray(ids)
    except Exception as error:
        raise ValueError(f"não consegui ler os ids como uma matriz: {error}.") from None
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(
            f"os ids precisam ser inteiros e têm tipo {array.dtype} (forma {array.shape})."
        )
    return array.astype(np.int64)
