"""O que as tarefas usam além das conferências: os números de cada aluno e o palpite só anotado."""

import re
import reprlib
from collections.abc import Sequence

import numpy as np

from atencao.checks.learner import is_unfinished
from atencao.checks.quiz import comma, read_number

__all__ = ["drawn", "noted", "read_number", "seed_of", "whose_data"]

ONE_NUMBER = "Escreva um número só, como 0.42."


def seed_of(student_number: object) -> int:
    """A semente dos dados de um aluno: os dígitos da matrícula (os 18 primeiros); sem nenhum, 0."""
    return int(re.sub(r"[^0-9]", "", str(student_number))[:18] or 0)


def drawn(student_number: object, draws: Sequence[int]) -> np.random.Generator:
    """O gerador do aluno, semeado com um dos ``draws``: os que a tarefa escolheu por servirem."""
    return np.random.default_rng(np.random.default_rng(seed_of(student_number)).choice(draws))


def whose_data(student_number: object) -> str:
    """Diz de que matrícula saem os dados, ou lembra de trocá-la."""
    if seed := seed_of(student_number):
        return f"Os seus dados saem da matrícula {seed}."
    return "Sua matrícula ainda é 0: troque-a na célula de cima e rode de novo."


def noted(guess: object) -> str:
    """Diz se o palpite pode ser corrigido, sem dizer se está certo."""
    if is_unfinished(guess):
        return "○ palpite: ainda por fazer."
    value = read_number(guess)
    if value is None:
        return f"✗ palpite: não entendi {_quoted(guess)}. {comma(guess) or ONE_NUMBER}"
    shown = f"{value:.10g}".replace(".", ",")
    return f"Anotado: {shown}. A correção dirá se está certo."


def _quoted(guess: object) -> str:
    try:
        return reprlib.repr(guess)
    except Exception:  # um inteiro de milhares de algarismos, um objeto que não se deixa mostrar
        return "isso"
