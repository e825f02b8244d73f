"""Projeção: o estado recusa o que não cabe, e os números são os mesmos em Python e no navegador."""

import itertools
import json
import re

import numpy as np
import pytest
from traitlets import TraitError

import atencao
import node
from atencao.explorers import Projection
from atencao.explorers.base import br

STATES = [
    {},
    {"role": "key", "chosen": "Maria"},
    {"role": "value", "chosen": "na", "w_value": [[0.3, -1.25], [2, -2], [0, 0.7]]},
    {"role": "query", "chosen": "corre", "w_query": [[1, 2], [0.5, 1], [-0.1, -0.2]]},
    {"role": "key", "w_key": [[0, 0], [0, 0], [0, 0]]},
    {"words": [["sol", "nome", 1, 0.5, 0], ["ela", "pronome", 0, 0, 1]]},
]


def test_javascript_projects_what_python_projects():
    explorers = [Projection(**state) for state in STATES]
    results = node.call("projection.js", [["derive", e.state()] for e in explorers])
    for explorer, got in zip(explorers, results, strict=True):
        expected = explorer.numbers()
        for name in ("query", "key", "value", "scores"):
            np.testing.assert_allclose(got[name], expected[name], atol=1e-9, err_msg=name)
        assert got["rank"] == expected["rank"]
        first = [explorer.words[i][0] for i in got["order"][:3]]
        assert first == [row[0] for row in explorer.tables()[1].rows]


def test_the_hidden_direction_goes_to_zero():
    for state in STATES[:3]:
        explorer = Projection(**state)
        got = node.call("projection.js", [["derive", explorer.state()]])[0]
        matrix = np.array(getattr(explorer, f"w_{explorer.role}"))
        assert np.abs(got["hidden"]).max() == pytest.approx(1)
        np.testing.assert_allclose(got["hidden"] @ matrix, 0, atol=1e-9)


def test_scores_are_those_of_the_functional_module():
    explorer = Projection(chosen="gata")
    x = np.array([point for _, _, *point in explorer.words])
    query, key = x @ explorer.w_query, x @ explorer.w_key
    line = [word for word, *_ in explorer.words].index("gata")
    scores = atencao.attention_scores(query, key)[line]
    np.testing.assert_allclose(explorer.numbers()["scores"], scores)


def test_no_challenge_is_met_at_the_start():
    explorer = Projection()
    numbers = explorer.numbers()
    key, value = numbers["key"], numbers["value"]
    assert numbers["rank"] == 2
    assert explorer.words[numbers["scores"].argmax()][0] != "Maria"
    for i, j in itertools.combinations(range(len(key)), 2):
        assert np.hypot(*(key[i] - key[j])) > 0.02 or np.hypot(*(value[i] - value[j])) < 0.5


def test_each_challenge_can_be_met():
    flat = Projection(w_query=[[1, 0], [1, 0], [1, 0]])
    assert flat.numbers()["rank"] == 1

    same_key = Projection(role="key", w_key=[[1, -0.5], [-0.5, 1], [0, 0]])
    numbers = same_key.numbers()
    maria, table = (
        [word for word, *_ in same_key.words].index(name) for name in ("Maria", "mesa")
    )
    assert numbers["rank"] == 2
    np.testing.assert_allclose(numbers["key"][maria], numbers["key"][table])
    assert np.hypot(*(numbers["value"][maria] - numbers["value"][table])) > 0.5

    finds = Projection(w_query=[[-0.5, 1], [1, -1], [1, 0]])
    assert finds.words[finds.numbers()["scores"].argmax()][0] == "Maria"


@pytest.mark.parametrize(("name", "wrong", "message"), [
    ("w_query", [[1, 2], [3, 4]], r"w_query tem forma \(2, 2\) e precisa ter \(3, 2\)"),
    ("w_key", [["a", 0], [0, 0], [0, 0]], "w_key precisa ser de números"),
    ("w_value", [[float("nan"), 0], [0, 0], [0, 0]], "w_value tem NaN"),
    ("w_value", [[2.5, 0], [0, 0], [0, 0]], "w_value vai de −2 a 2"),
    ("role", "context", "role precisa ser um de"),
    ("chosen", "zebra", "chosen precisa ser uma das palavras"),
    ("chosen", 3, "chosen precisa ser uma das palavras"),
    ("chosen", None, "chosen precisa ser uma das palavras"),
    ("chosen", np.ones(2), "chosen precisa ser uma das palavras"),
    ("angles", [1, 2, 3], "angles tem forma"),
    ("words", "ela", "precisa de 2 a 40 linhas"),
    ("words", 7, "precisa de 2 a 40 linhas"),
    ("words", [["ela", "pronome", 0, 0, 1]], "precisa de 2 a 40 linhas"),
    ("words", [["ela", "pronome", 0, 0, 2], ["a", "ligação", 0, 0, 0]], "números de 0 a 1"),
    ("words", [["ela", "pronome", 0, 0], ["a", "ligação", 0, 0, 0]], "números de 0 a 1"),
    ("words", [["ela", "pronome", 0, 0, float("nan")], ["a", "ligação", 0, 0, 0]], "de 0 a 1"),
    ("words", [["ela", "bicho", 0, 0, 1], ["a", "ligação", 0, 0, 0]], "a classe de ela"),
    ("words", [["ela", "pronome", 0, 0, 1], ["ela", "nome", 0, 0, 0]], "palavras repetidas"),
    ("words", [["", "pronome", 0, 0, 1], ["ela", "nome", 0, 0, 0]], "precisa ser um texto"),
    ("words", [["sol", "nome", 0, 0, 1], ["lua", "nome", 0, 0, 0]], "chosen precisa ser uma"),
])
def test_a_wrong_value_is_refused_and_the_state_stays(name, wrong, message):
    explorer = Projection()
    before = explorer.state()
    with pytest.raises(TraitError, match=message):
        setattr(explorer, name, wrong)
    assert explorer.state() == before


def test_words_and_chosen_change_together():
    explorer = Projection()
    with explorer.hold_trait_notifications():
        explorer.words = [["sol", "nome", 1, 0, 0], ["brilha", "verbo", 0, 1, 0]]
        explorer.chosen = "sol"
    assert explorer.tables()[0].caption == "sol por W_q, de posto 2"


def test_json_in_the_page_has_exactly_the_fields_and_escapes_the_words():
    evil = "</script><b>&"
    explorer = Projection(words=[[evil, "nome", 1, 0, 0], ["ela", "pronome", 0, 0, 1]])
    page = explorer.as_html()
    state = json.loads(re.search(r"<script[^>]*>(.*?)</script>", page)[1])
    assert set(state) == set(Projection.fields)
    assert state["words"][0][0] == evil
    assert "<b>" not in re.sub(r"<script.*?</script>", "", page)


def test_repr_and_page_show_the_numbers():
    explorer = Projection(role="value", chosen="corre")
    place = explorer.numbers()["value"][explorer._position()]
    written = [br(x) for x in place]
    assert re.search(r"resultado +" + " +".join(written), repr(explorer))
    assert "<td>" + "</td><td>".join(["verbo", *written]) in explorer.as_html()
    assert re.search(r"eixo +x +vida +ação", repr(explorer))
