"""Nenhum traço de explorador aceita o que não sabe mostrar, nem recusa em outra língua."""

import math

import numpy as np
import pytest
import traitlets

from atencao import explorers

ODD = [
    None, True, -1, 3, 10**30, 1.5, math.nan, math.inf, "", "x", b"x", object(), len, {}, {"a": 1},
    {1, 2}, [], [[]], [[1, 2], [3]], [[1, "a"]], ["a", "b"], ["a", "b", 3], [math.nan] * 2,
    [1e308, 0.5], ["context", 9, 9], ["context", -1, 0], ["context", True, 0], np.int64(2),
    np.array(2), np.ones((3, 2)), np.ones((3, 2), complex), np.ones((3, 2), object),
    np.ones((0, 2)), np.full((3, 2), math.nan),
]  # fmt: skip
TRAITS = [
    (getattr(explorers, name), trait)
    for name in explorers.__all__ for trait in getattr(explorers, name).fields
]


@pytest.mark.parametrize(("explorer", "trait"), TRAITS)
def test_odd_values_are_shown_whole_or_refused_in_portuguese(explorer, trait):
    for odd in ODD:
        shown = explorer()
        try:
            setattr(shown, trait, odd)
            fault = "nan" in repr(shown)
        except traitlets.TraitError as refusal:
            fault = " trait " in str(refusal)  # assim começam as recusas do traitlets, em inglês
        assert not fault, f"{trait} = {odd!r}"
