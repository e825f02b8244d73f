"""O explorador de múltiplas cabeças: recusas, último estado bom, números e texto de reserva."""

import json
import re

import numpy as np
import pytest
import traitlets

from atencao.explorers import MultiHead
from atencao.functional import attention_weights, causal_mask, merge_heads, split_heads

PATHS = ("transpose", "reshape", "half")


@pytest.mark.parametrize(("name", "value", "words"), [
    ("mode", "ver", "precisa ser um de"),
    ("n", 7, "precisa ser um de"),
    ("n", 4.0, "precisa ser um de"),
    ("num_heads", 4, "precisa ser um de"),
    ("path", "view", "precisa ser um de"),
    ("stage", "softmax", "precisa ser um de"),
    ("picked", [24], "vão de 0 a 23"),
    ("picked", ["2"], "inteiros a partir de 0"),
    ("picked", [True], "inteiros a partir de 0"),
    ("tokens", ["Ana"], "de 2 a 64 textos"),
    ("tokens", "Ana leu", "de 2 a 64 textos"),
    ("tokens", ["Ana", "leu"], "há 2 tokens"),
    ("query", [[1, 2]], "(h, n, c)"),
    ("query", "texto", "de números"),
    ("query", np.full((4, 9, 3), np.nan), "NaN"),
    ("query", np.ones((4, 9, 2)), "as duas precisam da mesma"),
    ("key", np.ones((3, 9, 3)), "as duas precisam da mesma"),
    ("token", 9, "vai de 0 a 8"),
    ("token", -1, "a partir de 0"),
    ("token", None, "a partir de 0"),
    ("head", 4, "vai de 0 a 3"),
    ("head", True, "a partir de 0"),
    ("other", 4, "vai de 0 a 3"),
])
def test_wrong_values_are_refused_and_the_last_good_state_stays(name, value, words):
    explorer = MultiHead()
    before = json.dumps(explorer.state())
    with pytest.raises(traitlets.TraitError, match=re.escape(words)):
        setattr(explorer, name, value)
    assert json.dumps(explorer.state()) == before


def test_fewer_tokens_than_the_picked_cells_need_are_refused():
    explorer = MultiHead(picked=[20])
    with pytest.raises(traitlets.TraitError, match="picked tem a célula 20"):
        explorer.n = 3
    assert explorer.n == 4


def test_unknown_names_are_refused():
    with pytest.raises(TypeError, match="não tem heads"):
        MultiHead(heads=3)


def test_sentence_changes_all_at_once():
    explorer = MultiHead()
    rng = np.random.default_rng(0)
    with explorer.hold_trait_notifications():
        explorer.tokens = ["a", "b"]
        explorer.query = rng.normal(size=(1, 2, 5))
        explorer.key = rng.normal(size=(1, 2, 5))
        explorer.token = explorer.head = 0
    assert explorer.numbers()["head_weights"].shape == (1, 2, 2)


@pytest.mark.parametrize("n", [2, 5, 6])
@pytest.mark.parametrize("num_heads", [1, 2, 3, 6])
def test_right_path_is_that_of_functional(n, num_heads):
    numbers = MultiHead(n=n, num_heads=num_heads).numbers()
    cells = np.arange(n * 6).reshape(n, 6)
    assert np.array_equal(numbers["received"], split_heads(cells, num_heads))
    assert np.array_equal(numbers["merged"], merge_heads(numbers["context"]))
    assert np.array_equal(numbers["heard"], causal_mask(n))
    assert np.allclose(numbers["weights"].sum(axis=-1), 1)
    assert np.allclose(numbers["weights"][0, 1, :2], [1 / 3, 2 / 3])


def test_wrong_paths_scramble_and_the_numbers_say_so():
    reshape, half = (MultiHead(path=path).numbers() for path in PATHS[1:])
    assert reshape["received"][0].ravel().tolist() == list(range(8))
    assert np.flatnonzero(reshape["heard"][3]).tolist() == [2, 3]  # não ouve 0 nem 1
    assert np.flatnonzero(half["heard"][0]).tolist() == [0, 1, 2]  # vê o futuro


@pytest.mark.parametrize("path", PATHS)
def test_one_head_cannot_be_scrambled(path):
    right, other = MultiHead(num_heads=1).numbers(), MultiHead(num_heads=1, path=path).numbers()
    assert np.array_equal(right["received"], other["received"])
    assert np.allclose(right["output"], other["output"])


def test_handmade_heads_do_what_the_chapter_says():
    explorer = MultiHead()
    at = explorer.tokens.index
    A = explorer.numbers()["head_weights"]
    expected = attention_weights(explorer.query, explorer.key, mask=causal_mask(9))
    assert np.array_equal(A, expected)
    # Os três primeiros números são os que o capítulo 09 imprime.
    assert round(A[0, at("citou"), at("ela")], 3) == 0.886
    assert round(A[1, at("ela"), at("Ana")], 3) == 0.953
    assert round(A[2, at("autora"), at("a")], 3) == 0.982
    assert (A[3].diagonal(-1) > 0.97).all()


def test_repr_has_shapes_strides_and_the_chosen_row():
    text = repr(MultiHead(token=5))
    assert "Explorador: Um tensor, várias cabeças" in text
    assert re.search(r"transpose +\(3, 4, 2\) +\(2, 6, 1\)\n", text)
    assert "A linha de ela, por cabeça" in text
    assert re.search(r"Ana +0,17 +0,95 +0,17 +0,00\n", text)


@pytest.mark.parametrize(("path", "skipped"), [("transpose", 0), ("reshape", 2), ("half", 1)])
def test_skipped_stages_are_told(path, skipped):
    stages = MultiHead(path=path).tables()[0].rows
    assert sum(row[1] == "pulada" for row in stages) == skipped


def test_html_escapes_and_state_has_exactly_the_fields():
    explorer = MultiHead(tokens=["</script>", "<b>", *MultiHead().tokens[2:]])
    page = explorer.as_html()
    data = re.search(r'<script type="application/json">(.*?)</script>', page, re.S).group(1)
    assert json.loads(data) == explorer.state()
    assert tuple(json.loads(data)) == MultiHead.fields
    assert "<b>" not in page.replace(data, "")
    assert "&lt;b&gt;" in page
