"""O explorador Máscara: estado conferido e números iguais aos de atencao.functional."""

import json
import re

import numpy as np
import pytest
import traitlets
from ipywidgets import Widget

from atencao.explorers import Mask
from atencao.explorers.base import br
from atencao.functional import causal_mask, scaled_dot_product_attention, softmax

PORTUGUESE = re.compile(r"precisa|tem |vai de|conta a partir|pede")


def sized(n: int, c: int = 3, **state) -> Mask:
    rng = np.random.default_rng(n)
    return Mask(
        tokens=[f"t{i}" for i in range(n)], query=rng.normal(size=(n, c)),
        key=rng.normal(size=(n, c)), value=rng.normal(size=(n, c + 1)), **state,
    )


@pytest.mark.parametrize(("name", "value"), [
    ("tokens", "uma frase"), ("tokens", ["um"]), ("tokens", ["um"] * 65), ("tokens", [1, 2]),
    ("tokens", ["outro", "tamanho"]), ("query", [["a", "b"]]), ("query", [[1.0, 2.0]]),
    ("query", [[np.nan, 0]] * 5), ("key", [[101.0, 0]] * 5), ("key", [[1.0, 2.0, 3.0]] * 5),
    ("value", [[1.0]] * 4), ("value", [[np.inf]] * 5), ("mask", "futuro"), ("order", None),
    ("padding", 5), ("padding", -1), ("padding", 1.0), ("side", "cima"), ("row", 5),
    ("row", True), ("row", "1"), ("changed", 1), ("trials", {"causal": True}),
    ("trials", {"causal/zero": "sim"}), ("trials", []),
])
def test_a_wrong_value_is_refused_in_portuguese_and_the_state_stays(name, value):
    explorer = Mask()
    before = explorer.state()
    with pytest.raises(traitlets.TraitError, match=PORTUGUESE):
        setattr(explorer, name, value)
    assert explorer.state() == before
    with pytest.raises(traitlets.TraitError, match=PORTUGUESE):
        Mask(**{name: value})


def test_the_size_changes_when_the_four_change_together():
    explorer, other = Mask(), sized(7)
    with explorer.hold_trait_notifications():
        for name in ("tokens", "query", "key", "value"):
            setattr(explorer, name, getattr(other, name))
    assert len(explorer.numbers()["weights"]) == 7

    before = explorer.state()
    with pytest.raises(traitlets.TraitError, match="juntos"), explorer.hold_trait_notifications():
        explorer.tokens = ["só", "dois"]
    assert explorer.state() == before


@pytest.mark.parametrize("n", [2, 5, 64])
@pytest.mark.parametrize("mask", ["none", "causal", "padding", "both"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_before_the_softmax_the_numbers_are_those_of_functional(n, mask, side):
    explorer = sized(n, mask=mask, side=side, padding=n // 2)
    words = n - n // 2
    place = slice(None, words) if side == "right" else slice(n - words, None)
    query, key, value = (np.zeros((n, k)) for k in (3, 3, 4))
    for target, rows in ((query, explorer.query), (key, explorer.key), (value, explorer.value)):
        target[place] = rows[:words]
    allowed = causal_mask(n) if mask in ("causal", "both") else np.ones((n, n), dtype=bool)
    if mask in ("padding", "both"):
        real = np.zeros(n, dtype=bool)
        real[place] = True
        allowed = allowed & real

    expected = scaled_dot_product_attention(query, key, value, mask=allowed)
    numbers = explorer.numbers()
    assert np.array_equal(numbers["allowed"], allowed)
    assert np.allclose(numbers["scaled"], expected.scores / np.sqrt(3))
    assert np.allclose(numbers["weights"], expected.weights)
    assert np.allclose(numbers["context"], expected.context)


def test_the_wrong_orders_are_wrong_in_their_own_way():
    scaled, triangle = Mask().numbers()["scaled"], causal_mask(5)
    zero = Mask(mask="causal", order="zero").numbers()["weights"]
    after = Mask(mask="causal", order="after").numbers()["weights"]
    assert np.allclose(zero, softmax(np.where(triangle, scaled, 0)))
    assert np.allclose(zero.sum(axis=-1), 1)
    assert zero[0, -1] > 0.1
    assert np.allclose(after, softmax(scaled) * triangle)
    assert after[0].sum() < 0.5
    assert np.isclose(after[-1].sum(), 1)


@pytest.mark.parametrize("mask", ["none", "causal", "padding", "both"])
@pytest.mark.parametrize("order", ["before", "zero", "after"])
@pytest.mark.parametrize(("padding", "side"), [(0, "right"), (2, "right"), (2, "left")])
def test_only_minus_infinity_before_the_softmax_hides_the_future(mask, order, padding, side):
    moved = Mask(mask=mask, order=order, padding=padding, side=side).numbers()["moved"]
    tested = moved[~np.isnan(moved)]
    assert len(tested) == 4 - padding
    safe = mask in ("causal", "both") and order == "before"
    assert (tested == 0).all() if safe else (tested > 0.01).all()


def test_a_row_with_nobody_to_attend_gives_zeros_or_is_uniform():
    def lonely(order):
        return Mask(mask="both", padding=2, side="left", order=order).numbers()

    for order in ("before", "after"):
        numbers = lonely(order)
        assert (numbers["weights"][:2] == 0).all()
        assert (numbers["context"][:2] == 0).all()
    assert np.allclose(lonely("zero")["weights"][:2], 1 / 5)


@pytest.mark.parametrize("state", [{}, {"mask": "causal", "order": "after", "changed": True}])
def test_repr_and_fallback_show_the_same_numbers(state):
    explorer = Mask(**state)
    written, page = repr(explorer), explorer.as_html()
    for row in explorer.numbers()["weights"]:
        for number in (*row, row.sum()):
            assert br(number) in written
            assert f"<td>{br(number)}</td>" in page
    assert "Explorador: Máscara" in written
    assert "nan" not in written + page
    assert ("biblioteca*" in written) == explorer.changed


def test_a_long_sentence_prints_its_rows_and_not_its_matrix():
    table = sized(13).tables()[0]
    assert list(table.head) == ["consulta", "soma", "mexeu"]
    assert len(table.rows) == 13
    assert len(sized(12).tables()[0].head) == 15


def test_minus_infinity_is_written_as_in_the_browser():
    assert "−∞" in repr(Mask(mask="causal"))
    assert "inf" not in repr(Mask(mask="causal"))


def test_the_state_in_the_page_is_the_whole_state_and_escapes_html():
    explorer = Mask(tokens=["o", "</script>", "<b>", "na", "&"])
    page = explorer.as_html()
    state = re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1]
    assert json.loads(state) == explorer.state()
    assert tuple(json.loads(state)) == Mask.fields
    assert "<b>" not in page.replace(state, "")
    assert "&lt;b&gt;" in page


def test_no_trait_takes_the_name_of_a_widget_attribute():
    assert not [name for name in Mask.fields if hasattr(Widget, name)]
