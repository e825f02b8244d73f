"""A matemática em NumPy: exemplos feitos à mão, propriedades e recusas."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

import atencao
from atencao import (
    attention_scores,
    attention_weights,
    causal_mask,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from atencao.text import library_question
from refusals import assert_refused

N_QUERY, N_KEY, C, C_VALUE = 4, 5, 3, 2


def random(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def qkv(*batch, dtype=np.float64):
    return (
        random(*batch, N_QUERY, C, dtype=dtype, seed=1),
        random(*batch, N_KEY, C, dtype=dtype, seed=2),
        random(*batch, N_KEY, C_VALUE, dtype=dtype, seed=3),
    )


def attention_by_loops(query, key, value, mask):
    """A definição, número por número, sem nada do pacote."""
    context = np.zeros((len(query), value.shape[1]))
    for m, q in enumerate(query):
        allowed = [p for p in range(len(key)) if mask[m, p]]
        powers = {p: math.exp(sum(q * key[p]) / math.sqrt(len(q))) for p in allowed}
        for p in allowed:
            context[m] += powers[p] / sum(powers.values()) * value[p]
    return context


# O exemplo resolvido do capítulo 05


def test_worked_example_exact_column():
    example = library_question()
    scores = attention_scores(example.query, example.key)
    assert_allclose(scores, [[1.37, 0.90, -0.80]], atol=1e-12)
    assert_array_equal((scores / math.sqrt(2)).round(4), [[0.9687, 0.6364, -0.5657]])
    weights = attention_weights(example.query, example.key)
    assert_array_equal(weights.round(4), [[0.5174, 0.3711, 0.1115]])


def test_worked_example_without_scaling():
    example = library_question()
    weights = attention_weights(example.query, example.key, scale=1.0)
    assert_array_equal(weights.round(4), [[0.5750, 0.3594, 0.0657]])


def test_worked_example_causal():
    example = library_question()
    order = [2, 0, 1]  # encontro, artigo, LLM
    mask = causal_mask(3)[1:2]  # a linha de artigo
    weights = attention_weights(example.query, example.key[order], mask=mask)
    assert_array_equal(weights[0, [1, 2, 0]].round(4), [0.8227, 0, 0.1773])


# softmax


def test_softmax_turns_differences_into_ratios():
    weights = softmax([0.97, 0.64])
    assert weights[0] / weights[1] == pytest.approx(math.exp(0.97 - 0.64))
    assert weights.sum() == pytest.approx(1)


@given(hnp.arrays(float, hnp.array_shapes(max_dims=4, max_side=5), elements=st.floats(-50, 50)))
def test_softmax_sums_to_one_and_ignores_shifts(x):
    for axis in range(-x.ndim, x.ndim):
        weights = softmax(x, axis=axis)
        assert_allclose(weights, np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True), atol=1e-12)
        assert_allclose(weights, softmax(x + 7, axis=axis), atol=1e-12)
        assert (weights >= 0).all()


def test_softmax_of_extremes():
    x = np.array([[1e30, -1e30, 0], [-1e30, -1e30, -1e30]], dtype=np.float32)
    assert_allclose(softmax(x), [[1, 0, 0], [1 / 3] * 3], rtol=1e-6)
    top = np.finfo(np.float32).max
    assert_array_equal(softmax(np.array([top, -top])), np.array([1, 0], dtype=np.float32))


def test_softmax_of_infinities_and_nan_stays_in_its_slice():
    inf, nan = np.inf, np.nan
    x = np.array([[-inf, -inf], [0, -inf], [0, nan], [0, inf], [0, 0]])
    expected = [[0, 0], [1, 0], [nan, nan], [nan, nan], [0.5, 0.5]]
    assert_array_equal(softmax(x), expected)
    assert_array_equal(softmax(x.T, axis=0), np.transpose(expected))


# Atenção


@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_loops(masked):
    query, key, value = qkv()
    mask = random(N_QUERY, N_KEY) > -0.3 if masked else np.ones((N_QUERY, N_KEY), dtype=bool)
    result = scaled_dot_product_attention(query, key, value, mask=mask if masked else None)
    assert_allclose(result.context, attention_by_loops(query, key, value, mask), atol=1e-12)
    assert_allclose(result.scores, np.einsum("mc,pc->mp", query, key), atol=1e-12)
    assert_allclose(result.weights @ value, result.context, atol=1e-12)
    assert_array_equal(result.weights[~mask], 0)


def test_result_names_and_order():
    result = scaled_dot_product_attention(*qkv())
    assert result._fields == ("context", "weights", "scores")
    assert [part.shape for part in result] == [
        (N_QUERY, C_VALUE), (N_QUERY, N_KEY), (N_QUERY, N_KEY)
    ]


def test_scores_are_before_scale_and_mask():
    query, key, value = qkv()
    mask = np.zeros((N_QUERY, N_KEY), dtype=bool)
    result = scaled_dot_product_attention(query, key, value, mask=mask, scale=0.1)
    assert_array_equal(result.scores, attention_scores(query, key))


def test_scale():
    query, key, _ = qkv()
    default = attention_weights(query, key)
    assert_allclose(default, attention_weights(query, key, scale=1 / math.sqrt(C)), atol=1e-15)
    assert_allclose(default, attention_weights(query / math.sqrt(C), key, scale=1), atol=1e-12)
    assert_allclose(attention_weights(query, key, scale=0), 1 / N_KEY)
    for half in (Fraction(1, 2), np.float32(0.5)):
        assert_array_equal(
            attention_weights(query, key, scale=half), attention_weights(query, key, scale=0.5)
        )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_type_is_kept(dtype):
    query, key, value = qkv(dtype=dtype)
    mask = random(N_QUERY, N_KEY) > 0
    dirty = np.where(mask.any(axis=0)[:, np.newaxis], value, np.array(np.nan, dtype))
    dirty[0] = np.inf
    results = [
        softmax(query),
        attention_scores(query, key),
        attention_weights(query, key, mask=mask, scale=np.float64(0.5)),
        *scaled_dot_product_attention(query, key, value),
        *scaled_dot_product_attention(query, key, value, mask=mask),
        *scaled_dot_product_attention(query, key, dirty, mask=mask),
        split_heads(query, 3),
        merge_heads(query[np.newaxis]),
    ]
    assert {result.dtype for result in results} == {np.dtype(dtype)}


@pytest.mark.parametrize("kind", [list, np.int8, np.uint8, np.int64, bool])
def test_integers_are_computed_as_float(kind):
    big = [[100, 100, 100], [1, 0, 1]]
    x = big if kind is list else np.array(big).astype(kind)
    exact = np.asarray(x, dtype=float)
    for ours, expected in zip(
        scaled_dot_product_attention(x, x, x),
        scaled_dot_product_attention(exact, exact, exact),
        strict=True,
    ):
        assert ours.dtype == np.float64
        assert_array_equal(ours, expected)
    assert_array_equal(softmax(x), softmax(exact))


def test_inputs_are_never_changed():
    query, key, value = qkv(2)
    mask = random(N_QUERY, N_KEY) > 0
    inputs = [query, key, value, mask]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    scaled_dot_product_attention(query, key, value, mask=mask)
    softmax(query)
    merged = merge_heads(split_heads(query, C)[:, :1])
    assert merged.shape == (2, N_QUERY, 1)
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)


def test_single_token():
    x = random(1, 3)
    result = scaled_dot_product_attention(x, x, x, mask=causal_mask(1))
    assert_array_equal(result.weights, [[1]])
    assert_array_equal(result.context, x)


@given(
    hnp.mutually_broadcastable_shapes(num_shapes=4, min_dims=0, max_dims=3, max_side=3),
    st.integers(0, 2**32 - 1),
)
def test_batch_axes_broadcast_as_loops(shapes, seed):
    rng = np.random.default_rng(seed)
    q_batch, k_batch, v_batch, mask_batch = shapes.input_shapes
    batch = np.broadcast_shapes(q_batch, k_batch, v_batch)
    query = rng.normal(size=(*q_batch, N_QUERY, C))
    key = rng.normal(size=(*k_batch, N_KEY, C))
    value = rng.normal(size=(*v_batch, N_KEY, C_VALUE))
    mask = rng.random((*mask_batch, N_QUERY, N_KEY)) > 0.3
    score_batch = np.broadcast_shapes(q_batch, k_batch)
    if np.broadcast_shapes(score_batch, mask_batch) != score_batch:
        assert_refused(scaled_dot_product_attention, query, key, value, mask=mask)
        return
    context = scaled_dot_product_attention(query, key, value, mask=mask).context
    assert context.shape == (*batch, N_QUERY, C_VALUE)
    full = [np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in (query, key, value, mask)]
    for i in np.ndindex(batch):
        expected = attention_by_loops(*(array[i] for array in full))
        assert_allclose(context[i], expected, atol=1e-12)


def test_order_of_keys_does_not_matter():
    query, key, value = qkv()
    order = [3, 0, 4, 1, 2]
    context = scaled_dot_product_attention(query, key, value).context
    shuffled = scaled_dot_product_attention(query, key[order], value[order]).context
    assert_allclose(shuffled, context, atol=1e-12)


# Máscaras, NaN e extremos


def test_causal_mask():
    assert_array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert causal_mask(np.int64(2)).dtype == bool


def test_row_with_nothing_allowed_is_zero():
    query, key, value = qkv(2)
    mask = np.ones((N_QUERY, N_KEY), dtype=bool)
    mask[1] = False
    context, weights, _ = scaled_dot_product_attention(query, key, value, mask=mask)
    assert_array_equal(weights[:, 1], 0)
    assert_array_equal(context[:, 1], 0)
    assert_allclose(weights[:, [0, 2, 3]].sum(axis=-1), 1)


def test_mask_may_be_a_list_or_a_row():
    query, key, _ = qkv()
    row = [True, False, True, True, False]
    assert_array_equal(
        attention_weights(query, key, mask=row),
        attention_weights(query, key, mask=np.tile(row, (N_QUERY, 1))),
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("role", ["key", "value", "both"])
def test_masked_nan_and_infinity_do_not_leak(bad, role):
    query, key, value = qkv(2)
    mask = np.ones((N_QUERY, N_KEY), dtype=bool)
    mask[:, 3] = False
    clean = scaled_dot_product_attention(query, key, value, mask=mask)
    if role != "value":
        key[:, 3] = bad
    if role != "key":
        value[:, 3] = bad
    dirty = scaled_dot_product_attention(query, key, value, mask=mask)
    assert_array_equal(dirty.weights, clean.weights)
    assert_allclose(dirty.context, clean.context, atol=1e-12)


def test_allowed_nan_reaches_whom_it_may_and_nobody_else():
    query, key, value = qkv()
    mask = np.ones((N_QUERY, N_KEY), dtype=bool)
    mask[0, 3] = False
    for array in (key, value):
        kept = array[3].copy()
        array[3] = np.nan
        context = scaled_dot_product_attention(query, key, value, mask=mask).context
        assert np.isfinite(context[0]).all()
        assert np.isnan(context[1:]).all()
        array[3] = kept
    value[3] = np.inf
    context = scaled_dot_product_attention(query, key, value, mask=mask).context
    assert np.isfinite(context[0]).all()
    assert_array_equal(context[1:], np.inf)


def test_nan_is_passed_on_even_when_its_weight_rounds_to_zero():
    query, key, value = [[1e3]], [[1.0], [-1.0]], [[1.0], [math.nan]]
    for mask in (None, [[True, True]]):
        context, weights, _ = scaled_dot_product_attention(query, key, value, mask=mask)
        assert_array_equal(weights, [[1, 0]])
        assert_array_equal(context, [[math.nan]])


def test_scores_up_to_1e30_in_float32():
    query = np.array([[1e15], [-1e15], [0]], dtype=np.float32)
    key = np.array([[1e15], [-1e15], [1e15]], dtype=np.float32)
    for mask, first_row in ((None, [0.5, 0, 0.5]), (causal_mask(3), [1, 0, 0])):
        context, weights, scores = scaled_dot_product_attention(query, key, key, mask=mask)
        assert np.abs(scores).max() > 9e29
        assert_array_equal(weights[0], np.array(first_row, dtype=np.float32))
        assert np.isfinite(context).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", ["smallest_subnormal", "tiny", "max"])
def test_extremes_raise_no_floating_point_alarm(dtype, size):
    extreme = getattr(np.finfo(dtype), size)
    x = np.array([[extreme, -extreme, 0], [extreme] * 3, [0, 1, extreme]], dtype=dtype)
    unit, forbidden = np.eye(3, dtype=dtype), np.where(causal_mask(3), x, np.array(np.nan, dtype))
    with np.errstate(all="raise"):
        assert np.isfinite(softmax(x)).all()
        assert np.isfinite(attention_scores(x, unit)).all()
        assert np.isfinite(attention_weights(x, unit)).all()
        assert np.isnan(attention_scores([[np.inf, -np.inf]], [[1, 1]])).all()
        assert np.isnan(attention_weights([[np.inf]], [[0], [1]], scale=0)).all()
        for mask in (None, causal_mask(3), np.zeros((3, 3), dtype=bool)):
            for parts in ((x, unit, unit), (unit, x, unit), (unit, unit, x)):
                assert np.isfinite(scaled_dot_product_attention(*parts, mask=mask).context).all()
        scaled_dot_product_attention(unit, unit, forbidden.T, mask=causal_mask(3))


# Cabeças


def test_split_equals_slicing_columns_and_merge_undoes_it():
    x = np.arange(2 * 4 * 6).reshape(2, 4, 6)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 4, 2)
    assert heads.dtype == x.dtype
    for i in range(3):
        assert_array_equal(heads[:, i], x[..., 2 * i : 2 * i + 2])
    assert_array_equal(merge_heads(heads), x)


@given(
    st.lists(st.integers(1, 3), max_size=3), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4)
)
def test_split_and_merge_are_inverses(batch, n, num_heads, width):
    x = random(*batch, n, num_heads * width)
    heads = split_heads(x, num_heads)
    assert heads.shape == (*batch, num_heads, n, width)
    assert_array_equal(merge_heads(heads), x)
    assert_array_equal(split_heads(merge_heads(heads), num_heads), heads)


def test_heads_attend_apart():
    x = random(4, 6)
    heads = split_heads(x, 3)
    merged = merge_heads(scaled_dot_product_attention(heads, heads, heads).context)
    for i in range(3):
        part = x[:, 2 * i : 2 * i + 2]
        expected = scaled_dot_product_attention(part, part, part).context
        assert_allclose(merged[:, 2 * i : 2 * i + 2], expected, atol=1e-12)


# Recusas

NOT_ARRAYS = [
    None, "abc", "", b"abc", object(), {}, {"a": 1}, {1, 2}, [], [[]], [[1, 2], [3]], [[1], 2],
    [["a", "b"]], [[None, 1]], 1j, [[1j, 2]], [[[1, 2], [3, 4]], [[5, 6]]], len, np.array("x"),
    np.array([["2024-01-01"]], dtype="datetime64[D]"), np.zeros((0, C)), np.zeros((N_KEY, 0)),
    np.zeros((2, 0, C)), np.zeros((1, 2), dtype="i4,f4"), (i for i in range(3)),
    torch.ones(N_QUERY, C, requires_grad=True), torch.ones(N_QUERY, C).to_sparse(),
    torch.ones(N_QUERY, C, dtype=torch.bfloat16), torch.ones(N_QUERY, C, device="meta"),
    np.ones((1,) * 33),
]  # fmt: skip
not_arrays = st.sampled_from(NOT_ARRAYS)
not_sequences = not_arrays | st.floats() | hnp.arrays(float, st.integers(0, 5))
not_integers = st.sampled_from([None, "2", 2.0, 1.5, True, [2], (), np.array([1]), 1j, math.nan])
not_positive = not_integers | st.integers(max_value=0) | st.sampled_from([2**31, 2**63, 10**30])
not_masks = st.one_of(
    st.sampled_from([1, 0.0, "True", object(), [[1, 0]], [[True], [True, False]], [[None]], {}]),
    hnp.arrays(st.sampled_from([np.int64, np.float32, complex]), (N_QUERY, N_KEY)),
    hnp.arrays(bool, hnp.array_shapes(max_dims=4, max_side=9)).filter(
        lambda mask: not broadcasts(mask.shape, (N_QUERY, N_KEY))
    ),
    hnp.arrays(bool, st.sampled_from([(0,), (0, N_KEY), (N_KEY, N_QUERY), (1, 1, 1)])),
    st.just(torch.ones(N_QUERY, N_KEY, device="meta", dtype=torch.bool)),
)
not_scales = st.sampled_from(
    [
        math.nan, math.inf, -math.inf, "1", b"1", 1j, True, np.True_, [1.0], np.ones(2), {},
        10**400, Fraction(10**400), Decimal("0.5"), np.complex64(1), np.timedelta64(1, "s"),
        memoryview(b"1"), np.array(0.5), torch.tensor(0.5),
    ]
)
shapes = hnp.array_shapes(min_dims=2, max_dims=4, max_side=4)
arrays = hnp.arrays(np.float32, shapes, elements=st.floats(-9, 9, width=32))


def broadcasts(shape, target):
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


QUERY, KEY, VALUE = qkv()
unfit_keys = arrays.filter(lambda key: key.shape[-1] != C)
unfit_values = arrays.filter(lambda value: value.shape[-2] != N_KEY)
# Para cada função, uma chamada boa e, para cada argumento, o que a estraga.
CALLS = [
    (softmax, {"x": QUERY}, {"x": not_arrays | st.floats()}),
    (softmax, {"x": QUERY}, {
        "axis": not_integers | st.integers(min_value=2) | st.integers(max_value=-3)
    }),
    (attention_scores, {"query": QUERY, "key": KEY}, {
        "query": not_sequences, "key": not_sequences | unfit_keys
    }),
    (attention_weights, {"query": QUERY, "key": KEY}, {
        "query": not_sequences, "key": not_sequences | unfit_keys,
        "mask": not_masks, "scale": not_scales,
    }),
    (scaled_dot_product_attention, {"query": QUERY, "key": KEY, "value": VALUE}, {
        "query": not_sequences, "key": not_sequences | unfit_keys,
        "value": not_sequences | unfit_values, "mask": not_masks, "scale": not_scales,
    }),
    (causal_mask, {}, {"n": not_positive}),
    (split_heads, {"x": QUERY, "num_heads": 1}, {
        "x": not_sequences,
        "num_heads": not_positive | st.integers(min_value=2).filter(lambda h: C % h),
    }),
    (merge_heads, {}, {"x": not_sequences | hnp.arrays(float, (N_QUERY, C))}),
]  # fmt: skip
CASES = [(f, good, name, bad) for f, good, spoils in CALLS for name, bad in spoils.items()]


@settings(max_examples=1000)
@given(st.data())
def test_bad_arguments_are_refused_by_us(data):
    function, good, name, bad = data.draw(st.sampled_from(CASES))
    value = data.draw(bad)
    assert_refused(function, **{**good, name: value})


@pytest.mark.parametrize("bad", NOT_ARRAYS, ids=lambda bad: type(bad).__name__)
def test_what_is_not_an_array_is_refused(bad):
    assert_refused(attention_scores, bad, KEY)


@given(st.lists(arrays, min_size=3, max_size=3))
def test_shapes_either_fit_or_are_refused(parts):
    query, key, value = parts
    try:
        batch = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
    except ValueError:
        batch = None
    if batch is None or query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        assert_refused(scaled_dot_product_attention, query, key, value)
    else:
        context = scaled_dot_product_attention(query, key, value).context
        assert context.shape == (*batch, query.shape[-2], value.shape[-1])


@pytest.mark.parametrize(("call", "parts"), [
    (lambda: attention_scores(np.ones((4, 3)), np.ones((5, 2))), ["(4, 3)", "(5, 2)", "Projete"]),
    (lambda: attention_scores(np.ones((4, 2)), np.ones((5, 3))), ["(4, 2)", "(5, 3)", "Projete"]),
    (
        lambda: scaled_dot_product_attention(np.ones((4, 3)), np.ones((5, 3)), np.ones((4, 2))),
        ["(4, 2)", "(5, 3)", "linhas"],
    ),
    (
        lambda: attention_scores(np.ones((2, 4, 3)), np.ones((3, 4, 3))),
        ["(2, 4, 3)", "(3, 4, 3)", "lote"],
    ),
    (
        lambda: scaled_dot_product_attention(
            np.ones((2, 4, 3)), np.ones((2, 5, 3)), np.ones((3, 5, 2))
        ),
        ["query (2, 4, 3)", "key (2, 5, 3)", "value (3, 5, 2)", "lote"],
    ),
    (
        lambda: attention_weights(QUERY, KEY, mask=np.ones((5, 4), dtype=bool)),
        ["(5, 4)", "(4, 5)"],
    ),
    (lambda: attention_weights(QUERY, KEY, mask=np.ones((4, 5))), ["float64", "booleana", "=="]),
    (lambda: split_heads(np.ones((4, 6)), 4), ["num_heads = 4", "6", "1, 2, 3, 6"]),
    (lambda: split_heads(np.ones((4, 9)), 2), ["num_heads = 2", "9", "1, 3, 9"]),
    (lambda: merge_heads(np.ones((4, 3))), ["(4, 3)", "(…, h, n, c)", "x[np.newaxis]"]),
    (lambda: split_heads(np.ones(6), 2), ["(6,)", "np.newaxis"]),
    (lambda: softmax(np.ones((4, 3)), axis=2), ["(4, 3)", "axis=-1"]),
    (lambda: softmax(3.0), ["3.0", "lista"]),
    (lambda: softmax(np.ones((1,) * 33)), ["33 eixos", "32"]),
    (lambda: causal_mask(0), ["n", "1", "0"]),
    (lambda: causal_mask(2**63), ["n", "no máximo 2147483647"]),
    (lambda: attention_weights(QUERY, KEY, scale=10**400), ["finito", "inf"]),
    (lambda: attention_scores([[1, 2], [3]], KEY), ["query (list)", "mesmo comprimento"]),
    (lambda: attention_scores(torch.ones(4, C, requires_grad=True), KEY), ["detach().cpu().numpy"]),
])  # fmt: skip
def test_messages_say_the_sizes_and_the_way_out(call, parts):
    message = assert_refused(call)
    assert all(part in message for part in parts), message


def test_public_names():
    assert sorted(atencao.__all__) == [
        "Attention", "attention_scores", "attention_weights", "causal_mask", "merge_heads",
        "scaled_dot_product_attention", "softmax", "split_heads",
    ]  # fmt: skip
    assert all(getattr(atencao, name).__doc__ for name in atencao.__all__)
