"""A matemática da atenção em NumPy: uma função para cada símbolo do livro.

Convenções de todas as funções:

- as formas citam n tokens, c posições por vetor e h cabeças; ``…`` são eixos de lote à
  esquerda, quantos houver;
- entra float, sai float do mesmo tipo (float32 continua float32); inteiros viram float64;
- nenhuma entrada é alterada;
- máscara é booleana e True quer dizer "pode atender", como em
  ``torch.nn.functional.scaled_dot_product_attention``.

Fonte das fórmulas: Vaswani et al. (2017), "Attention Is All You Need", seção 3.2.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atencao._arguments import divisors, integer, positive_integer, real

MOST_AXES = 32  # o limite de np.broadcast

# NaN e infinito seguem a regra escrita em cada função, e o aviso do NumPy só acusaria o mascarado;
# o que de tão pequeno vira zero não muda soma nenhuma.
_quiet = np.errstate(invalid="ignore", under="ignore")


class Attention(NamedTuple):
    """O que a atenção devolve, do que mais se usa ao que mais se inspeciona."""

    context: NDArray  # C, (…, n_query, c_value)
    weights: NDArray  # A, (…, n_query, n_key)
    scores: NDArray  # Ω, (…, n_query, n_key), antes da escala e da máscara


def softmax(x: ArrayLike, axis: int = -1) -> NDArray:
    """Transforma diferenças entre números em razões entre pesos que somam 1 em ``axis``.

    x: (…), axis: um dos eixos de x → (…), mesma forma.

    Estável: o maior valor é subtraído antes da exponencial, o que não muda o resultado.
    Uma fatia só de −inf (nada a que atender) dá zeros. NaN ou +inf numa fatia a enche de
    NaN, e só ela.

    Levanta TypeError se x não for de números reais ou axis não for inteiro; ValueError se x
    for um escalar, estiver vazio ou não tiver o eixo pedido.
    """
    x = _real_array(x, "x", floating=True)
    axis = _existing_axis(axis, x)
    peak = x.max(axis=axis, keepdims=True)
    peak = np.where(np.isneginf(peak), 0, peak)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        powers = np.exp(x - peak)
        total = powers.sum(axis=axis, keepdims=True)
        return np.divide(powers, total, out=np.zeros_like(powers), where=total != 0)


@_quiet
def attention_scores(query: ArrayLike, key: ArrayLike) -> NDArray:
    """Ω = QKᵀ: o produto escalar de cada consulta com cada chave.

    query: (…, n_query, c), key: (…, n_key, c) → (…, n_query, n_key).

    Levanta TypeError se algo não for de números reais; ValueError se faltar eixo, houver eixo
    vazio, as larguras c forem diferentes ou os lotes não combinarem.
    """
    query = _sequence(query, "query")
    key = _sequence(key, "key")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query tem vetores de largura {query.shape[-1]} (forma {query.shape}) e key, de "
            f"largura {key.shape[-1]} (forma {key.shape}); o produto escalar pede larguras "
            "iguais. Projete as duas para o mesmo c."
        )
    _batch_shape(query=query, key=key)
    return query @ key.swapaxes(-1, -2)


@_quiet
def attention_weights(
    query: ArrayLike,
    key: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray:
    """A = softmax(Ω · scale) por linha, com −inf onde a máscara proíbe.

    query: (…, n_query, c), key: (…, n_key, c), mask: booleana que se expanda para
    (…, n_query, n_key), True = pode atender → (…, n_query, n_key).

    ``scale=None`` quer dizer 1/√c; ``scale=1.0`` desliga a escala. A linha de uma consulta que
    não pode atender a ninguém é só de zeros. NaN numa pontuação permitida contamina a linha;
    numa proibida, não aparece.

    Levanta, além dos erros de ``attention_scores``, TypeError se a máscara não for booleana ou
    scale não for número; ValueError se a máscara não couber ou scale não for finito.
    """
    query = _sequence(query, "query")
    return _weights(attention_scores(query, key), query.shape[-1], mask, scale)


@_quiet
def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Attention:
    """C = softmax(QKᵀ/√c) V: a equação 1 de Vaswani et al. (2017), com máscara.

    query: (…, n_query, c), key: (…, n_key, c), value: (…, n_key, c_value), mask e scale como em
    ``attention_weights`` → Attention(context, weights, scores), com context de forma
    (…, n_query, c_value) e as outras duas (…, n_query, n_key).

    NaN ou infinito num valor proibido pela máscara não vaza para o contexto; num permitido,
    passa adiante.

    Levanta os erros de ``attention_weights`` e ValueError se value não tiver uma linha por chave.
    """
    query, key = _sequence(query, "query"), _sequence(key, "key")
    value = _sequence(value, "value")
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(
            f"value tem {value.shape[-2]} linhas (forma {value.shape}) e key tem "
            f"{key.shape[-2]} (forma {key.shape}); cada chave entrega um valor, então as duas "
            "precisam do mesmo número de linhas."
        )
    _batch_shape(query=query, key=key, value=value)
    scores = attention_scores(query, key)
    weights = _weights(scores, query.shape[-1], mask, scale)
    return Attention(_mix(weights, value, mask), weights, scores)


def causal_mask(n: int) -> NDArray[np.bool_]:
    """Máscara causal: o token m pode atender a p só se p ≤ m.

    n: inteiro positivo → (n, n) booleana, True na diagonal e abaixo dela.

    Levanta TypeError se n não for inteiro; ValueError se n < 1.
    """
    n = positive_integer(n, "n", "o número de tokens")
    return np.tri(n, dtype=bool)


def split_heads(x: ArrayLike, num_heads: int) -> NDArray:
    """Reparte a largura entre as cabeças: a cabeça i recebe as colunas de i·c a (i+1)·c − 1.

    x: (…, n, c_total), num_heads: h → (…, h, n, c), com c = c_total / h; o tipo de x é mantido.

    Levanta TypeError se x não for de números reais ou h não for inteiro; ValueError se faltar
    eixo em x, h < 1 ou h não dividir c_total.
    """
    x = _sequence(x, "x", floating=False)
    num_heads = positive_integer(num_heads, "num_heads", "o número de cabeças")
    *batch, n, total = x.shape
    if total % num_heads:
        raise ValueError(
            f"num_heads = {num_heads} não divide a largura {total} de x (forma {x.shape}): "
            f"sobrariam {total % num_heads} posições. Use um divisor de {total}: "
            f"{divisors(total)}."
        )
    return x.reshape(*batch, n, num_heads, total // num_heads).swapaxes(-2, -3)


def merge_heads(x: ArrayLike) -> NDArray:
    """Põe as cabeças lado a lado de novo: o inverso de ``split_heads``.

    x: (…, h, n, c) → (…, n, h·c); o tipo de x é mantido.

    Levanta TypeError se x não for de números reais; ValueError se x tiver menos de 3 eixos ou
    algum eixo vazio.
    """
    x = _real_array(x, "x", floating=False)
    if x.ndim < 3:
        raise ValueError(
            f"x tem forma {x.shape}; merge_heads espera (…, h, n, c), com ao menos 3 eixos. "
            "Se há uma cabeça só, use x[np.newaxis]."
        )
    *batch, num_heads, n, width = x.shape
    return x.swapaxes(-2, -3).reshape(*batch, n, num_heads * width)


def _weights(scores: NDArray, width: int, mask: ArrayLike | None, scale: float | None) -> NDArray:
    scores = scores * _scale_factor(scale, width)
    if mask is not None:
        scores = np.where(_fitting_mask(mask, scores.shape), scores, -np.inf)
    return softmax(scores)


def _mix(weights: NDArray, value: NDArray, mask: ArrayLike | None) -> NDArray:
    finite = np.isfinite(value)
    if mask is None or finite.all():
        return weights @ value
    # 0 · NaN é NaN: no produto de matrizes, o proibido contaminaria todas as linhas.
    terms = weights[..., np.newaxis] * np.expand_dims(np.where(finite, 0, value), -3)
    allowed = np.broadcast_to(mask, weights.shape)[..., np.newaxis]
    return weights @ np.where(finite, value, 0) + np.where(allowed, terms, 0).sum(axis=-2)


def _real_array(x: ArrayLike, name: str, *, floating: bool) -> NDArray:
    try:
        array = np.asarray(x)
    except Exception:
        raise ValueError(
            f"não consegui ler {name} ({type(x).__name__}) como uma matriz de números. Numa lista, "
            "todas as linhas precisam do mesmo comprimento; um tensor do PyTorch se converte com "
            f"{name}.detach().cpu().numpy()."
        ) from None
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} precisa ser de números reais e tem tipo {array.dtype} (forma {array.shape}). "
            "Converta com np.asarray(…, dtype=float)."
        )
    if array.size == 0:
        raise ValueError(
            f"{name} está vazio (forma {array.shape}): é preciso ao menos um token e uma posição."
        )
    if array.ndim > MOST_AXES:
        raise ValueError(f"{name} tem {array.ndim} eixos; use até {MOST_AXES}.")
    if floating and array.dtype.kind != "f":
        array = array.astype(float)
    return array


def _sequence(x: ArrayLike, name: str, *, floating: bool = True) -> NDArray:
    array = _real_array(x, name, floating=floating)
    if array.ndim < 2:
        raise ValueError(
            f"{name} tem forma {array.shape}; espero (…, n, c), um vetor por linha. "
            f"Se é um vetor só, use {name}[np.newaxis]."
        )
    return array


def _batch_shape(**arrays: NDArray) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"os eixos de lote não combinam: {shapes}. À esquerda dos dois últimos eixos, os "
            "tamanhos precisam ser iguais ou 1."
        ) from None


def _fitting_mask(mask: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    try:
        mask = np.asarray(mask)
    except Exception:
        raise ValueError(
            f"não consegui ler a máscara ({type(mask).__name__}) como uma matriz. Numa lista, "
            "todas as linhas precisam do mesmo comprimento."
        ) from None
    if mask.dtype != bool:
        raise TypeError(
            f"a máscara precisa ser booleana e tem tipo {mask.dtype} (forma {mask.shape}). "
            "True quer dizer 'pode atender': compare para obtê-la, como em mask == 1 ou "
            "mask > -np.inf."
        )
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"a máscara tem forma {mask.shape} e as pontuações, {shape}: não há como expandir uma "
            "até a outra. Os dois últimos eixos são (n_query, n_key); os que faltam, use 1."
        ) from None


def _scale_factor(scale: float | None, width: int) -> float:
    if scale is None:
        return 1 / math.sqrt(width)
    factor = real(scale, "scale")
    if not math.isfinite(factor):
        raise ValueError(
            f"scale precisa ser finito e é {factor}. Use None para 1/√c ou 1.0 para não escalar."
        )
    return factor


def _existing_axis(axis: int, x: NDArray) -> int:
    axis = integer(axis, "axis")
    if x.ndim == 0:
        raise ValueError(f"x é um número só, {x}; o softmax compara vários. Use uma lista.")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"x tem forma {x.shape}, com {x.ndim} eixo(s), e não tem o eixo {axis}. "
            "Para somar 1 em cada linha, use axis=-1."
        )
    return axis
