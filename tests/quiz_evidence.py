"""Cada pergunta de perguntas.md refeita em conta: o que é certo, e todo número que ela escreve.

Uma função por pergunta, com o título dela. ``right`` diz, opção por opção, se o que ela afirma
acontece; ``answer`` e ``slips`` são o número certo e os enganos, na ordem em que estão na página;
``shown`` traz os outros números do texto, dados ou calculados.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

import atencao
from atencao import text
from atencao.modules import MultiHeadAttention, TransformerBlock

EVIDENCE = {}


@dataclass
class Evidence:
    right: list[bool] = field(default_factory=list)
    answer: float | None = None
    slips: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)

    def numbers(self):
        answer = [] if self.answer is None else [self.answer]
        return np.abs(np.array([*answer, *self.slips, *self.shown], dtype=float))


def about(title):
    def keep(function):
        assert title not in EVIDENCE, title
        EVIDENCE[title] = function
        return function
    return keep


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def same(one, other):
    return one.shape == other.shape and np.allclose(one, other)


def symmetric(matrix):
    return same(matrix, matrix.T)


def one_sums(weights, axis=-1):
    return bool(np.allclose(weights.sum(axis), 1))


# ---------- Capítulo 1 ----------


@about("Ids sorteados")
def _():
    table, ids, places = draw(50, 4), np.array([3, 9, 9, 0, 41]), np.random.default_rng(1)
    order = places.permutation(50)
    moved = np.empty_like(table)
    moved[order] = table
    before, after = text.one_hot(ids, 50) @ table, text.one_hot(order[ids], 50) @ moved
    gap = np.linalg.norm(before[:, None] - before, axis=-1)
    closer = not np.allclose(np.linalg.norm(after[:, None] - after, axis=-1), gap)
    return Evidence([same(before, after), not same(before, after), closer])


@about("Quase tudo vezes zero")
def _():
    n, vocabulary, d = 7, 50, 4
    hot = text.one_hot(np.arange(n), vocabulary)
    ones = hot.sum()
    return Evidence(answer=ones * d, slips=[ones, vocabulary * d, hot.size],
                    shown=[n, vocabulary, d, hot.size * d])


@about("O mesmo *the*, duas vezes")
def _():
    tokens = text.tokenize(text.CAT_SENTENCE)
    first, second = (i for i, token in enumerate(tokens) if token == "the")
    rows = text.embed(tokens)
    x = rows + text.sinusoidal_positions(len(tokens), 4)
    at_table, at_position = not same(*rows[[first, second]]), not same(*x[[first, second]])
    blind = atencao.scaled_dot_product_attention(rows, rows, rows).context
    assert same(*blind[[first, second]])
    return Evidence([at_table, at_position and not at_table, not at_table and not at_position],
                    shown=[first, second])


@about("A manga da camisa")
def _():
    table, place = draw(5, 4), text.sinusoidal_positions(3, 4)
    one, other = table[[0, 1, 2]], table[[0, 1, 3]]
    embedding = not same(one[1], other[1])
    entry = not same((one + place)[1], (other + place)[1])
    contexts = [atencao.scaled_dot_product_attention(*[rows + place] * 3).context[1]
                for rows in (one, other)]
    context = not same(*contexts)
    return Evidence([embedding, entry and not embedding, context and not entry, not context])


@about("O texto triplica")
def _():
    def millions(n):
        return n * n / 1e6
    assert millions(1000) == 1
    return Evidence(answer=millions(3000), slips=[3 * millions(1000), 2 * 3])


# ---------- Capítulo 2 ----------


@about("*Sat* encontra *fat*")
def _():
    sat, fat = text.embed(["sat", "fat"])
    parcels = sat * fat
    return Evidence(answer=parcels.sum(), slips=[(sat + fat).sum(), parcels[:3].sum(), fat.sum()],
                    shown=[*sat, *fat, *parcels])


@about("*Cat* com o dobro do tamanho")
def _():
    tokens = text.tokenize(text.CAT_SENTENCE)
    x, cat, fat = text.embed(tokens), tokens.index("cat"), tokens.index("fat")
    longer = x.copy()
    longer[cat] *= 2
    before, after = x @ x.T, longer @ longer.T
    others = np.arange(len(tokens)) != cat

    def cosine(scores):
        return scores[cat, fat] / math.sqrt(scores[cat, cat] * scores[fat, fat])

    rest = np.ix_(others, others)
    return Evidence([
        same(after[cat, others], 2 * before[cat, others]),
        math.isclose(after[cat, cat], 4 * before[cat, cat]),
        bool((after[rest] < before[rest]).any()),
        math.isclose(cosine(after), 2 * cosine(before)),
    ], shown=[after[cat, cat] / before[cat, cat]])


@about("O eixo trocado")
def _():
    x = text.embed(text.tokenize(text.CAT_SENTENCE))
    good, wrong = (atencao.softmax(x @ x.T, axis) for axis in (1, 0))
    assert same(wrong, good.T)
    return Evidence([
        good.shape != wrong.shape,
        one_sums(good) and not one_sums(wrong),
        bool(((wrong < 0) | (wrong > 1)).any()),
        not math.isclose(good.sum(), wrong.sum()),
    ], shown=[len(x), good.sum()])


@about("Certeza demais")
def _():
    def all_ones(weights):
        return bool(np.allclose(weights, 1))
    return Evidence([
        all_ones(np.eye(7)),
        all_ones(atencao.softmax(draw(7, 7, 1))),
        all_ones(atencao.softmax(1000 * draw(7, 7))),
        all_ones(atencao.softmax(np.ones((7, 7)))),
    ], shown=[7, 100])


@about("Frase embaralhada")
def _():
    x, order = draw(6, 4), np.array([3, 0, 5, 1, 4, 2])
    context = atencao.scaled_dot_product_attention(x, x, x).context
    shuffled = atencao.scaled_dot_product_attention(*[x[order]] * 3).context
    followed = same(shuffled, context[order])
    return Evidence([followed, not followed, same(shuffled, context)])


# ---------- Capítulo 3 ----------


@about("A mesma matriz para procurar e ser achado")
def _():
    q = draw(6, 4) @ draw(4, 3, seed=1)
    scores, weights = q @ q.T, atencao.attention_weights(q, q)
    some, other = symmetric(scores), symmetric(weights)
    return Evidence([some and not other, other and not some, some and other, not some | other])


@about("Só $W_v$ mudou")
def _():
    x = draw(6, 4)
    w_q, w_k, w_v, other = (draw(4, 3, seed=s) for s in range(1, 5))
    before, after = (atencao.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w)
                     for w in (w_v, other))
    scores, weights, context = (
        not same(getattr(before, name), getattr(after, name))
        for name in ("scores", "weights", "context")
    )
    return Evidence([scores and weights, weights and not scores, context and not weights])


@about("O viés que não faz nada")
def _():
    q, k, v = (draw(6, 3, seed=s) for s in range(3))
    bias = draw(3, seed=9)

    def context(q, k, v):
        return atencao.scaled_dot_product_attention(q, k, v).context

    base = context(q, k, v)
    assert same(context(q, k, v + bias), base + bias)
    unmoved = [same(moved, base) for moved in
               (context(q + bias, k, v), context(q, k + bias, v), context(q, k, v + bias))]
    return Evidence([*unmoved, not any(unmoved)])


@about("Quantos parâmetros?")
def _():
    n, d, c = 10, 6, 4

    def count(bias):
        layers = [nn.Linear(d, c, bias=bias) for _ in range(3)]
        return sum(p.numel() for layer in layers for p in layer.parameters())

    return Evidence(answer=count(False), slips=[d * c, 3 * n * c, count(True)], shown=[n, d, c, 3])


@about("O valor esquecido")
def _():
    n, d, c = 6, 4, 3
    x = draw(n, d)
    w_q, w_k, w_v = (draw(d, c, seed=s) for s in range(1, 4))
    weights = atencao.attention_weights(x @ w_q, x @ w_k)
    good, wrong = weights @ (x @ w_v), weights @ x
    return Evidence([
        weights.shape[1] != x.shape[0],
        wrong.shape == (6, 4) and good.shape == (6, 3),
        not one_sums(weights),
        wrong.shape == good.shape,
    ], shown=[n, d, c])


# ---------- Capítulo 4 ----------


def score_deviation(c, deviation=1.0):
    """O desvio exato de uma pontuação de posições independentes, conferido por sorteio."""
    exact = math.sqrt(c) * deviation**2
    q, k = deviation * draw(20_000, c), deviation * draw(20_000, c, seed=1)
    assert math.isclose((q * k).sum(-1).std(), exact, rel_tol=0.05)
    return exact


@about("De 16 para 64")
def _():
    growth = score_deviation(64) / score_deviation(16)
    return Evidence([growth == 1, growth == 2, growth == 4], shown=[16, 64, 64 / 16])


@about("Quando a hipótese falha")
def _():
    c, deviation = 64, 0.5
    exact = score_deviation(c, deviation)
    return Evidence(answer=exact, slips=[math.sqrt(c), exact**2, exact / math.sqrt(c)],
                    shown=[c, deviation, deviation**2, deviation**4])


@about('"Se √c ajuda, c ajuda mais"')
def _():
    c, n = 256, 12
    q, k = draw(200, c), draw(n, c, seed=1)
    flat, raw = (atencao.attention_weights(q, k, scale=scale) for scale in (1 / c, 1.0))
    def near(weights):
        return bool((abs(weights - 1 / n) < 0.05).all())
    def pointed(weights):
        return bool(np.median(weights.max(-1)) > 0.9)
    assert pointed(raw)
    return Evidence([near(flat), pointed(flat), not one_sums(flat)],
                    shown=[c, n, score_deviation(c) / c, score_deviation(c)])


@about("Perto da certeza")
def _():
    def slope(weight):
        scores = torch.tensor([math.log(weight), math.log(1 - weight)], dtype=torch.float64,
                              requires_grad=True)
        scores.softmax(-1)[0].backward()
        return scores.grad[0].item()
    a = 0.9
    return Evidence(answer=slope(a), slips=[a, 1 - a, a * a], shown=[0.5, slope(0.5)])


@about("Softmax duas vezes")
def _():
    def ratio(scores):
        weights = atencao.softmax(scores)
        return weights.max() / weights.min()
    farthest = np.array([1.0, 0.0])
    assert ratio(atencao.attention_weights(1000 * draw(6, 3), draw(6, 3, seed=1))[0]) <= math.e
    return Evidence(answer=ratio(farthest), slips=[np.ptp(farthest), ratio([1.0, -1.0])])


# ---------- Capítulo 5 ----------

LIBRARY = text.library_question()
SCORES = atencao.attention_scores(LIBRARY.query, LIBRARY.key)[0]


@about("Uma pontuação")
def _():
    q, k = LIBRARY.query[0], LIBRARY.key[LIBRARY.tokens.index("LLM")]
    parcels = q * k
    return Evidence(answer=parcels.sum(),
                    slips=[(q + k).sum(), q @ k[::-1], parcels[1], q @ k / math.sqrt(len(q))],
                    shown=[*q, *k, *parcels])


@about("Da pontuação ao peso")
def _():
    exact = atencao.softmax(SCORES / math.sqrt(2))
    by_hand = np.round(np.exp(np.round(SCORES / 1.41, 2)), 4)
    assert abs(by_hand[2] / by_hand.sum() - 0.112) <= 0.002
    plain = atencao.softmax(SCORES)
    return Evidence(answer=exact[2], slips=[
        plain[2], atencao.softmax(SCORES / 2)[2], SCORES[2] / SCORES.sum(),
        plain[2] / math.sqrt(2), exact[1],
    ], shown=[*SCORES, 0.002])


@about("De diferença a razão")
def _():
    gap = 0.33
    high, low, _ = atencao.softmax([gap, 0.0, -2.0])
    return Evidence(answer=high / low, slips=[1 + gap, low / high, gap], shown=[gap])


@about("A impressão digital")
def _():
    c = 4
    q, k = draw(6, c), draw(6, c, seed=1)

    def ratios(weights):
        return weights / weights[:, :1]

    raw = atencao.attention_weights(q, k, scale=1.0)
    suspects = [
        raw / math.sqrt(c), raw, atencao.attention_weights(q, k, scale=1 / c), raw * np.tri(6)
    ]
    return Evidence([
        bool(np.allclose(each.sum(-1), 0.5)) and same(ratios(each), ratios(raw))
        for each in suspects
    ], shown=[c, 1 / math.sqrt(c)])


@about("O que move os pesos")
def _():
    row = SCORES
    one = row + np.array([0, 10, 0])
    assert atencao.softmax(one)[1] > 0.99
    return Evidence([not np.allclose(atencao.softmax(moved), atencao.softmax(row))
                     for moved in (row + 10, row * 10, one, row - row.max())], shown=[10])


# ---------- Capítulo 6 ----------


@about("Quatro formas")
def _():
    n, d, c = 7, 4, 3
    x, w_k = draw(n, d), draw(d, c, seed=1)
    q, k, v = x @ draw(d, c), x @ w_k, x @ draw(d, c, seed=2)
    context, weights, scores = atencao.scaled_dot_product_attention(q, k, v)
    shapes = [w_k.shape, k.shape, scores.shape, context.shape]
    stored = tuple(nn.Linear(d, c).weight.shape)
    offered = [shapes, [stored, *shapes[1:]], [*shapes[:2], (q.T @ k).shape, shapes[3]],
               [*shapes[:3], (weights @ x).shape]]
    return Evidence([option == shapes for option in offered],
                    shown=[size for option in offered for shape in option for size in shape])


class Counting(np.ndarray):
    products = 0

    def __matmul__(self, other):
        Counting.products += 1
        return np.asarray(self).__matmul__(np.asarray(other)).view(Counting)


@about("Quantos produtos?")
def _():
    x, w_o = draw(7, 4).view(Counting), draw(3, 4, seed=5).view(Counting)
    w_q, w_k, w_v = (draw(4, 3, seed=s).view(Counting) for s in range(1, 4))
    Counting.products = 0
    q, k = x @ w_q, x @ w_k
    weights = atencao.softmax((q @ k.T) / math.sqrt(3)).view(Counting)
    without_v = Counting.products + 1
    context = weights @ (x @ w_v)
    up_to_context = Counting.products
    _ = context @ w_o
    total = Counting.products
    return Evidence(answer=total, slips=[up_to_context, total + 1, without_v])


@about("Peso copiado sem transpor")
def _():
    def copied(d, c):
        x, w = draw(7, d), draw(d, c, seed=1)
        layer = nn.Linear(d, c, bias=False).double()
        try:
            layer.load_state_dict({"weight": torch.from_numpy(w)})
        except RuntimeError:
            return "erro"
        return "igual" if same(layer(torch.from_numpy(x)).detach().numpy(), x @ w) else "outro"
    assert copied(4, 3) == "erro"
    return Evidence([copied(4, 4) == outcome for outcome in ("erro", "igual", "outro")], shown=[4])


@about("Na sétima casa")
def _():
    q, k, v = (draw(6, 4, seed=s).astype("float32") for s in range(3))
    ours = atencao.scaled_dot_product_attention(q, k, v).context
    theirs = nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v))).numpy()
    colleague = atencao.scaled_dot_product_attention(q, k, v, scale=1.0).context
    rounding, mistake = abs(ours - theirs).max(), abs(ours - colleague).max()
    tolerance = 1e-6
    assert rounding < tolerance
    assert mistake > 0.01
    seen = (3e-7, 0.02)
    errors = [gap > tolerance for gap in seen]
    return Evidence([errors == [False] * 2, errors == [False, True], errors == [True] * 2],
                    shown=[*seen, 10, math.log10(tolerance)])


@about("O empate")
def _():
    d, c = 64, 16
    tie = next(n for n in range(1, 1000) if n * d * c == n * n * c)
    return Evidence(answer=tie, slips=[c, d / c, math.sqrt(d)], shown=[d, c])


# ---------- Capítulo 7 ----------


def leaks(attend):
    """Se alguma saída anterior se move quando o último token muda."""
    x = draw(6, 4)
    changed = x.copy()
    changed[-1] += 3
    return not same(attend(x)[:-1], attend(changed)[:-1])


@about('"Zero anula"')
def _():
    row = np.array([1.0, 0.0, 0.0])
    masked = atencao.softmax([1.0, 0.0, -np.inf])
    return Evidence(answer=atencao.softmax(row)[2],
                    slips=[masked[2], atencao.softmax(np.zeros(3))[2], masked[1]])


@about("Quem vaza?")
def _():
    n = 6

    def with_scores(mend):
        return lambda x: atencao.softmax(mend(x @ x.T)) @ x

    versions = [
        with_scores(lambda s: np.where(np.tri(n, k=1), s, -np.inf)),
        with_scores(lambda s: np.where(np.tri(n), s, 0)),
        lambda x: (atencao.softmax(x @ x.T) * np.tri(n)) @ x,
        with_scores(lambda s: np.where(np.tri(n), s, -np.inf)),
    ]
    return Evidence([leaks(version) for version in versions])


@about("Triângulo depois do softmax")
def _():
    sums = (atencao.softmax(np.zeros((3, 3))) * np.tri(3)).sum(-1)
    before = atencao.softmax(np.where(np.tri(3), 0, -np.inf)).sum(-1)
    return Evidence(answer=sums[0], slips=[before[0], sums[1]])


@about("Bom demais")
def _():
    # A resposta à vista: o token que se pede está entre os que a linha pode ver?
    n = 5
    causal, every = atencao.causal_mask(n), np.ones((n, n), dtype=bool)

    def answer_in_sight(mask, shift=1):
        return bool(all(mask[m, m + shift] for m in range(n - 1)))

    inverted = ~causal
    return Evidence([
        answer_in_sight(every) and answer_in_sight(inverted),
        answer_in_sight(causal, shift=0),
        answer_in_sight(causal),
        answer_in_sight(causal),
    ])


@about("O mesmo triângulo, outra função")
def _():
    n = 5
    torch.manual_seed(0)
    module = nn.MultiheadAttention(4, 1, batch_first=True)
    x = torch.randn(1, n, 4)
    _, weights = module(x, x, x, attn_mask=torch.from_numpy(atencao.causal_mask(n)))
    seen = weights[0].detach().numpy() > 0  # NaN > 0 é falso: a linha sem ninguém
    past = np.tri(n, dtype=bool)
    return Evidence([(seen == past).all(), (seen == ~past).all(), seen.all()])


# ---------- Capítulo 8 ----------


@about("`axis=1`, agora num lote")
def _():
    assert one_sums(atencao.softmax(draw(5, 5), axis=1))
    weights = atencao.softmax(draw(2, 5, 5), axis=1)
    return Evidence([one_sums(weights, axis) for axis in (2, 1, 0)])


@about("`K.T` num lote")
def _():
    k = np.zeros((2, 5, 3))
    offered = [np.swapaxes(k, -1, -2).shape, (3, 5, 2), np.swapaxes(k, 0, 1).shape]
    return Evidence([k.T.shape == shape for shape in offered], shown=k.shape)


@about("Uma máscara que se estica")
def _():
    real = np.arange(4) < np.array([[1], [2], [3], [4]])
    stretched = np.broadcast_to(real, (4, 4, 4))
    wanted = np.broadcast_to(real[:, np.newaxis], (4, 4, 4))
    return Evidence([False, same(stretched, wanted),
                     all((stretched[b, m] == real[m]).all() for b in range(4) for m in range(4))],
                    shown=[4])


@about("Quantos pares?")
def _():
    n, length = 5, 3
    causal, real = atencao.causal_mask(n), np.arange(n) < length
    both = causal & real
    rows_too = both & real[:, np.newaxis]
    return Evidence(answer=both.sum(), slips=[causal.sum(), (causal | real).sum(), rows_too.sum()],
                    shown=[n, length, n * n, *both.sum(-1)])


@about("Ninguém a quem atender")
def _():
    scores = torch.tensor(draw(5), dtype=torch.float32)
    weights = (scores - 1e9).softmax(-1).numpy()
    common = torch.full((5,), -torch.inf).softmax(-1)
    assert common.isnan().all()
    assert not atencao.softmax(np.full(5, -np.inf)).any()
    return Evidence([not weights.any(), bool((weights == np.float32(0.2)).all()),
                     bool(np.isnan(weights).all())], shown=[5, 10, 9, 0.2])


# ---------- Capítulo 9 ----------


@about("Por quanto dividir?")
def _():
    width, heads = 512, 8
    c = atencao.split_heads(np.zeros((1, width)), heads).shape[-1]
    return Evidence(answer=math.sqrt(c), slips=[math.sqrt(width), c, math.sqrt(heads)],
                    shown=[width, heads])


@about("`reshape` direto")
def _():
    n, heads, c = 4, 2, 3
    q = np.arange(n * heads * c).reshape(n, heads * c)
    first = q.reshape(heads, n, c)[0].ravel()
    def holds(part):
        return sorted(first) == sorted(part.ravel())
    return Evidence([holds(atencao.split_heads(q, heads)[0]), holds(q[:2]), holds(q[:, ::2])],
                    shown=[n, heads, c, heads * c, first.size])


@about("Parâmetros de duas cabeças")
def _():
    d, heads, c = 8, 2, 4
    module = MultiHeadAttention(d, heads)
    total = sum(p.numel() for p in module.parameters())
    wide = 3 * heads * d * d + heads * d * d
    return Evidence(answer=total, slips=[3 * d * d, wide, total + 4 * d],
                    shown=[d, heads, c, d * d])


@about("O dobro de cabeças")
def _():
    width, n = 64, 10

    def count(heads):
        split = atencao.split_heads(np.ones((n, width)), heads)
        scores = atencao.attention_scores(split, split)
        parameters = sum(p.numel() for p in MultiHeadAttention(width, heads).parameters())
        return np.array([parameters, scores.size, scores.size * split.shape[-1]])

    doubled = count(8) == 2 * count(4)
    return Evidence([*doubled, not doubled.any()], shown=[width, 4, 8])


@about("Para que serve $W_o$")
def _():
    heads, other, w_o = draw(2, 5, 3), draw(5, 3, seed=1), draw(6, 6, seed=2)
    changed = heads.copy()
    changed[1] = other
    moved, projected = (
        ~np.isclose(atencao.merge_heads(heads) @ w, atencao.merge_heads(changed) @ w).all(0)
        for w in (np.eye(6), w_o)
    )
    last = [False] * 3 + [True] * 3
    plain, full = list(moved), list(projected)
    return Evidence([plain == last and all(full), all(plain) and all(full), plain == full == last],
                    shown=[3, 6])


# ---------- Capítulo 10 ----------


@about("Duas camadas, sem dobra")
def _():
    d, wide = 4, 16
    w_1, w_2, x = draw(d, wide), draw(wide, d, seed=1), draw(7, d, seed=2)
    one = w_1 @ w_2
    assert same((x @ w_1) @ w_2, x @ one)
    return Evidence(answer=one.size, slips=[w_1.size + w_2.size, w_1.size], shown=[d, wide])


@about("A norma, à mão")
def _():
    x = torch.tensor([2.0, 4.0, 6.0, 8.0])
    centred = x - x.mean()
    normal = nn.functional.layer_norm(x, (4,), eps=0)
    variance = x.var(correction=0)
    assert torch.allclose(normal.var(correction=0), torch.tensor(1.0))
    return Evidence(answer=normal[0].item(), slips=[
        (centred / x.std())[0].item(), centred[0].item(), (centred / variance)[0].item(),
    ], shown=[*x.tolist(), x.mean().item(), variance.item(), len(x) - 1])


@about("Normalizar a frase toda")
def _():
    def block(x):
        x = (x - x.mean(0)) / x.std(0)
        return atencao.scaled_dot_product_attention(x, x, x, mask=atencao.causal_mask(6)).context
    leaked = leaks(block)
    return Evidence([not leaked, leaked, not leaked])


@about("Um bloco que ainda não fala")
def _():
    torch.manual_seed(0)
    block, x = TransformerBlock(6, 2), torch.randn(5, 6)
    for name, parameter in block.named_parameters():
        if "output" in name or "narrow" in name:
            nn.init.zeros_(parameter)
    with torch.no_grad():
        y = block(x)
    outcomes = (torch.zeros_like(x), x, nn.functional.layer_norm(x, (6,)))
    return Evidence([torch.allclose(y, outcome) for outcome in outcomes])


@about("Peso maior que devia")
def _():
    weight, p = 0.6, 0.2
    torch.manual_seed(0)
    survived = nn.functional.dropout(torch.full((1000,), weight), p).max().item()
    return Evidence(answer=survived,
                    slips=[weight, weight * (1 - p), weight * p], shown=[p, 1 - p])
