"""Escala: o estado recusa o que não cabe, e os números são os mesmos em Python e no navegador."""

import json
import re

import numpy as np
import pytest
from traitlets import TraitError

import atencao
import node
from atencao.explorers import Scale
from atencao.explorers.base import br
from atencao.explorers.scale import normals

STATES = [
    {"c": 1, "divisor": "1", "seed": 0},
    {"c": 28, "divisor": "1", "seed": 44},
    {"c": 64, "divisor": "sqrt(c)", "seed": 9999},
    {"c": 777, "divisor": "c", "seed": 5},
    {"c": 1024, "divisor": "1", "seed": 7},
    {"c": 1024, "divisor": "sqrt(c)", "seed": 44},
]


@pytest.mark.parametrize("seed", [0, 44, 9999])
def test_the_draw_is_the_same_in_both_languages(seed):
    drawn = node.call("random.js", [["normals", seed, 2000]])[0]
    np.testing.assert_allclose(drawn, normals(seed, 2000), rtol=1e-9, atol=1e-12)


def test_the_draw_stays_the_same_in_the_next_version():
    known = [0.78718466, 0.00163093, 0.43143962, 0.56496906]
    np.testing.assert_allclose(normals(0, 4), known, atol=1e-8)


def test_the_draw_is_normal():
    drawn = normals(3, 100_000)
    assert abs(drawn.mean()) < 0.02
    assert drawn.var() == pytest.approx(1, abs=0.02)
    assert (np.abs(drawn) < 1).mean() == pytest.approx(0.6827, abs=0.01)


def test_javascript_measures_what_python_measures():
    for state, got in zip(
        STATES, node.call("scale.js", [["derive", state] for state in STATES]), strict=True
    ):
        expected = Scale(**state).numbers()
        close = {"rtol": 1e-7, "atol": 1e-9}
        np.testing.assert_allclose(got["scores"], expected["scores"].ravel(), **close)
        np.testing.assert_allclose(got["line"]["weights"], expected["weights"][0], **close)
        assert got["variance"] == pytest.approx(expected["scores"].var(), rel=1e-9)
        for name in ("entropy", "largest", "jacobian", "reach"):
            assert got["line"][name] == pytest.approx(expected[name][0], rel=1e-6, abs=1e-9), name
            assert got["middle"][name] == pytest.approx(
                np.median(expected[name]), rel=1e-6, abs=1e-9
            ), name


@pytest.mark.parametrize("state", STATES)
def test_scores_and_weights_are_those_of_the_functional_module(state):
    explorer = Scale(**state)
    c = state["c"]
    positions = normals(state["seed"], 1024 * 2 * 128).reshape(1024, 2, 128)
    query, key = positions[:c, 0].T, positions[:c, 1].T
    scale = {"1": 1.0, "sqrt(c)": None, "c": 1 / c}[state["divisor"]]
    for line in (0, 127):
        seen = [(line + p) % 128 for p in range(12)]
        weights = atencao.attention_weights(query[[line]], key[seen], scale=scale)
        np.testing.assert_allclose(explorer.numbers()["weights"][line], weights[0], atol=1e-9)


def test_reach_is_the_derivative_of_the_weights_by_the_query():
    explorer = Scale(c=3, divisor="sqrt(c)", seed=1)
    positions = normals(1, 1024 * 2 * 128).reshape(1024, 2, 128)
    query, key = positions[:3, 0, 0], positions[:3, 1, :12].T
    step = 1e-5
    columns = [
        (atencao.attention_weights([query + nudge], key)
         - atencao.attention_weights([query - nudge], key))[0] / (2 * step)
        for nudge in step * np.eye(3)
    ]
    assert explorer.numbers()["reach"][0] == pytest.approx(np.linalg.norm(columns), rel=1e-6)


@pytest.mark.parametrize(("name", "wrong"), [
    ("c", 0), ("c", 1025), ("c", 2.5), ("c", True), ("c", "8"), ("c", float("nan")), ("c", None),
    ("divisor", "√c"), ("divisor", 1), ("seed", -1), ("seed", 10_000), ("seed", 0.5),
])
def test_a_wrong_value_is_refused_and_the_state_stays(name, wrong):
    explorer = Scale()
    before = explorer.state()
    with pytest.raises(TraitError, match=f"{name} precisa ser um"):
        setattr(explorer, name, wrong)
    assert explorer.state() == before


def test_numpy_integers_are_welcome():
    assert json.dumps(Scale(c=np.int64(64)).state())


def test_json_in_the_page_has_exactly_the_fields():
    explorer = Scale(c=256, divisor="c")
    page = explorer.as_html()
    state = json.loads(re.search(r"<script[^>]*>(.*?)</script>", page)[1])
    assert state == {"c": 256, "divisor": "c", "seed": 44}
    assert set(state) == set(Scale.fields)


def test_repr_and_page_show_the_numbers():
    explorer = Scale(c=1024, divisor="sqrt(c)")
    numbers = explorer.numbers()
    largest = [br(numbers["largest"][0]), br(np.median(numbers["largest"]))]
    assert re.search(r"maior peso +" + " +".join(largest), repr(explorer))
    assert f"<td>{largest[0]}</td><td>{largest[1]}</td>" in explorer.as_html()
    assert "prevista, c/s²  1,0000" in repr(explorer)


def test_the_three_divisors_tell_the_three_stories():
    stories = {d: Scale(c=1024, divisor=d).numbers() for d in ("1", "sqrt(c)", "c")}
    assert np.median(stories["1"]["largest"]) > 0.99
    assert 0.8 < np.median(stories["sqrt(c)"]["entropy"]) < 0.92
    assert stories["c"]["entropy"].min() > 0.99
