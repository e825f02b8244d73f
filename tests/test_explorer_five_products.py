"""O explorador dos cinco produtos: estado conferido, números iguais aos de atencao.functional."""

import html
import json
import math
import re

import numpy as np
import pytest
import traitlets

from atencao import text
from atencao.explorers import FiveProducts
from atencao.explorers.base import br
from atencao.functional import attention_scores, attention_weights, scaled_dot_product_attention

FIELDS = ["tokens", "X", "W_query", "W_key", "W_value", "cell"]


def other_sizes(**changes):
    rng = np.random.default_rng(5)
    n, d, c = 5, 6, 3
    state = {"tokens": list("abcde"), "X": rng.normal(size=(n, d))} | {
        name: rng.normal(size=(d, c)) for name in ("W_query", "W_key", "W_value")
    }
    return FiveProducts(**(state | changes))


def test_starts_on_the_example_of_chapter_06():
    explorer = FiveProducts()
    np.testing.assert_array_equal(explorer.X, text.embed(["artigo", "llm", "biblioteca"]))
    assert np.round(explorer.numbers()["context"][0], 4).tolist() == [1.7089, 0.5524]


@pytest.mark.parametrize("explorer", [FiveProducts(), other_sizes()], ids=["padrão", "5, 6, 3"])
def test_numbers_are_those_of_functional(explorer):
    X = np.array(explorer.X)
    query, key, value = X @ explorer.W_query, X @ explorer.W_key, X @ explorer.W_value
    numbers = explorer.numbers()
    assert list(numbers) == ["query", "key", "value", "scores", "weights", "context"]
    for name, expected in {
        "query": query, "key": key, "value": value, "scores": attention_scores(query, key),
        "weights": attention_weights(query, key),
        "context": scaled_dot_product_attention(query, key, value).context,
    }.items():
        np.testing.assert_allclose(numbers[name], expected, err_msg=name)


def test_repr_and_fallback_write_every_number_and_the_count():
    explorer = other_sizes()
    numbers, written = explorer.numbers(), repr(explorer)
    page = html.unescape(explorer.as_html())
    for name, matrix in numbers.items():
        for number in matrix.flat:
            shown = br(number, 4 if name in ("weights", "context") else 2)
            assert shown in written
            assert f"<td>{shown}</td>" in page
    assert re.search(r"(?m)^total +420$", written)  # 3·n·d·c + 2·n²·c


def number(written):
    return float(written.replace("−", "-").replace(",", "."))


@pytest.mark.parametrize("cell", [["query", 1, 2], ["key", 0, 0], ["value", 4, 1],
                                  ["scores", 2, 4], ["context", 3, 2]])
def test_the_terms_of_a_cell_add_up_to_it(cell):
    explorer = other_sizes(cell=cell)
    name, row, column = cell
    *terms, total = explorer.tables()[-1].rows
    assert total[-1] == br(explorer.numbers()[name][row, column], 4)
    assert sum(number(term[-1]) for term in terms) == pytest.approx(number(total[-1]), abs=1e-3)
    for _, left, top, product in terms:
        assert number(left) * number(top) == pytest.approx(number(product), abs=1e-3)


def test_a_weight_is_explained_by_its_row():
    explorer = other_sizes(cell=["weights", 2, 0])
    numbers = explorer.numbers()
    rows = explorer.tables()[-1].rows
    assert [row[1] for row in rows] == [br(x / math.sqrt(3), 4) for x in numbers["scores"][2]]
    assert [row[2] for row in rows] == [br(x, 4) for x in numbers["weights"][2]]


@pytest.mark.parametrize(("name", "value", "said"), [
    ("tokens", ["a", "b"], "lista de 3 a 6 textos"),
    ("tokens", ["a", "b", 3], "lista de 3 a 6 textos"),
    ("tokens", "abc", "lista de 3 a 6 textos"),
    ("tokens", list("abcd"), r"X tem forma \(3, 4\) e precisa ter \(4, 4\), que é \(n, d\)"),
    ("X", [1, 2], r"precisa ter \(n, d\)"),
    ("X", np.zeros((3, 5)), r"W_query tem forma \(4, 2\) e precisa ter \(5, 2\)"),
    ("X", np.zeros((3, 9)), "d vai de 1 a 8"),
    ("X", [["a", "b", "c", "d"]] * 3, "precisa ser de números"),
    ("X", np.full((3, 4), np.nan), "use números finitos"),
    ("W_query", np.full((4, 2), 10.5), "vai de −10 a 10"),
    ("W_key", np.zeros((4, 3)), r"W_key tem forma \(4, 3\) e precisa ter \(4, 2\)"),
    ("W_value", np.zeros((3, 2)), r"W_value tem forma \(3, 2\) e precisa ter \(4, 2\)"),
    ("cell", ["output", 0, 0], "entre query, key, value, scores, weights, context"),
    ("cell", ["context", 0], r"\[matriz, linha, coluna\]"),
    ("cell", ["context", 0.0, 1], r"\[matriz, linha, coluna\]"),
    ("cell", ["context", True, 1], r"\[matriz, linha, coluna\]"),
    ("cell", ["context", 0, 2], r"que tem forma \(3, 2\)"),
    ("cell", ["weights", -1, 0], r"que tem forma \(3, 3\)"),
])
def test_refuses_in_portuguese_and_keeps_the_last_good_state(name, value, said):
    explorer = FiveProducts()
    before = explorer.state()
    with pytest.raises(traitlets.TraitError, match=said):
        setattr(explorer, name, value)
    assert explorer.state() == before


def test_sizes_change_together_or_not_at_all():
    explorer = FiveProducts()
    with explorer.hold_trait_notifications():
        explorer.tokens, explorer.X = list("abcd"), np.eye(4)
    assert len(explorer.numbers()["context"]) == 4

    before = explorer.state()
    with pytest.raises(traitlets.TraitError), explorer.hold_trait_notifications():
        explorer.tokens = list("abcde")
    assert explorer.state() == before


def test_state_is_json_with_exactly_the_fields():
    explorer = other_sizes(cell=("scores", 1, 2))
    state = json.loads(json.dumps(explorer.state()))
    assert list(state) == FIELDS == list(explorer.fields)
    assert FiveProducts(**state).state() == state


def test_tokens_are_escaped():
    page = FiveProducts(tokens=["<b>a</b>", "</script>", "c&d"]).as_html()
    assert "&lt;b&gt;a&lt;/b&gt;" in page
    assert "<th scope=\"row\"></script>" not in page
    assert page.count("</script>") == 1
