"""A matemática em JavaScript é a de atencao.functional, até 1e-9, em centenas de casos."""

import itertools

import numpy as np
import pytest

import atencao
import node

RNG = np.random.default_rng(20_17)


def plain(array):
    return np.asarray(array).tolist()


def cases():
    """(função JS, argumentos, resultado esperado em NumPy)."""
    sizes = itertools.product((1, 2, 5, 7), (1, 3, 6), (1, 2, 4), (1.0, 40.0, 1e15))
    for n_query, n_key, c, spread in sizes:
        query, key = RNG.normal(size=(n_query, c)), RNG.normal(size=(n_key, c)) * spread
        value = RNG.normal(size=(n_key, 3))
        mask = RNG.random((n_query, n_key)) < 0.6
        scale = float(RNG.uniform(0.1, 2))
        yield (
            ["attentionScores", plain(query), plain(key)],
            atencao.attention_scores(query, key),
        )
        yield (
            ["attentionWeights", plain(query), plain(key), {"mask": plain(mask), "scale": scale}],
            atencao.attention_weights(query, key, mask=mask, scale=scale),
        )
        result = atencao.scaled_dot_product_attention(query, key, value, mask=mask)
        yield (["attention", plain(query), plain(key), plain(value), {"mask": plain(mask)}], result)
    for row in ([0.0], [1e30, -1e30, 0], [-1e30, -1e30], [700.0, -700.0], [3, 3, 3]):
        yield ["softmax", row], atencao.softmax(row)
    yield ["softmax", ["-inf", "-inf"]], [0, 0]
    yield ["softmax", ["-inf", 2.0, 1.0]], atencao.softmax([-np.inf, 2.0, 1.0])
    for n in (1, 2, 9):
        yield ["causalMask", n], atencao.causal_mask(n)
    for n, heads, c in itertools.product((1, 3, 4), (1, 2, 3), (1, 2)):
        x = np.arange(n * heads * c).reshape(n, heads * c)
        yield ["splitHeads", plain(x), heads], atencao.split_heads(x, heads)
        yield ["mergeHeads", plain(atencao.split_heads(x, heads))], x


CASES = list(cases())


@pytest.fixture(scope="module")
def results():
    return node.call("math.js", [call for call, _ in CASES])


def test_there_are_enough_cases():
    assert len(CASES) >= 200


def test_javascript_computes_what_numpy_computes(results):
    for (call, expected), got in zip(CASES, results, strict=True):
        if call[0] == "attention":
            got = [got["context"], got["weights"], got["scores"]]
            pairs = zip(got, expected, strict=True)
        else:
            pairs = [(got, expected)]
        for mine, theirs in pairs:
            np.testing.assert_allclose(
                np.asarray(mine, dtype=float), np.asarray(theirs, dtype=float),
                rtol=1e-9, atol=1e-9, err_msg=call[0],
            )


def test_entropy_of_known_rows():
    got = node.call("math.js", [["entropy", [1, 0]], ["entropy", [0.25] * 4]])
    np.testing.assert_allclose(got, [0, np.log(4)], atol=1e-12)


@pytest.mark.parametrize(("text", "number"), [
    ("0,5", 0.5), ("0.5", 0.5), (" −1,25 ", -1.25), ("-3", -3), ("1e3", 1000),
])
def test_numbers_are_read_with_comma_or_point(text, number):
    assert node.call("format.js", [["parse", text]]) == [number]


def test_what_is_not_a_number_is_not_read():
    assert node.call("format.js", [["parse", t] for t in ("", "abc", "1,2,3", "NaN")]) == [None] * 4


def test_numbers_are_written_the_same_in_both_languages():
    from atencao.explorers.base import br

    numbers = [0.5174, -0.8, -0.0001, 3, 12.345]
    assert node.call("format.js", [["br", x, 2] for x in numbers]) == [br(x) for x in numbers]
