"""O que se lê: o texto estável, o cartão acessível, os endereços, as perguntas de palpite."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
import torch

import atencao
import book
from atencao import checks
from atencao.checks.evidence import number as written
from atencao.checks.faults import CATALOGUE
from atencao.checks.questions import QUESTIONS
from atencao.checks.result import address, place
from atencao.modules import SelfAttentionLinear


def scaled_after(query, key):
    return atencao.softmax(query @ key.T) / np.sqrt(query.shape[-1])


def test_the_text_of_a_right_answer():
    assert str(checks.softmax(atencao.softmax)) == (
        "✓ softmax: certo. Conferi com 5 entradas, de tamanhos diferentes."
    )


def test_the_text_of_a_stub():
    assert repr(checks.softmax(lambda x: ...)) == (
        "○ softmax: ainda por fazer. Escreva a função e rode esta célula de novo."
    )


def test_the_text_of_a_mistake():
    assert str(checks.attention_weights(scaled_after)) == """\
✗ scaled_after: ainda não. A escala veio depois do softmax.
  O que você fez: Você dividiu os pesos; a escala é das pontuações.
  O que mostra isso: Some cada linha dos seus pesos: 0,577; 0,577; 0,577; 0,577. Pesos de
    atenção somam 1.
  Por que importa: Depois do softmax, dividir só encolhe todos os pesos por igual: as linhas
    deixam de somar 1 e a distribuição continua tão concentrada quanto antes.
  Onde olhar: capítulo 5, “Divido por √2 depois do softmax, dá no mesmo”"""


def test_the_result_speaks_of_the_function_by_its_own_name():
    class Nameless:
        def __call__(self, x):
            return ...

    assert checks.softmax(Nameless()).name == "softmax"
    assert checks.softmax(lambda x: ...).name == "softmax"
    assert checks.self_attention(SelfAttentionLinear(6, 4)).name == "SelfAttentionLinear"
    assert checks.self_attention(SelfAttentionLinear).name == "SelfAttentionLinear"


def test_the_text_of_two_mistakes_keeps_them_apart():
    text = str(checks.attention_weights(lambda q, k: atencao.softmax(q @ k.T, axis=0)))
    assert "Faltou a escala. Softmax no eixo errado." in text
    assert text.count("O que você fez") == 1


def test_the_same_mistake_always_reads_the_same():
    first, second = (checks.attention_weights(scaled_after) for _ in range(2))
    assert str(first) == str(second)
    assert first._repr_html_() == second._repr_html_()


def test_the_result_as_data():
    result = checks.attention_weights(scaled_after)
    assert not result
    assert not result.passed
    assert result.state == "ainda não"
    assert result.score == 0
    assert result.faults == ("scale_after_softmax",)
    assert result.message == str(result)
    sums = scaled_after(*result.arguments).sum(axis=-1)
    assert written(sums[0]) in result.message


class Card(HTMLParser):
    """Confere que toda marca se fecha e guarda atributos e texto."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


RESULTS = {
    "certo": lambda: checks.softmax(atencao.softmax),
    "ainda por fazer": lambda: checks.softmax(None),
    "ainda não": lambda: checks.attention_weights(scaled_after),
    "ainda não, exceção": lambda: checks.softmax(lambda x: x < "<b>&"),
}


@pytest.mark.parametrize("state", RESULTS)
def test_the_card_says_in_words_what_it_says_in_color(state):
    result = RESULTS[state]()
    html = result._repr_html_()
    card = Card(html)
    assert card.tags[0][1]["role"] == "group"
    assert result.state in card.tags[0][1]["aria-label"]
    assert result.state in card.text
    assert {tag for tag, _ in card.tags} <= {"div", "strong", "span", "code", "dl", "dt", "dd", "a"}
    assert "script" not in html
    assert len(html) < 3_000
    for note in result.notes:
        assert note.label in card.text


def test_sections_become_links_to_the_chapter():
    sections = {fault.look for fault in CATALOGUE} | {q.look for q in QUESTIONS.values()}
    for section in sections:
        assert re.fullmatch(r"\d\d-[\w-]+\.ipynb#[^ <>\"]+", address(section))
        assert place(section).startswith(f"capítulo {int(section.chapter[:2])}, “")
        assert (book.BOOK / f"{section.chapter}.ipynb").exists()


def test_importing_checks_loads_numpy_and_nothing_heavier():
    code = "import sys, atencao.checks; print(*{n.split('.')[0] for n in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"torch", "matplotlib", "IPython", "anywidget"}


# ── Palpites ────────────────────────────────────────────────────────────────────────────────────

NUMBERS = {key: q for key, q in QUESTIONS.items() if not isinstance(q.answer(), tuple)}
SHAPES = {key: q for key, q in QUESTIONS.items() if isinstance(q.answer(), tuple)}


def ask(key, answer):
    return (checks.shape if key in SHAPES else checks.number)(key, answer)


@pytest.mark.parametrize("key", QUESTIONS)
def test_every_question_knows_its_answer_and_tells_its_slips_apart(key):
    question = QUESTIONS[key]
    assert ask(key, question.answer())
    for i, slip in enumerate(question.slips):
        result = ask(key, slip.value())
        assert not result
        assert result.faults == (f"slip_{i + 1}",), f"{slip.did} confunde-se com outro"
        assert slip.did in result._repr_html_().replace("&lt;", "<").replace("&gt;", ">")
    assert ask(key, ...).state == "ainda por fazer"
    assert question.look.title in {
        line.lstrip("#").strip()
        for cell in book.read(book.BOOK / f"{question.look.chapter}.ipynb").cells
        for line in cell.source.splitlines()
        if cell.cell_type == "markdown"
    }


@pytest.mark.parametrize("answer", [
    0.81, "0,81", " 0.81 ", "81%", np.float32(0.81), np.array([0.81]), torch.tensor(0.81),
    [0.81], "0,812",
])
def test_a_number_may_be_written_in_many_ways(answer):
    assert checks.number("02.cat_fat", answer)


@pytest.mark.parametrize("answer", ["oito", [1, 2], True, {}, object(), "1,2,3"])
def test_what_is_not_a_number_is_said_kindly(answer):
    assert checks.number("02.cat_fat", answer).faults == ("unreadable",)


def test_the_comma_that_makes_two_numbers_is_explained():
    assert "vírgula separa" in checks.number("02.cat_fat", (8, 5)).message
    assert "a vírgula" not in checks.number("02.cat_fat", "oito").message


def test_another_number_is_answered_with_a_direction():
    assert "mais do que o certo" in checks.number("02.cat_fat", 50).message
    assert "menos do que o certo" in checks.number("02.cat_fat", -50).message
    assert "NaN" in checks.number("02.cat_fat", float("nan")).message


@pytest.mark.parametrize("answer", [
    (7, 2), [7, 2], "(7, 2)", "7 × 2", "7x2", np.array([7, 2]), torch.Size([7, 2]),
    np.ones((7, 2)).shape,
])
def test_a_shape_may_be_written_in_many_ways(answer):
    assert checks.shape("03.projected", answer)


def test_another_shape_is_answered_with_what_is_right_in_it():
    assert "eixo 0" in checks.shape("03.projected", (7, 9)).message
    assert "tem 3 eixos" in checks.shape("03.projected", (1, 7, 2)).message
    assert checks.shape("03.projected", "sete por dois").faults == ("unreadable",)


def test_an_unknown_question_suggests_a_known_one():
    with pytest.raises(KeyError, match=r"02\.cat_fat"):
        checks.number("02.cat_fatt", 1)


# ── O teste de vazamento ────────────────────────────────────────────────────────────────────────


def test_leak_free_sees_what_leaks_and_what_does_not():
    x = np.random.default_rng(0).normal(size=(5, 4))

    def attend(x, mask=None):
        return atencao.scaled_dot_product_attention(x, x, x, mask=mask).context

    assert checks.leak_free(lambda x: attend(x, atencao.causal_mask(x.shape[-2])), x)
    assert checks.leak_free(lambda x: attend(x, atencao.causal_mask(x.shape[-2])), x[None])
    one_ahead = np.tri(5, k=1, dtype=bool)
    assert checks.leak_free(lambda x: attend(x, one_ahead), x).faults == ("leaks",)
    assert checks.leak_free(attend, x).faults == ("leaks",)
    assert checks.leak_free(np.ones_like, x).faults == ("blind",)
    assert checks.leak_free(lambda x: x.sum(), x).faults == ("wrong_shape",)
    assert checks.leak_free(lambda x: 1 / 0, x).faults == ("raises",)
    assert checks.leak_free(lambda x: ..., x).state == "ainda por fazer"


def test_leak_free_takes_modules():
    from atencao.modules import CausalSelfAttention, SelfAttentionLinear, TransformerBlock

    x = torch.randn(2, 5, 6)
    assert checks.leak_free(CausalSelfAttention(6, 4), x)
    assert checks.leak_free(TransformerBlock(6, 2, dropout=0.5), x)
    assert checks.leak_free(SelfAttentionLinear(6, 4), x).faults == ("leaks",)
