"""O que as tarefas usam: sementes que saem da matrícula e palpites que só se anotam."""

import numpy as np
import pytest

from atencao.checks import homework


@pytest.mark.parametrize(("number", "seed"), [
    (20231, 20231), ("20231", 20231), ("2023-1/B", 20231), (-7, 7), (0, 0), ("", 0), (None, 0),
    ("sem número", 0),
])
def test_the_seed_is_in_the_digits(number, seed):
    assert homework.seed_of(number) == seed


def test_two_students_get_other_numbers_and_each_one_always_the_same():
    def data(number):
        return homework.drawn(number, range(1000)).integers(10**9)

    assert data(20231) == data("20231")
    assert len({data(number) for number in range(20)}) == 20


def test_only_the_chosen_draws_are_used():
    allowed = {np.random.default_rng(draw).integers(10**9) for draw in (3, 5)}
    found = {homework.drawn(number, (3, 5)).integers(10**9) for number in range(50)}
    assert found == allowed


@pytest.mark.parametrize(("guess", "value"), [
    (0.42, 0.42), ("0,42", 0.42), ("42%", 0.42), ("−1,5", -1.5), (3, 3.0), (np.float32(0.5), 0.5),
    (np.array([[2.0]]), 2.0), (None, None), (..., None), ("talvez", None), ([1, 2], None),
    (float("nan"), None), (True, None),
])
def test_a_guess_is_read_as_people_write_it(guess, value):
    assert homework.read_number(guess) == value


def test_a_long_text_that_is_no_number_is_read_at_once():
    assert homework.read_number("1" * 200_000 + "x") is None


def test_a_guess_is_noted_and_not_judged():
    assert homework.noted("0.517") == "Anotado: 0,517. A correção dirá se está certo."
    assert homework.noted(None) == "○ palpite: ainda por fazer."


def test_what_is_not_a_number_is_not_taken_for_nothing():
    assert homework.noted("linha 3") == (
        "✗ palpite: não entendi 'linha 3'. Escreva um número só, como 0.42."
    )
    assert "não entendi isso" in homework.noted(10**5_000)
    guess = -0,7
    assert homework.noted(guess) == (
        "✗ palpite: não entendi (0, 7). No Python, a vírgula separa dois números; a casa decimal "
        "vem depois de um ponto."
    )


def test_who_forgot_the_number_is_reminded():
    assert homework.whose_data("2023-1") == "Os seus dados saem da matrícula 20231."
    assert "ainda é 0" in homework.whose_data(0)
