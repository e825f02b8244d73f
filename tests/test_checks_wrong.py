"""Errado nunca passa: nem o erro comum, que tem nome, nem o truque de quem só quer o certo."""

import numpy as np
import pytest

import atencao
from atencao.checks import check as judging
from atencao.checks.exercises import EXERCISES
from check_answers import PLAIN, SOFTMAX, SOLUTIONS, check, function

# (exercício, a falha que se espera ler, código)
MISTAKES = [
    ("one_hot", "one_hot_transposed", "def f(ids, v): return np.eye(v)[ids].T"),
    ("one_hot", "ids_from_one", "def f(ids, v): return np.eye(v)[ids - 1]"),
    ("one_hot", "one_hot_counted", "def f(ids, v): return np.eye(v)[ids].sum(0)"),
    ("embed", "embed_averaged", "def f(ids, table): return table[ids].mean(axis=0)"),
    ("embed", "ids_from_one", "def f(ids, table): return table[ids - 1]"),
    ("embed", "embed_unique", "def f(ids, table): return table[sorted(set(ids))]"),
    ("sinusoidal_positions", "positions_in_halves", '''
def f(n, d):
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.hstack([np.sin(angle), np.cos(angle)])
'''),
    ("sinusoidal_positions", "positions_from_one", '''
def f(n, d):
    i = np.arange(d)
    angle = (np.arange(n)[:, None] + 1) / 10000 ** (i // 2 * 2 / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle))
'''),
    ("dot_product", "dot_not_summed", "def f(a, b): return a * b"),
    ("dot_product", "dot_added", "def f(a, b): return sum(a + b)"),
    ("dot_product", "dot_cosine", "def f(a, b):\n"
     "    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))"),
    ("dot_product", "dot_averaged", "def f(a, b): return np.mean(a * b)"),
    ("softmax", "softmax_wrong_axis", "def f(x): return np.exp(x) / np.exp(x).sum(axis=0)"),
    ("softmax", "softmax_over_everything", "def f(x): return softmax(x.ravel()).reshape(x.shape)"),
    ("softmax", "softmax_overflow", "def f(x):\n"
     "    e = np.exp(x)\n    return e / e.sum(axis=1, keepdims=True)"),
    ("softmax", "softmax_keepdims", "def f(x): return np.exp(x) / np.exp(x).sum(axis=1)"),
    ("softmax", "softmax_shared_maximum", "def f(x):\n"
     "    e = np.exp(x - x.max())\n    return e / e.sum(axis=1, keepdims=True)"),
    ("softmax", "softmax_not_divided", "def f(x): return np.exp(x)"),
    ("softmax", "softmax_without_exponential", "def f(x): return x / x.sum(-1, keepdims=True)"),
    ("softmax", "softmax_logarithm", "def f(x): return np.log(softmax(x))"),
    ("softmax", "rounded", "def f(x): return softmax(x).round(2)"),
    ("softmax_row", "softmax_overflow", '''
import math
def f(x):
    powers = [math.exp(value) for value in x]
    return [power / sum(powers) for power in powers]
'''),
    ("softmax_row", "softmax_hard", "def f(x): return (x == x.max()).astype(float)"),
    ("dot_product_attention", "scale_unwanted", "def f(x):\n"
     "    return softmax(x @ x.T / np.sqrt(x.shape[1])) @ x"),
    ("dot_product_attention", "softmax_missing", "def f(x): return x @ x.T @ x"),
    ("dot_product_attention", "context_is_the_weights", "def f(x): return softmax(x @ x.T)"),
    ("dot_product_attention", "key_not_transposed", "def f(x): return softmax(x @ x) @ x"),
    ("attention_scores", "key_not_transposed", "def f(q, k): return q @ k"),
    ("attention_scores", "scores_transposed", "def f(q, k): return k @ q.T"),
    ("attention_scores", "query_with_itself", "def f(q, k): return q @ q.T"),
    ("attention_weights", "scale_missing", "def f(q, k): return softmax(q @ k.T)"),
    ("attention_weights", "scale_by_c", "def f(q, k): return softmax(q @ k.T / q.shape[1])"),
    ("attention_weights", "scale_by_sqrt_n", "def f(q, k): return softmax(q @ k.T / len(q)**.5)"),
    ("attention_weights", "scale_after_softmax", "def f(q, k):\n"
     "    return softmax(q @ k.T) / np.sqrt(q.shape[1])"),
    ("attention_weights", "scale_from_the_example", "def f(q, k): return softmax(q @ k.T / 2**.5)"),
    ("attention_weights", "softmax_twice", "def f(q, k):\n"
     "    return softmax(softmax(q @ k.T / np.sqrt(q.shape[1])))"),
    ("scaled_dot_product_attention", "scale_multiplied", "def f(q, k, v):\n"
     "    return softmax(q @ k.T * np.sqrt(q.shape[1])) @ v"),
    ("scaled_dot_product_attention", "softmax_missing", "def f(q, k, v):\n"
     "    return q @ k.T / np.sqrt(q.shape[1]) @ v"),
    ("project", "projections_swapped", "def f(x, a, b, c): return x @ b, x @ a, x @ c"),
    ("project", "key_and_value_swapped", "def f(x, a, b, c): return x @ a, x @ c, x @ b"),
    ("project", "value_from_key_matrix", "def f(x, a, b, c): return x @ a, x @ b, x @ b"),
    ("project", "projection_transposed", "def f(x, a, b, c): return x @ a.T, x @ b.T, x @ c.T"),
    ("project", "value_not_projected", "def f(x, a, b, c): return x @ a, x @ b, x"),
    ("self_attention", "value_not_projected", "def f(x, a, b, c):\n"
     "    return softmax((x @ a) @ (x @ b).T / np.sqrt(a.shape[1])) @ x"),
    ("self_attention", "scale_by_sqrt_d", "def f(x, a, b, c):\n"
     "    return softmax((x @ a) @ (x @ b).T / np.sqrt(x.shape[1])) @ (x @ c)"),
    ("self_attention", "scores_without_projection", "def f(x, a, b, c):\n"
     "    return softmax(x @ x.T / np.sqrt(a.shape[1])) @ (x @ c)"),
    ("self_attention", "query_with_itself", "def f(x, a, b, c):\n"
     "    q = x @ a\n    return softmax(q @ q.T / np.sqrt(a.shape[1])) @ (x @ c)"),
    ("causal_mask", "mask_one_ahead", "def f(n): return np.tri(n, k=1, dtype=bool)"),
    ("causal_mask", "mask_not_itself", "def f(n): return np.tri(n, k=-1, dtype=bool)"),
    ("causal_mask", "mask_transposed", "def f(n): return np.triu(np.ones((n, n), dtype=bool))"),
    ("causal_mask", "mask_upside_down", "def f(n): return np.triu(np.ones((n, n), bool), 1)"),
    ("causal_mask", "mask_as_numbers", "def f(n): return np.tri(n)"),
    ("causal_mask", "mask_additive", "def f(n): return np.where(np.tri(n), 0, -np.inf)"),
    ("causal_attention", "mask_missing", "def f(q, k, v):\n"
     "    s = q @ k.T / np.sqrt(q.shape[1])\n    np.where(np.tri(len(q)), s, -np.inf)\n"
     "    return softmax(s) @ v"),
    ("causal_attention", "mask_after_softmax", "def f(q, k, v):\n"
     "    return softmax(q @ k.T / np.sqrt(q.shape[1])) * np.tri(len(q)) @ v"),
    ("causal_attention", "mask_with_zero", "def f(q, k, v):\n"
     "    return softmax(q @ k.T / np.sqrt(q.shape[1]) * np.tri(len(q))) @ v"),
    ("causal_attention", "mask_added_as_numbers", "def f(q, k, v):\n"
     "    return softmax(q @ k.T / np.sqrt(q.shape[1]) + np.tri(len(q))) @ v"),
    ("causal_attention", "mask_upside_down", SOFTMAX + "def f(q, k, v):\n"
     "    s = q @ k.T / np.sqrt(q.shape[1])\n"
     "    return softmax(np.where(np.tri(len(q)), -np.inf, s)) @ v"),
    ("causal_attention", "mask_with_small_number", "def f(q, k, v):\n"
     "    s = q @ k.T / np.sqrt(q.shape[1])\n"
     "    return softmax(np.where(np.tri(len(q)), s, -10)) @ v"),
    ("causal_self_attention", "mask_one_ahead", "def f(x, a, b, c):\n"
     "    s = (x @ a) @ (x @ b).T / np.sqrt(a.shape[1])\n"
     "    return softmax(np.where(np.tri(len(x), k=1), s, -np.inf)) @ (x @ c)"),
    ("padding_mask", "padding_one_more", "def f(lengths, n):\n"
     "    return (np.arange(n) <= lengths[:, None])[:, None]"),
    ("padding_mask", "padding_without_axis", "def f(lengths, n):\n"
     "    return np.arange(n) < lengths[:, None]"),
    ("padding_mask", "padding_hides_rows", "def f(lengths, n):\n"
     "    return (np.arange(n) < lengths[:, None])[:, :, None]"),
    ("padding_mask", "mask_upside_down", "def f(lengths, n):\n"
     "    return (np.arange(n) >= lengths[:, None])[:, None]"),
    ("padding_mask", "padding_on_the_left", "def f(lengths, n):\n"
     "    return (np.arange(n) >= n - lengths[:, None])[:, None]"),
    ("batch_mask", "masks_joined_with_or", "def f(lengths, n):\n"
     "    return np.tri(n, dtype=bool) | (np.arange(n) < lengths[:, None])[:, None]"),
    ("batch_mask", "masks_only_padding", "def f(lengths, n):\n"
     "    return (np.arange(n) < lengths[:, None])[:, None]"),
    ("batched_attention", "nobody_is_nan", SOFTMAX + "def f(q, k, v, mask):\n"
     "    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n"
     "    return softmax(np.where(mask, s, -np.inf)) @ v"),
    ("batched_attention", "nobody_is_uniform", "def f(q, k, v, mask):\n"
     "    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n"
     "    return softmax(np.where(mask, s, -1e9)) @ v"),
    ("batched_attention", "softmax_over_first_axis", PLAIN.replace("-1", "0") + '''
def f(q, k, v, mask):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(mask, s, -np.inf)) @ v
'''),
    ("split_heads", "heads_cut_by_rows", "def f(x, h): return x.reshape(h, len(x), -1)"),
    ("split_heads", "heads_not_moved", "def f(x, h): return x.reshape(len(x), h, -1)"),
    ("split_heads", "heads_interleaved", "def f(x, h): return [x[:, i::h] for i in range(h)]"),
    ("merge_heads", "merged_without_transposing", "def f(x): return x.reshape(x.shape[1], -1)"),
    ("merge_heads", "merged_summed", "def f(x): return x.mean(axis=0)"),
    ("merge_heads", "merged_stacked", "def f(x): return np.concatenate(list(x))"),
    ("multi_head_attention", "output_missing", '''
def f(x, a, b, c, o, h):
    q, k, v = (atencao.split_heads(x @ w, h) for w in (a, b, c))
    return atencao.merge_heads(atencao.scaled_dot_product_attention(q, k, v).context)
'''),
    ("multi_head_attention", "one_head_only", '''
def f(x, a, b, c, o, h):
    return atencao.scaled_dot_product_attention(x @ a, x @ b, x @ c).context @ o
'''),
    ("multi_head_attention", "heads_cut_by_rows", '''
def f(x, a, b, c, o, h):
    q, k, v = ((x @ w).reshape(h, len(x), -1) for w in (a, b, c))
    context = atencao.scaled_dot_product_attention(q, k, v).context
    return atencao.merge_heads(context) @ o
'''),
    ("multi_head_attention", "scale_by_sqrt_total", '''
def f(x, a, b, c, o, h):
    q, k, v = (atencao.split_heads(x @ w, h) for w in (a, b, c))
    scale = 1 / np.sqrt(a.shape[1])
    context = atencao.scaled_dot_product_attention(q, k, v, scale=scale).context
    return atencao.merge_heads(context) @ o
'''),
    ("feed_forward", "fold_missing", "def f(x, w1, b1, w2, b2): return (x @ w1 + b1) @ w2 + b2"),
    ("feed_forward", "first_bias_missing", "def f(x, w1, b1, w2, b2):\n"
     "    return np.maximum(x @ w1, 0) @ w2 + b2"),
    ("feed_forward", "fold_is_gelu", '''
def f(x, w1, b1, w2, b2):
    h = x @ w1 + b1
    h = h / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return h @ w2 + b2
'''),
    ("layer_norm", "norm_over_tokens", "def f(x, g, b):\n"
     "    return (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) * g + b"),
    ("layer_norm", "norm_unbiased", "def f(x, g, b):\n    v = x.var(1, keepdims=True, ddof=1)\n"
     "    return (x - x.mean(1, keepdims=True)) / np.sqrt(v + 1e-5) * g + b"),
    ("layer_norm", "norm_without_epsilon", "def f(x, g, b):\n"
     "    return (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True) * g + b"),
    ("transformer_block", "residual_missing_in_attention", '''
def f(x, norm1, attention, norm2, think):
    x = attention(norm1(x))
    return x + think(norm2(x))
'''),
    ("transformer_block", "residual_from_the_input", '''
def f(x, norm1, attention, norm2, think):
    middle = x + attention(norm1(x))
    return x + think(norm2(middle))
'''),
    ("transformer_block", "norm_after_the_sum", '''
def f(x, norm1, attention, norm2, think):
    x = norm1(x + attention(x))
    return norm2(x + think(x))
'''),
]


@pytest.mark.parametrize(("name", "fault", "code"), MISTAKES)
def test_a_common_mistake_is_called_by_its_name(name, fault, code):
    result = check(name, function(code, softmax=atencao.softmax, atencao=atencao))
    assert not result
    assert result.faults == (fault,), result.message
    assert result.score < 1


def right_shape(right):
    def function(*arguments):
        found = right(*arguments)
        return tuple(map(np.zeros_like, found)) if isinstance(found, tuple) else found * 0

    return function


def memorised(right):
    """Decorou a primeira resposta e a repete."""
    seen = []

    def function(*arguments):
        seen.append(right(*arguments))
        return seen[0]

    return function


def only_the_first(right):
    """Certa na primeira vez, e só nela."""
    calls = []

    def function(*arguments):
        calls.append(0)
        found = right(*arguments)
        found = found if isinstance(found, tuple) else (found,)
        off = tuple(np.asarray(a) + (len(calls) > 1) for a in found)
        return off if len(off) > 1 else off[0]

    return function


def only_square(right):
    """Certa só quando todos os tamanhos coincidem: n = c."""

    def function(*arguments):
        sizes = {size for a in arguments for size in np.shape(a)}
        found = right(*arguments)
        found = found if isinstance(found, tuple) else (found,)
        off = tuple(np.asarray(a) + (len(sizes) > 1 or not sizes) for a in found)
        return off if len(off) > 1 else off[0]

    return function


def almost(right):
    """Errada num elemento só, e por pouco."""

    def function(*arguments):
        found = right(*arguments)
        several = isinstance(found, tuple)
        arrays = [np.array(a, dtype=float) for a in (found if several else (found,))]
        arrays[-1][(-1,) * arrays[-1].ndim] += 0.003
        return tuple(arrays) if several else arrays[0]

    return function


def first_argument(right):
    return lambda *arguments: arguments[0]


def not_a_number(right):
    return lambda *arguments: np.asarray(right(*arguments), dtype=float) * np.nan


def one_more_axis(right):
    return lambda *arguments: np.asarray(right(*arguments))[None, None]


def negative(right):
    return lambda *arguments: -np.asarray(right(*arguments), dtype=float) - 1


TRICKS = (
    right_shape, memorised, only_the_first, only_square, almost, first_argument, not_a_number,
    one_more_axis, negative,
)


@pytest.mark.parametrize(
    ("name", "trick"),
    [
        pytest.param(name, trick, id=f"{name}-{trick.__name__}")
        for name in SOLUTIONS
        for trick in TRICKS
        if trick is not only_square or EXERCISES[name].square
    ],
)
def test_no_trick_passes(name, trick):
    result = check(name, trick(function(SOLUTIONS[name])))
    assert not result
    assert result.notes


def test_there_are_enough_wrong_answers():
    assert len(MISTAKES) + len(TRICKS) * len(SOLUTIONS) >= 120


@pytest.mark.parametrize(
    ("name", "code", "phrase"),
    [
        ("softmax", "def f(x): return softmax(x) * 2", "multiplicados por 2"),
        ("softmax", "def f(x): return softmax(x)[::-1]", "em outra ordem"),
        ("softmax", "def f(x): return softmax(x) - 0.5", "somam"),
        ("attention_scores", "def f(q, k): return (q @ k.T).ravel()",
         "Os números estão certos; a forma é que não. A forma saiu (24,)"),
        ("embed", "def f(ids, t): return t[ids].T", "transpostos"),
        ("causal_attention", "def f(q, k, v):\n"
         "    s = q @ k.T / np.sqrt(q.shape[1])\n    s[0, -1] = -np.inf\n    return softmax(s) @ v",
         "vazando"),
        ("batched_attention", '''
def f(q, k, v, mask):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(mask, s, -np.inf)) @ v + q.mean()
''', "no lote, outro"),
        ("self_attention", "def f(x, a, b, c): return x @ c * 0 + 1.0", "era para ser"),
        ("causal_mask", "def f(n): return np.ones((4, 4), dtype=bool)", "mesma para entradas"),
    ],
)
def test_an_unknown_mistake_still_says_which_property_breaks(name, code, phrase):
    result = check(name, function(code, softmax=atencao.softmax))
    assert not result
    assert phrase in result.message.replace("\n    ", " ")


def test_a_solution_that_only_runs_when_square_is_told_so():
    exercise = EXERCISES["attention_scores"]

    def transposed_as_a_list(query, key):
        if query.shape != key.shape or len(key) != key.shape[1]:
            raise ValueError("só sei o caso do exemplo")
        return query @ key.T

    result = judging.check(exercise, transposed_as_a_list)
    assert not result
    assert "só sei o caso do exemplo" in result.message
