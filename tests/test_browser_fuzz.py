"""Mil estados e gestos sorteados em cada explorador: nada quebra, e o Python concorda sempre."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
import traitlets
from playwright.sync_api import expect

import browsing
import on_screen
from atencao.explorers import base

PORTUGUESE = re.compile(r"precisa|va[io] de|vão de|números|tem |têm |lista|aponta")
PAGE = Path(__file__).parent / "fuzz.html"
every_kind = pytest.mark.parametrize("kind", on_screen.CLASSES)


def numbers(rng, shape, limit):
    """Números até o limite, com zeros e extremos mais vezes do que o acaso daria."""
    drawn = rng.uniform(-limit, limit, shape)
    special = rng.choice([0, 0, limit, -limit, limit / 2], shape)
    return np.where(rng.random(shape) < 0.4, special, drawn.round(rng.integers(1, 6))).tolist()


def words(rng, count):
    names = ["".join(pair) for pair in itertools.product("abcdefgh", repeat=2)]
    return [name if rng.random() < 0.9 else f"<b>&{name}" for name in names[:count]]


def dot_product(rng):
    return {
        "tokens": words(rng, 3), "query": numbers(rng, 2, 1), "key": numbers(rng, (3, 2), 1),
        "value": numbers(rng, (3, 3), 1e6), "by_hand": bool(rng.integers(2)),
        "scaled": bool(rng.integers(2)), "stretch": int(rng.choice([1, 10])),
    }


def projection(rng):
    points = np.abs(numbers(rng, (int(rng.integers(2, 41)), 3), 1)).tolist()
    names = words(rng, len(points))
    groups = rng.choice(["nome", "pronome", "verbo", "adjetivo", "ligação"], len(points))
    return {
        "words": [[name, str(group), *point]
                  for name, group, point in zip(names, groups, points, strict=True)],
        **{f"w_{role}": numbers(rng, (3, 2), 2) for role in ("query", "key", "value")},
        "role": str(rng.choice(["query", "key", "value"])),
        "chosen": str(rng.choice(names)), "angles": numbers(rng, 2, 180),
    }


def scale(rng):
    return {
        "c": int(rng.choice([1, 2, 3, 1024, rng.integers(1, 1025)])),
        "divisor": str(rng.choice(["1", "sqrt(c)", "c"])), "seed": int(rng.choice([0, 44, 9999])),
    }


def five_products(rng):
    n, d, c = (int(rng.integers(low, high + 1)) for low, high in ((3, 6), (1, 8), (1, 4)))
    matrix = str(rng.choice(["query", "key", "value", "scores", "weights", "context"]))
    columns = n if matrix in ("scores", "weights") else c
    return {
        "tokens": words(rng, n), "X": numbers(rng, (n, d), 10),
        **{f"W_{name}": numbers(rng, (d, c), 10) for name in ("query", "key", "value")},
        "cell": [matrix, int(rng.integers(n)), int(rng.integers(columns))],
    }


def mask(rng):
    n = int(rng.choice([2, 5, 12, 13, 64], p=[0.2, 0.5, 0.15, 0.1, 0.05]))
    c, limit = int(rng.integers(1, 5)), rng.choice([1, 100])
    masks, orders = ["none", "causal", "padding", "both"], ["before", "zero", "after"]
    return {
        "tokens": words(rng, n), "query": numbers(rng, (n, c), limit),
        "key": numbers(rng, (n, c), limit), "value": numbers(rng, (n, 3), limit),
        "mask": str(rng.choice(masks)), "order": str(rng.choice(orders)),
        "padding": int(rng.integers(n)), "side": str(rng.choice(["right", "left"])),
        "row": int(rng.integers(n)), "changed": bool(rng.integers(2)),
        "trials": {f"{m}/{o}": bool(rng.integers(2))
                   for m in masks for o in orders if rng.random() < 0.3},
    }


def multi_head(rng):
    n = int(rng.choice([2, 5, 9, 64], p=[0.2, 0.5, 0.25, 0.05]))
    heads, c = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    rows = int(rng.integers(2, 7))
    stages = ["start", "view", "transpose", "attend", "back", "concat", "project"]
    return {
        "mode": str(rng.choice(["split", "look"])), "n": rows,
        "num_heads": int(rng.choice([1, 2, 3, 6])),
        "path": str(rng.choice(["transpose", "reshape", "half"])),
        "stage": str(rng.choice(stages)), "picked": np.flatnonzero(
            rng.random(6 * rows) < 0.2).tolist(),
        "tokens": words(rng, n), "query": numbers(rng, (heads, n, c), 30),
        "key": numbers(rng, (heads, n, c), 30), "token": int(rng.integers(n)),
        "head": int(rng.integers(heads)),
        "other": None if rng.random() < 0.4 else int(rng.integers(heads)),
    }


RANDOM = {
    "dot-product": dot_product, "projection": projection, "scale": scale,
    "five-products": five_products, "mask": mask, "multi-head": multi_head,
}
# O número de palavras destes não muda depois que o explorador está na tela.
FIXED = {"dot-product": ("tokens",)}


@pytest.fixture(scope="module")
def context(chromium):
    context = chromium.new_context(viewport={"width": 900, "height": 900})
    with browsing.served(base.STATIC) as address:
        context.route("**/fuzz.html", lambda route: route.fulfill(path=PAGE))
        context.address = f"{address}/fuzz.html"
        yield context
    context.close()


@pytest.fixture
def page(context):
    """A página de sorteios; ao fim do teste, o console precisa estar sem erros."""
    page = context.new_page()
    watch = browsing.Watch(page)
    page.goto(context.address)
    page.wait_for_function("() => window.fuzz !== undefined")
    yield page
    page.close()
    assert watch.errors == []


@every_kind
def test_a_thousand_random_states_and_gestures(page, kind):
    rng = np.random.default_rng(3)
    explorer = on_screen.CLASSES[kind]
    first = explorer().state()
    fixed = {name: first[name] for name in FIXED.get(kind, ())}
    states = [RANDOM[kind](rng) | fixed for _ in range(60)]
    page.evaluate("([kind, state]) => start(kind, state)", [kind, first])
    root = page.locator(".explorer")
    for batch in range(20):
        result = page.evaluate("(all) => fuzz(...all)", [states, 50, batch])
        assert result["problems"] == []
        for state in result["saved"]:
            explorer(**{name: state[name] for name in explorer.fields})  # o Python aceita
        page.evaluate("rest()")
        state = page.evaluate("state()")
        on_screen.assert_agree(root, explorer(**{name: state[name] for name in explorer.fields}))


# Um valor que o Python recusaria, se chegasse por outro caminho.
WRONG = {
    "dot-product": [("query", [2, 0]), ("key", [[1, 0]]), ("stretch", 3), ("value", "texto")],
    "projection": [("w_query", [[1, 2], [3, None], [0, 0]]), ("chosen", "ninguém"), ("words", [])],
    "scale": [("c", 0), ("c", 2.5), ("c", None), ("divisor", "2"), ("seed", "44")],
    "five-products": [("X", [[1]]), ("W_key", [["a"]]), ("cell", ["query", 9, 9]), ("X", None)],
    "mask": [("query", [[1]]), ("mask", "futuro"), ("row", 99), ("padding", -1), ("tokens", "oi")],
    "multi-head": [("n", 9), ("stage", "fim"), ("picked", [999]), ("query", [[[1]]]), ("head", 9)],
}


@pytest.mark.parametrize(("kind", "name", "value"), [
    (kind, name, value) for kind, cases in WRONG.items() for name, value in cases
])
def test_a_wrong_value_from_outside_is_refused_in_portuguese(page, kind, name, value):
    explorer = on_screen.CLASSES[kind]()
    page.evaluate("([kind, state]) => start(kind, state)", [kind, explorer.state()])
    page.evaluate("(changes) => put(changes)", {name: value})
    expect(page.get_by_role("alert")).to_have_text(PORTUGUESE)
    on_screen.assert_agree(page.locator(".explorer"), explorer)
    with pytest.raises(traitlets.TraitError):
        setattr(explorer, name, value)
