"""Cada falha do catálogo, plantada numa conta certa, é chamada pelo nome."""

from collections import defaultdict
from functools import cache

import numpy as np
import pytest

import book
from atencao.checks import check as judging
from atencao.checks import diagnosis
from atencao.checks.catalogue import example, exercises_of
from atencao.checks.exercises import EXERCISES
from atencao.checks.faults import CATALOGUE, FAULTS
from bench_checks import planted

# Dão os mesmos números, e a conferência diz as duas: com o preenchimento no fim, uma linha real só
# enxerga, no passado, colunas reais.
TWINS = {("batch_mask", "padding_hides_rows"), ("batch_mask", "padding_hides_both")}
MARKED_FOR_CHECK = {1, 4, 5, 9, 12, 14, 15, 16, 19, 22, 23, 32, 35}

SINGLES = [
    pytest.param(exercise, suspect, id=f"{exercise.name}-{suspect.keys[0]}-{i}")
    for exercise in EXERCISES.values()
    for i, suspect in enumerate(diagnosis.applicable(exercise))
]


@cache
def chapter_headings(chapter):
    notebook = book.read(book.BOOK / f"{chapter}.ipynb")
    lines = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown").splitlines()
    return {line.lstrip("#").strip() for line in lines if line.startswith("#")}


@pytest.mark.parametrize(("exercise", "suspect"), SINGLES)
def test_a_planted_fault_is_named_as_itself(exercise, suspect):
    result = judging.check(exercise, planted(exercise, suspect.changes))
    assert not result
    fault = suspect.faults[0]
    if (exercise.name, fault.key) in TWINS:
        assert (fault.key,) in result.alternatives
        assert len(result.alternatives) == 2
    else:
        assert result.faults == suspect.keys
        assert fault.did in result._repr_html_().replace("&lt;", "<").replace("&gt;", ">")
        assert fault.title in result.title
        assert fault.look in result.look


def rounded(array):
    finite = np.nan_to_num(array.astype(float), posinf=9e9, neginf=-9e9)
    return np.round(finite, 3)


def outcomes(exercise, probes, changes):
    """O que a conta errada dá em cada prova, numa forma que se compara de uma vez."""

    def written(answer):
        if answer is None:
            return None
        return tuple((a.shape, a.dtype == bool, rounded(a).tobytes()) for a in answer)

    return tuple(written(exercise.pipeline.answer(p.inputs, changes)) for p in probes)


def pairs_by_outcome(exercise):
    """Os pares que se veem nos números: nem iguais à resposta certa, nem a uma falha só."""
    probes = exercise.probes()
    hidden = {outcomes(exercise, probes, {})}
    hidden |= {outcomes(exercise, probes, s.changes) for s in diagnosis.applicable(exercise)}
    found = defaultdict(set)
    for pair in diagnosis.pairs(exercise):
        seen = outcomes(exercise, probes, pair.changes)
        if seen not in hidden and any(seen):
            found[seen].add(frozenset(pair.keys))
    return found


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_almost_every_pair_is_told_from_the_others(exercise):
    """Mede a parte dos pares visíveis que só têm uma explicação; imprime-a (pytest -s)."""
    groups = list(pairs_by_outcome(exercise).values())
    pairs = sum(len(group) for group in groups)
    alone = sum(len(group) == 1 for group in groups)
    if pairs:
        print(f"{exercise.name}: {alone} de {pairs} pares ({alone / pairs:.0%})")
        assert alone / pairs >= 0.8


def test_nine_pairs_in_ten_are_named_as_that_pair():
    """Confere de verdade, do começo ao fim, uns pares de cada exercício."""
    rng = np.random.default_rng(0)
    named = tried = 0
    for exercise in EXERCISES.values():
        probes = exercise.probes()
        hidden = {outcomes(exercise, probes, {})}
        hidden |= {outcomes(exercise, probes, s.changes) for s in diagnosis.applicable(exercise)}
        pairs = list(diagnosis.pairs(exercise))
        for i in rng.permutation(len(pairs))[:14]:
            seen = outcomes(exercise, probes, pairs[i].changes)
            if seen in hidden or not any(seen):
                continue
            result = judging.check(exercise, planted(exercise, pairs[i].changes))
            assert not result
            tried += 1
            named += set(result.faults) == set(pairs[i].keys) and len(result.alternatives) == 1
    print(f"{named} de {tried} pares ditos como aquele par ({named / tried:.0%})")
    assert tried >= 100
    assert named / tried >= 0.9


def test_the_catalogue_covers_what_learners_stumble_on():
    answered = {question for fault in CATALOGUE for question in fault.questions}
    assert answered >= MARKED_FOR_CHECK
    assert len(FAULTS) == len(CATALOGUE) >= 45


@pytest.mark.parametrize("fault", CATALOGUE, ids=FAULTS)
def test_every_fault_is_written_for_a_reader(fault):
    for text in (fault.did, fault.why):
        assert text.endswith((".", "?"))
        assert len(text) < 320
    assert not fault.title.endswith(".")
    assert exercises_of(fault.key), "não cabe em exercício nenhum"
    assert fault.look.title in chapter_headings(fault.look.chapter)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_every_exercise_points_to_a_section_that_exists(exercise):
    assert exercise.look.title in chapter_headings(exercise.look.chapter)


@pytest.mark.parametrize("key", FAULTS)
def test_every_fault_has_an_example_that_shows_it(key):
    shown = example(key)
    assert shown.right is not None or shown.wrong is not None
    same = (shown.right.shape, shown.right.dtype) == (
        shown.wrong.shape, shown.wrong.dtype
    ) and np.array_equal(
        shown.right, shown.wrong, equal_nan=shown.right.dtype.kind == "f"
    )
    assert not same


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_the_probes_keep_the_sizes_apart(exercise):
    """Com n ≠ d ≠ c um eixo trocado aparece; a prova quadrada não conta para o certo."""
    probes = [probe for probe in exercise.probes() if not probe.square]
    assert len(probes) >= 2
    shapes = [
        tuple(np.shape(v) if np.ndim(v) else v for v in p.inputs.values() if not callable(v))
        for p in probes
    ]
    assert len(set(shapes)) >= 2
