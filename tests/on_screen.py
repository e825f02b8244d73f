"""O que um explorador mostra na tela, e o que o Python calcula para o mesmo estado."""

import re

import numpy as np

from atencao import explorers
from atencao.functional import merge_heads

NUMBERS_OF_THE_NOTE = (12, 2)  # “Os 12 riscos são a linha do desenho 2.”

CLASSES = {made().kind: made for made in map(vars(explorers).get, explorers.__all__)}
NUMBER = re.compile(r"(?<!≠\u00a0)(?:−∞|−?\d+(?:,\d+)?(?:e[+-]\d+)?)")
READ = """(root, selectors) => Object.fromEntries(Object.entries(selectors).map(([name, css]) =>
    [name, [...root.querySelectorAll(css)]
        .map((node) => (node.matches("input") ? node.value : node.textContent))]))"""


def written(text):
    """Os números de um texto em português, cada um com metade do seu último algarismo."""
    found = []
    for number in NUMBER.findall(text):
        if number == "−∞":
            found.append((-np.inf, 0))
            continue
        digits, _, exponent = number.partition("e")
        places = len(digits.partition(",")[2]) - int(exponent or 0)
        found.append((float(number.replace("−", "-").replace(",", ".")), 0.5 * 10.0**-places))
    return found


def assert_agree(root, explorer):
    """Lê na tela os números do explorador e os compara com os que o Python calcula."""
    selectors, expect = VIEWS[explorer.kind]
    texts = root.evaluate(READ, selectors)
    for name, expected in expect(explorer).items():
        shown = written(" ".join(texts[name]))
        values = np.ravel(expected).tolist()
        assert len(shown) == len(values), f"{name}: {texts[name]} em vez de {values}"
        for (number, half), value in zip(shown, values, strict=True):
            if number == -np.inf or value == -np.inf:
                assert number == value, f"{name}: {number} em vez de {value}"
            else:
                room = half + 1e-9 * max(1, abs(value))
                assert abs(number - value) <= room, f"{name}: {number} em vez de {value}"


def dot_product(explorer):
    return explorer.numbers() | {"fields": [*explorer.query, *np.ravel(explorer.key)]}


def projection(explorer):
    numbers = explorer.numbers()
    ranking = [row[0] for row in explorer.tables()[1].rows]
    places = [[word for word, *_ in explorer.words].index(word) for word in ranking]
    matrix = getattr(explorer, f"w_{explorer.role}")
    image = numbers[explorer.role]
    reach = max(np.abs(image).max(), np.abs(matrix).max())
    limit = next(size for size in (1.2, 2, 3, 6) if reach <= size)
    return {
        "matrix": matrix,
        "result": image[[word for word, *_ in explorer.words].index(explorer.chosen)],
        "search": numbers["scores"][places],
        "limit": [limit, -limit],
    }


def scale(explorer):
    numbers = explorer.numbers()
    measures = [numbers[name] for name in ("entropy", "largest", "jacobian", "reach")]
    table = np.array([[values[0], np.median(values)] for values in measures])
    table[0] *= 100
    divisor = {"1": 1, "sqrt(c)": explorer.c**0.5, "c": explorer.c}[explorer.divisor]
    return {
        "measures": table,
        "scores": numbers["scores"][0],
        "weights": numbers["weights"][0],
        "variance": [numbers["scores"].var(), explorer.c / divisor**2, *NUMBERS_OF_THE_NOTE],
        "fields": [explorer.c, explorer.seed],
    }


def five_products(explorer):
    numbers = explorer.numbers()
    name, row, column = explorer.cell
    given = {name: getattr(explorer, name) for name in ("X", "W_query", "W_key", "W_value")}
    return numbers | given | {"sum": [numbers[name][row][column]]}


def mask(explorer):
    numbers, row = explorer.numbers(), explorer.row
    stages = {name: numbers[name][row] for name in ("scaled", "entering", "soft", "weights")}
    for name in ("soft", "weights"):
        stages[name] = [*stages[name], sum(stages[name])]
    return {f"row_{name}": stage for name, stage in stages.items()} | {
        "weights": numbers["weights"] if len(explorer.tokens) <= 12 else [],
        "sums": numbers["weights"].sum(axis=-1),
    }


def multi_head(explorer):
    numbers = explorer.numbers()
    if explorer.mode == "look":
        weights = numbers["head_weights"][:, explorer.token]
        other = [] if explorer.other is None else weights[explorer.other]
        return {"row": weights[explorer.head], "other": other}
    shapes = " ".join(" ".join(row[1:]) for row in explorer.tables()[0].rows)
    return {
        "shapes": [int(number) for number in re.findall(r"\d+", shapes)],
        "cells": values_by_cell(explorer, numbers),
    }


def values_by_cell(explorer, numbers):
    """O número escrito em cada célula, na ordem dos números das células."""
    received, cells = numbers["received"], np.arange(explorer.n * 6)
    merged = merge_heads(received) if explorer.path == "transpose" else received
    places, values = {
        "attend": (received, numbers["context"]),
        "back": (received, numbers["context"]),
        "concat": (merged, numbers["merged"]),
        "project": (merged, numbers["output"]),
    }.get(explorer.stage, (cells, cells))
    return np.ravel(values)[np.argsort(np.ravel(places))]


VIEWS = {
    "dot-product": ({
        "fields": ".explorer-number",
        "scores": ".explorer-stage-scores",
        "scaled_scores": ".explorer-stage-scaledScores",
        "powers": ".explorer-stage-powers",
        "weights": ".explorer-stage-weights",
        "context": ".explorer-context-text",
    }, dot_product),
    "projection": ({
        "matrix": ".explorer-number",
        "result": "tbody tr:last-child .explorer-projection-result",
        "search": ".explorer-panel .explorer-note:last-child",
        "limit": ".explorer-projection-plane .explorer-axis-label:nth-of-type(-n+2)",
    }, projection),
    "scale": ({
        "measures": ".explorer-panel td",
        "scores": ".explorer-scale-row td:nth-child(2)",
        "weights": ".explorer-scale-row .explorer-stage-weights",
        "variance": ".explorer-scale-pictures > :first-child .explorer-note",
        "fields": ".explorer-number",
    }, scale),
    "five-products": ({
        **{name: f'[role=grid][aria-label^="{symbol}, "] td' for name, symbol in {
            "query": "Q", "key": "K", "value": "V", "scores": "Ω", "weights": "A", "context": "C",
        }.items()},
        # X aparece três vezes, uma por projeção; as três mostram o mesmo.
        "X": '.five-product:first-child [aria-label^="X, "] input',
        "W_query": '[aria-label^="Wq, "] input',
        "W_key": '[aria-label^="Wk, "] input',
        "W_value": '[aria-label^="Wv, "] input',
        "sum": ".five-sum-line strong",
    }, five_products),
    "mask": ({
        "weights": ".mask-cell",
        "sums": "tbody tr.mask-choice .mask-sum",
        **{f"row_{stage}": f".mask-stage-{stage} td"
           for stage in ("scaled", "entering", "soft", "weights")},
    }, mask),
    "multi-head": ({
        "shapes": ".heads-stages td",
        "cells": ".heads-cell:not([hidden])",
        "row": ".heads-sentence td:nth-child(2)",
        "other": ".heads-sentence td:nth-child(3)",
    }, multi_head),
}
