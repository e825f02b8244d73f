"""Conferências que dizem qual é o erro: uma função para cada coisa que se constrói no curso.

    from atencao import checks

    checks.softmax(minha_softmax)

Cada uma recebe a sua função (ou um ``nn.Module``, onde o exercício é de PyTorch), chama-a com
entradas de tamanhos diferentes e devolve um ``Result``: vale por verdadeiro se está certo e, se
não está, diz o que você fez, o que mostra isso nos seus números e onde o livro trata do assunto.

Importar este módulo carrega só NumPy.
"""

from collections.abc import Callable

from atencao.checks import exercises as _exercises
from atencao.checks import guard as _guard
from atencao.checks.check import check as _check
from atencao.checks.leaks import leak_free
from atencao.checks.quiz import number, shape
from atencao.checks.result import Result


def one_hot(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``one_hot(ids, size)`` → (n, size): uma linha por id."""
    return _check(_exercises.ONE_HOT, function, seconds)


def embed(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``embed(ids, table)`` → (n, d): a linha da tabela de cada id."""
    return _check(_exercises.EMBED, function, seconds)


def sinusoidal_positions(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``sinusoidal_positions(n, d)`` → (n, d)."""
    return _check(_exercises.SINUSOIDAL_POSITIONS, function, seconds)


def dot_product(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``dot_product(a, b)``: dois vetores, um número."""
    return _check(_exercises.DOT_PRODUCT, function, seconds)


def softmax(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``softmax(scores)``: (n, m) → (n, m), cada linha somando 1."""
    return _check(_exercises.SOFTMAX, function, seconds)


def softmax_row(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``softmax(scores)`` para uma linha só: (m,) → (m,)."""
    return _check(_exercises.SOFTMAX_ROW, function, seconds)


def dot_product_attention(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention(x)`` → contexto (n, d), sem projeções e sem escala."""
    return _check(_exercises.DOT_PRODUCT_ATTENTION, function, seconds)


def attention_scores(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention_scores(query, key)`` → Ω (n, m)."""
    return _check(_exercises.ATTENTION_SCORES, function, seconds)


def attention_weights(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention_weights(query, key)`` → A (n, m)."""
    return _check(_exercises.ATTENTION_WEIGHTS, function, seconds)


def scaled_dot_product_attention(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention(query, key, value)`` → C (n, c_value), sem máscara."""
    return _check(_exercises.SCALED_DOT_PRODUCT_ATTENTION, function, seconds)


def project(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``project(x, w_query, w_key, w_value)`` → (Q, K, V)."""
    return _check(_exercises.PROJECT, function, seconds)


def self_attention(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``self_attention(x, w_query, w_key, w_value)`` → C, ou um ``nn.Module``."""
    return _check(_exercises.SELF_ATTENTION, function, seconds)


def causal_mask(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``causal_mask(n)`` → (n, n) booleana, True = pode atender."""
    return _check(_exercises.CAUSAL_MASK, function, seconds)


def causal_attention(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention(query, key, value)`` → C, em que ninguém vê o futuro."""
    return _check(_exercises.CAUSAL_ATTENTION, function, seconds)


def causal_self_attention(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention(x, w_query, w_key, w_value)`` → C causal, ou um ``nn.Module``."""
    return _check(_exercises.CAUSAL_SELF_ATTENTION, function, seconds)


def padding_mask(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``padding_mask(lengths, n)`` → (B, 1, n) booleana, preenchimento no fim."""
    return _check(_exercises.PADDING_MASK, function, seconds)


def batch_mask(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``batch_mask(lengths, n)`` → (B, n, n): causal e de preenchimento."""
    return _check(_exercises.BATCH_MASK, function, seconds)


def batched_attention(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``attention(query, key, value, mask)``: (B, n, c), com linhas sem ninguém → zeros."""
    return _check(_exercises.BATCHED_ATTENTION, function, seconds)


def split_heads(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``split_heads(x, num_heads)``: (n, h·c) → (h, n, c)."""
    return _check(_exercises.SPLIT_HEADS, function, seconds)


def merge_heads(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``merge_heads(heads)``: (h, n, c) → (n, h·c)."""
    return _check(_exercises.MERGE_HEADS, function, seconds)


def multi_head_attention(
    function: Callable, *, causal: bool = False, seconds: float = _guard.SECONDS
) -> Result:
    """Confere ``(x, w_query, w_key, w_value, w_output, num_heads)`` → (n, d), ou um ``nn.Module``.

    ``causal=True`` pede que nenhum token veja os que vêm depois.
    """
    exercise = (
        _exercises.CAUSAL_MULTI_HEAD_ATTENTION if causal else _exercises.MULTI_HEAD_ATTENTION
    )
    return _check(exercise, function, seconds)


def feed_forward(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``feed_forward(x, w1, b1, w2, b2)`` → (n, d), com ReLU."""
    return _check(_exercises.FEED_FORWARD, function, seconds)


def layer_norm(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``layer_norm(x, gain, shift)`` → (n, d), com ε = 1e−5."""
    return _check(_exercises.LAYER_NORM, function, seconds)


def transformer_block(function: Callable, *, seconds: float = _guard.SECONDS) -> Result:
    """Confere ``block(x, norm_attention, attention, norm_feed_forward, feed_forward)``.

    As quatro camadas são funções que a sua recebe prontas: o exercício é ligá-las.
    """
    return _check(_exercises.TRANSFORMER_BLOCK, function, seconds)


__all__ = [
    "Result",
    "attention_scores",
    "attention_weights",
    "batch_mask",
    "batched_attention",
    "causal_attention",
    "causal_mask",
    "causal_self_attention",
    "dot_product",
    "dot_product_attention",
    "embed",
    "feed_forward",
    "layer_norm",
    "leak_free",
    "merge_heads",
    "multi_head_attention",
    "number",
    "one_hot",
    "padding_mask",
    "project",
    "scaled_dot_product_attention",
    "self_attention",
    "shape",
    "sinusoidal_positions",
    "softmax",
    "softmax_row",
    "split_heads",
    "transformer_block",
]

_guard.remember()
