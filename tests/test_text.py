"""Da frase aos vetores: tokens, ids, embeddings e os dados de exemplo."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from atencao.text import (
    ARTICLE_SENTENCE,
    AXES,
    CAT_SENTENCE,
    EMBEDDINGS,
    LIBRARY_AXES,
    LIBRARY_QUESTION,
    LIBRARY_VALUE_AXES,
    Vocabulary,
    embed,
    library_question,
    one_hot,
    sinusoidal_positions,
    tokenize,
)
from refusals import assert_refused


def test_tokenize_words_accents_and_punctuation():
    assert tokenize("Está na biblioteca?") == ["está", "na", "biblioteca", "?"]
    assert tokenize("guarda-chuva, 2 vezes") == ["guarda", "-", "chuva", ",", "2", "vezes"]
    assert tokenize(" \n") == []


def test_tokenize_does_not_care_how_the_accent_was_typed():
    composed, apart = "Está", "Esta\N{COMBINING ACUTE ACCENT}"
    assert composed != apart
    assert tokenize(composed) == tokenize(apart) == ["está"]


def test_vocabulary_keeps_first_appearance():
    vocabulary = Vocabulary(tokenize(CAT_SENTENCE))
    assert vocabulary.tokens == ["the", "fat", "cat", "sat", "on", "mat"]
    assert len(vocabulary) == 6
    assert_array_equal(vocabulary.encode(tokenize(CAT_SENTENCE)), [0, 1, 2, 3, 4, 0, 5])
    assert vocabulary.encode([]).dtype == np.int64


@given(st.lists(st.text()))
def test_encode_and_decode_are_inverses(tokens):
    vocabulary = Vocabulary(tokens)
    assert vocabulary.decode(vocabulary.encode(tokens)) == tokens


def test_vocabulary_says_what_is_unknown():
    vocabulary = Vocabulary(["o", "artigo"])
    message = assert_refused(vocabulary.encode, ["o", "gato", "dorme"], errors=KeyError)
    assert "gato, dorme" in message
    for ids in ([2], [-1], [0, 7]):
        message = assert_refused(vocabulary.decode, ids, errors=IndexError)
        assert "de 0 a 1" in message


def test_one_hot():
    assert_array_equal(one_hot([2, 0], 3), [[0, 0, 1], [1, 0, 0]])
    assert one_hot([[0, 1]], 4).shape == (1, 2, 4)
    assert one_hot(2, 3).tolist() == [0, 0, 1]
    assert one_hot([], 3).shape == (0, 3)
    assert one_hot([7], 1_000_000).sum() == 1  # sem montar a identidade de 10¹² posições
    for ids in ([3], [-1]):
        assert_refused(one_hot, ids, 3, errors=IndexError)


def test_one_hot_times_matrix_is_looking_up_rows():
    table = np.arange(12.0).reshape(4, 3)
    assert_array_equal(one_hot([3, 1], 4) @ table, table[[3, 1]])


@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 4), (4, 7)])
def test_sinusoidal_positions_follow_the_formula(n, d):
    table = sinusoidal_positions(n, d)
    assert table.shape == (n, d)
    for p in range(n):
        for column in range(d):
            wave = np.cos if column % 2 else np.sin
            angle = p / 10_000 ** ((column - column % 2) / d)
            assert_allclose(table[p, column], wave(angle), atol=1e-12)


def test_embeddings_cover_the_sentences_of_the_course():
    for sentence in (ARTICLE_SENTENCE, CAT_SENTENCE):
        tokens = tokenize(sentence)
        x = embed(tokens)
        assert x.shape == (len(tokens), len(AXES))
        assert_array_equal(x[0], EMBEDDINGS[tokens[0]])
    assert embed([]).shape == (0, len(AXES))
    assert "zebra" in assert_refused(embed, ["o", "zebra"], errors=KeyError)


def test_library_question_numbers():
    example = library_question()
    assert example.tokens == ("artigo", "LLM", "encontro")
    assert_array_equal(example.query, [[0.9, 0.8]])
    assert_array_equal(example.key, [[0.9, 0.7], [0.2, 0.9], [-0.8, -0.1]])
    assert example.key.shape[1] == len(LIBRARY_AXES)
    assert example.value.shape == (3, len(LIBRARY_VALUE_AXES))
    assert {token.lower() for token in example.tokens} <= set(tokenize(LIBRARY_QUESTION))
    example.key[:] = 0
    assert library_question().key.any()


VOCABULARY = Vocabulary(["o", "artigo"])
not_tokens = st.sampled_from([None, 3, "artigo", [1], [None], ["o", 2.0], [["o"]], len])
not_integers = st.sampled_from([None, "2", 2.0, True, [2], np.array([1]), float("nan")])
not_positive = not_integers | st.integers(max_value=0)
not_ids = st.sampled_from([None, "ab", ["a"], [0.0], [[0], [1, 0]], [None], 1.5, [1j], object()])
CASES = [
    (tokenize, {}, "text", st.sampled_from([None, 3, b"o artigo", ["o"], np.array("o")])),
    (Vocabulary, {}, "tokens", not_tokens),
    (VOCABULARY.encode, {}, "tokens", not_tokens),
    (VOCABULARY.decode, {}, "ids", not_ids),
    (one_hot, {"size": 3}, "ids", not_ids),
    (one_hot, {"ids": [0]}, "size", not_positive),
    (sinusoidal_positions, {"d": 4}, "n", not_positive),
    (sinusoidal_positions, {"n": 4}, "d", not_positive),
    (embed, {}, "tokens", not_tokens),
]


@given(st.data())
def test_bad_arguments_are_refused_by_us(data):
    function, good, name, bad = data.draw(st.sampled_from(CASES))
    assert_refused(function, **good, **{name: data.draw(bad)})
