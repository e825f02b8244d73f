"""Um nn.Module do aluno, visto por um substituto: as conferências dizem o mesmo que em aula."""

import pytest
import torch

from atencao import checks
from atencao.classroom.sandbox import Limits, Sandbox

SOURCE = """
import torch
from torch import nn
from atencao.modules import TransformerBlock

class Certa(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.query = nn.Linear(d, c, bias=False)
        self.key = nn.Linear(d, c, bias=False)
        self.value = nn.Linear(d, c, bias=False)

    def weigh(self, scores, c):
        return torch.softmax(scores / c ** 0.5, -1)

    def forward(self, x):
        query, key, value = self.query(x), self.key(x), self.value(x)
        return self.weigh(query @ key.transpose(-1, -2), key.shape[-1]) @ value

class SemEscala(Certa):
    def weigh(self, scores, c):
        return torch.softmax(scores, -1)

certa, sem_escala, bloco = Certa(6, 4), SemEscala(6, 4), TransformerBlock(6, 2)
"""


@pytest.fixture(scope="module")
def student():
    with Sandbox(Limits(), imports=("torch",)) as sandbox:
        sandbox.run(SOURCE, "<célula 1>")
        yield sandbox


def test_modules_are_checked_through_the_wire(student):
    assert checks.self_attention(student.get("certa"))
    assert checks.transformer_block(student.get("bloco"))
    assert not checks.self_attention(student.get("sem_escala"))


def test_the_same_mistake_has_the_same_words(student):
    names: dict = {}
    exec(SOURCE, names)
    here = checks.self_attention(names["sem_escala"])
    assert checks.self_attention(student.get("sem_escala")).message == here.message


def test_a_class_is_checked_like_an_object_of_it(student):
    assert checks.self_attention(student.get("Certa"))
    names: dict = {}
    exec(SOURCE, names)
    here = checks.self_attention(names["SemEscala"])
    assert checks.self_attention(student.get("SemEscala")).title == here.title


def test_an_error_without_a_line_of_the_students_shows_none_of_ours(student):
    student.run("class Curta(nn.Module):\n    def __init__(self, d): pass", "<célula 2>")
    message = checks.self_attention(student.get("Curta")).message
    assert "TypeError" in message
    assert "Foi na linha" not in message


def test_tensors_cross_as_tensors(student):
    student.run("t = torch.arange(3.0)", "<célula 2>")
    assert torch.equal(student.get("t"), torch.arange(3.0))
