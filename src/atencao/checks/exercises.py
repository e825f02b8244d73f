"""Os exercícios: o que a função recebe, a referência passo a passo e as provas por que ela passa.

As provas têm sempre n ≠ d ≠ c, para que um eixo trocado apareça; uma delas é quadrada, só para o
diagnóstico: nela uma transposta esquecida roda até o fim e se revela nos números.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng

from atencao import functional, text
from atencao.checks.pipeline import Pipeline, Step

Inputs = Mapping[str, object]
softmax = functional.softmax


@dataclass(frozen=True)
class Section:
    """Um lugar do livro: o nome do arquivo do capítulo e o título da seção, como está escrito."""

    chapter: str
    title: str


@dataclass(frozen=True)
class Probe:
    """Uma entrada de prova. ``square`` serve ao diagnóstico; não decide se está certo."""

    inputs: Inputs
    square: bool = False


@dataclass(frozen=True)
class Exercise:
    """draw sorteia uma entrada com as medidas dadas; sizes são as medidas das provas."""

    name: str
    pipeline: Pipeline
    draw: Callable[..., Inputs]
    sizes: tuple[Mapping[str, object], ...]
    look: Section
    square: Mapping[str, object] | None = None
    extra: Callable[[], tuple[Inputs, ...]] = tuple
    rows_sum_to_one: bool = False
    causal: bool = False
    batched: bool = False

    def probes(self) -> list[Probe]:
        """Sempre as mesmas, para que o mesmo erro dê sempre a mesma mensagem."""
        rng = default_rng(len(self.name))
        found = [Probe(self.draw(rng, **size)) for size in self.sizes]
        found += [Probe(inputs) for inputs in self.extra()]
        if self.square is not None:
            found.append(Probe(self.draw(rng, **self.square), square=True))
        return found

    def fresh(self) -> Probe:
        """Uma que ninguém viu: denuncia a função que decorou as outras."""
        return Probe(self.draw(default_rng(), **self.sizes[0]))


def width(x: np.ndarray) -> int:
    return x.shape[-1]


def swap(x: np.ndarray) -> np.ndarray:
    """Troca os dois últimos eixos: a transposta, com ou sem lote."""
    return np.swapaxes(x, -1, -2)


def block(mask: np.ndarray, scores: np.ndarray, fill: float = -np.inf) -> np.ndarray:
    return np.where(mask, scores, fill)


def normal(rng: Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape).round(2)


# ── 01: de texto a vetores ──────────────────────────────────────────────────────────────────────


def _ids(rng: Generator, n: int, size: int) -> np.ndarray:
    ids = rng.integers(size, size=n)
    ids[-1] = ids[0]  # um token repetido
    ids[1] = size - 1
    return ids


ONE_HOT = Exercise(
    name="one_hot",
    pipeline=Pipeline(
        inputs=("ids", "size"),
        steps={"one_hot": lambda ids, size: text.one_hot(ids, size)},
        outputs=("one_hot",),
    ),
    draw=lambda rng, n, size: {"ids": _ids(rng, n, size), "size": size},
    sizes=({"n": 4, "size": 6}, {"n": 7, "size": 5}),
    look=Section("01-texto-em-vetores", "Buscar é multiplicar"),
)

EMBED = Exercise(
    name="embed",
    pipeline=Pipeline(
        inputs=("ids", "table"),
        steps={"rows": lambda ids, table: table[ids]},
        outputs=("rows",),
    ),
    draw=lambda rng, n, size, d: {"ids": _ids(rng, n, size), "table": normal(rng, size, d)},
    sizes=({"n": 4, "size": 6, "d": 3}, {"n": 7, "size": 5, "d": 2}),
    square={"n": 4, "size": 4, "d": 4},
    look=Section("01-texto-em-vetores", "Do id ao vetor: uma linha da tabela"),
)

SINUSOIDAL_POSITIONS = Exercise(
    name="sinusoidal_positions",
    pipeline=Pipeline(
        inputs=("n", "d"),
        steps={
            "positions": lambda n: np.arange(n)[:, np.newaxis],
            "exponents": lambda d: 2 * (np.arange(d) // 2) / d,
            "angles": lambda positions, exponents: positions / 10_000.0**exponents,
            "waves": lambda angles: np.where(
                np.arange(angles.shape[1]) % 2 == 0, np.sin(angles), np.cos(angles)
            ),
        },
        outputs=("waves",),
    ),
    draw=lambda rng, n, d: {"n": n, "d": d},
    sizes=({"n": 5, "d": 8}, {"n": 90, "d": 4}, {"n": 3, "d": 6}),
    look=Section("01-texto-em-vetores", "Falta a ordem: posições"),
)

# ── 02: produto escalar, softmax, contexto ──────────────────────────────────────────────────────


def _two_vectors(rng: Generator, d: int, sign: int = 1) -> dict:
    a = normal(rng, d)
    return {"a": a, "b": sign * (a + normal(rng, d)).round(2)}


DOT_PRODUCT = Exercise(
    name="dot_product",
    pipeline=Pipeline(
        inputs=("a", "b"),
        steps={"products": lambda a, b: a * b, "dot": lambda products: products.sum()},
        outputs=("dot",),
    ),
    draw=_two_vectors,
    sizes=({"d": 4}, {"d": 7, "sign": -1}, {"d": 2}),
    look=Section("02-produto-escalar", "Um produto, à mão"),
)

_SOFTMAX = Pipeline(
    inputs=("scores",),
    steps={"weights": lambda logits: softmax(logits)},
    outputs=("weights",),
)
# Grandes a ponto de a exponencial estourar; uma linha tão abaixo da outra que, com o máximo da
# tabela toda, ela somaria zero; e uma de ponta a ponta.
_LARGE = ((1000.0, 999.0, 998.0), (-1000.0, -999.0, -1001.0), (-1000.0, 1000.0, 0.0))

SOFTMAX = Exercise(
    name="softmax",
    pipeline=_SOFTMAX,
    draw=lambda rng, n, m: {"scores": normal(rng, n, m)},
    sizes=({"n": 4, "m": 3}, {"n": 2, "m": 5}),
    square={"n": 3, "m": 3},
    extra=lambda: ({"scores": np.array(_LARGE)},),
    look=Section("02-produto-escalar", "Softmax: de pontuações a pesos"),
    rows_sum_to_one=True,
)

SOFTMAX_ROW = Exercise(
    name="softmax_row",
    pipeline=_SOFTMAX,
    draw=lambda rng, n: {"scores": normal(rng, n)},
    sizes=({"n": 4}, {"n": 7}),
    extra=lambda: tuple({"scores": np.array(row)} for row in _LARGE),
    look=Section("02-produto-escalar", "Softmax: de pontuações a pesos"),
    rows_sum_to_one=True,
)

DOT_PRODUCT_ATTENTION = Exercise(
    name="dot_product_attention",
    pipeline=Pipeline(
        inputs=("x",),
        steps={
            "scores": lambda x: x @ swap(x),
            "raw": lambda scores: scores,
            "weights": lambda logits: softmax(logits),
            "context": lambda weights, x: weights @ x,
        },
        outputs=("context",),
    ),
    draw=lambda rng, n, d, size=1.0: {"x": normal(rng, n, d) * size},
    sizes=({"n": 5, "d": 3}, {"n": 4, "d": 6}, {"n": 3, "d": 4, "size": 40.0}),
    square={"n": 4, "d": 4},
    look=Section("02-produto-escalar", "O vetor de contexto"),
)

# ── 03 a 06: consultas, chaves, valores e escala ────────────────────────────────────────────────

_ATTENTION = {
    "scores": lambda query, key: query @ swap(key),
    "scaled": lambda scores, query: scores / np.sqrt(width(query)),
    "weights": lambda logits: softmax(logits),
    "context": lambda weights, value: weights @ value,
}
_PROJECTIONS = {
    "query": lambda x, w_query: x @ w_query,
    "key": lambda x, w_key: x @ w_key,
    "value": lambda x, w_value: x @ w_value,
}


def _query_key(
    rng: Generator, n: int, m: int, c: int, batch: tuple = (), size=1.0, against=False
) -> dict:
    """size aumenta as pontuações; com against, cada token é o último que procuraria a si mesmo."""
    query = normal(rng, *batch, n, c) * size
    return {"query": query, "key": -query if against else normal(rng, *batch, m, c) * size}


def _query_key_value(rng: Generator, n: int, m: int, c: int, v: int, **more: object) -> dict:
    batch = more.get("batch", ())
    return {**_query_key(rng, n, m, c, **more), "value": normal(rng, *batch, m, v)}


def _sentence(
    rng: Generator, n: int, d: int, c: int, size=1.0, repeat=False, against=False
) -> dict:
    x = normal(rng, n, d)
    if repeat:
        x[1] = x[0]  # dois tokens iguais
    weights = {
        name: normal(rng, d, c) * scale
        for name, scale in (("w_query", size), ("w_key", size), ("w_value", 1))
    }
    if against:
        weights["w_key"] = -weights["w_query"]
    return {"x": x, **weights}


ATTENTION_SCORES = Exercise(
    name="attention_scores",
    pipeline=Pipeline(("query", "key"), {"scores": _ATTENTION["scores"]}, ("scores",)),
    draw=_query_key,
    sizes=({"n": 4, "m": 6, "c": 3}, {"n": 5, "m": 2, "c": 7}),
    square={"n": 3, "m": 3, "c": 3},
    look=Section("03-projecoes-qkv", "Da consulta e da chave à pontuação"),
)

ATTENTION_WEIGHTS = Exercise(
    name="attention_weights",
    pipeline=Pipeline(
        ("query", "key"),
        {name: _ATTENTION[name] for name in ("scores", "scaled", "weights")},
        ("weights",),
    ),
    draw=_query_key,
    sizes=(
        {"n": 4, "m": 6, "c": 3},
        {"n": 5, "m": 4, "c": 8},
        {"n": 3, "m": 5, "c": 4, "size": 30.0},
    ),
    square={"n": 4, "m": 4, "c": 4},
    look=Section("04-escala", "A conta, passo a passo"),
    rows_sum_to_one=True,
)

SCALED_DOT_PRODUCT_ATTENTION = Exercise(
    name="scaled_dot_product_attention",
    pipeline=Pipeline(("query", "key", "value"), _ATTENTION, ("context",)),
    draw=_query_key_value,
    sizes=(
        {"n": 4, "m": 6, "c": 3, "v": 2},
        {"n": 5, "m": 4, "c": 8, "v": 3},
        {"n": 3, "m": 5, "c": 4, "v": 6, "size": 30.0},
    ),
    square={"n": 4, "m": 4, "c": 4, "v": 4},
    look=Section("05-artigo-llm-encontro", "A mesma conta em uma linha"),
)

PROJECT = Exercise(
    name="project",
    pipeline=Pipeline(
        ("x", "w_query", "w_key", "w_value"), _PROJECTIONS, ("query", "key", "value")
    ),
    draw=_sentence,
    sizes=({"n": 5, "d": 4, "c": 3}, {"n": 3, "d": 6, "c": 2}),
    square={"n": 4, "d": 4, "c": 4},
    look=Section("03-projecoes-qkv", "Três projeções do mesmo token"),
)

_SELF_ATTENTION_SIZES = (
    {"n": 5, "d": 4, "c": 3},
    {"n": 4, "d": 7, "c": 2, "repeat": True},
    {"n": 3, "d": 2, "c": 6},
    {"n": 4, "d": 5, "c": 3, "size": 45.0, "against": True},
)

SELF_ATTENTION = Exercise(
    name="self_attention",
    pipeline=Pipeline(
        ("x", "w_query", "w_key", "w_value"), _PROJECTIONS | _ATTENTION, ("context",)
    ),
    draw=_sentence,
    sizes=_SELF_ATTENTION_SIZES,
    square={"n": 4, "d": 4, "c": 4},
    look=Section("06-cinco-produtos", "Do laço às matrizes"),
)

# ── 07 e 08: máscaras e lotes ───────────────────────────────────────────────────────────────────

CAUSAL_MASK = Exercise(
    name="causal_mask",
    pipeline=Pipeline(("n",), {"mask": lambda n: functional.causal_mask(n)}, ("mask",)),
    draw=lambda rng, n: {"n": n},
    sizes=({"n": 4}, {"n": 6}, {"n": 1}),
    look=Section("07-causal", "A frase inteira: a máscara é um triângulo"),
)

def _after_scaled(steps: Mapping[str, Step], **more: Step) -> dict[str, Step]:
    """Os mesmos passos, com outros entre a escala e o softmax."""
    found = {}
    for name, step in steps.items():
        found[name] = step
        if name == "scaled":
            found |= more
    return found


def _causal(steps: Mapping[str, Step]) -> dict[str, Step]:
    return _after_scaled(
        steps,
        mask=lambda key: functional.causal_mask(key.shape[-2]),
        logits=lambda scaled, mask: block(mask, scaled),
    )


_MASKED = _after_scaled(_ATTENTION, logits=lambda scaled, mask: block(mask, scaled))
_CAUSAL_ATTENTION = _causal(_ATTENTION)

CAUSAL_ATTENTION = Exercise(
    name="causal_attention",
    pipeline=Pipeline(("query", "key", "value"), _CAUSAL_ATTENTION, ("context",)),
    draw=_query_key_value,
    sizes=(
        {"n": 5, "m": 5, "c": 3, "v": 2},
        {"n": 4, "m": 4, "c": 7, "v": 3},
        {"n": 4, "m": 4, "c": 2, "v": 3, "size": 30.0, "against": True},
    ),
    square={"n": 4, "m": 4, "c": 4, "v": 4},
    look=Section("07-causal", "A frase inteira: a máscara é um triângulo"),
    causal=True,
)

CAUSAL_SELF_ATTENTION = Exercise(
    name="causal_self_attention",
    pipeline=Pipeline(
        ("x", "w_query", "w_key", "w_value"), _PROJECTIONS | _CAUSAL_ATTENTION, ("context",)
    ),
    draw=_sentence,
    sizes=_SELF_ATTENTION_SIZES,
    square={"n": 4, "d": 4, "c": 4},
    look=Section("07-causal", "No PyTorch, a máscara mora no módulo"),
    causal=True,
)

PADDING_MASK = Exercise(
    name="padding_mask",
    pipeline=Pipeline(
        ("lengths", "n"),
        {
            "real": lambda lengths, n: np.arange(n) < lengths[:, np.newaxis],
            "expanded": lambda real: real[:, np.newaxis, :],
        },
        ("expanded",),
    ),
    draw=lambda rng, lengths, n: {"lengths": np.array(lengths), "n": n},
    sizes=({"lengths": (4, 2, 3), "n": 5}, {"lengths": (6, 1), "n": 6}),
    look=Section("08-lotes", "A máscara do preenchimento"),
)

BATCH_MASK = Exercise(
    name="batch_mask",
    pipeline=Pipeline(
        ("lengths", "n"),
        {
            "real": PADDING_MASK.pipeline.steps["real"],
            "past": lambda n: functional.causal_mask(n),
            "combined": lambda real, past: past & real[:, np.newaxis, :],
        },
        ("combined",),
    ),
    draw=PADDING_MASK.draw,
    sizes=PADDING_MASK.sizes,
    look=Section("08-lotes", 'Duas máscaras, um "e"'),
)


def _batch(
    rng: Generator, b: int, n: int, c: int, v: int, lengths: tuple, left: bool = False, size=1.0
) -> dict:
    column, lengths = np.arange(n), np.array(lengths)[:, np.newaxis]
    real = column >= n - lengths if left else column < lengths
    mask = np.tri(n, dtype=bool) & real[:, np.newaxis, :]
    return {**_query_key_value(rng, n, n, c, v, batch=(b,), size=size), "mask": mask}


BATCHED_ATTENTION = Exercise(
    name="batched_attention",
    pipeline=Pipeline(
        ("query", "key", "value", "mask"),
        _MASKED,
        ("context",),
    ),
    draw=_batch,
    sizes=(
        {"b": 3, "n": 4, "c": 5, "v": 2, "lengths": (4, 2, 3)},
        {"b": 2, "n": 5, "c": 3, "v": 4, "lengths": (3, 5), "left": True},
        {"b": 2, "n": 3, "c": 4, "v": 5, "lengths": (3, 2), "size": 50.0},
    ),
    square={"b": 4, "n": 4, "c": 4, "v": 4, "lengths": (4, 2, 3, 4)},
    look=Section("08-lotes", "Linhas sem ninguém"),
    batched=True,
)

# ── 09: várias cabeças ──────────────────────────────────────────────────────────────────────────


def split(x: np.ndarray, num_heads: int) -> np.ndarray:
    return functional.split_heads(x, num_heads)


def merge(x: np.ndarray) -> np.ndarray:
    return functional.merge_heads(x)


SPLIT_HEADS = Exercise(
    name="split_heads",
    pipeline=Pipeline(("x", "num_heads"), {"split": split}, ("split",)),
    draw=lambda rng, n, h, c: {
        "x": np.arange(n * h * c, dtype=float).reshape(n, h * c) + rng.integers(9),
        "num_heads": h,
    },
    sizes=({"n": 5, "h": 3, "c": 2}, {"n": 4, "h": 2, "c": 3}, {"n": 3, "h": 1, "c": 4}),
    square={"n": 3, "h": 3, "c": 3},
    look=Section("09-multiplas-cabecas", "Separar sem embaralhar"),
)

MERGE_HEADS = Exercise(
    name="merge_heads",
    pipeline=Pipeline(("heads",), {"merged": lambda heads: merge(heads)}, ("merged",)),
    draw=lambda rng, n, h, c: {
        "heads": np.arange(n * h * c, dtype=float).reshape(h, n, c) + rng.integers(9)
    },
    sizes=SPLIT_HEADS.sizes,
    square=SPLIT_HEADS.square,
    look=Section("09-multiplas-cabecas", "Atender, concatenar, projetar"),
)


def _heads_sentence(rng: Generator, n: int, d: int, h: int, c: int, **more: object) -> dict:
    inputs = _sentence(rng, n, d, h * c, **more)
    return {**inputs, "w_output": normal(rng, h * c, d), "num_heads": h}


MULTI_HEAD_ATTENTION = Exercise(
    name="multi_head_attention",
    pipeline=Pipeline(
        ("x", "w_query", "w_key", "w_value", "w_output", "num_heads"),
        {
            "q_all": _PROJECTIONS["query"],
            "k_all": _PROJECTIONS["key"],
            "v_all": _PROJECTIONS["value"],
            "splitter": lambda: split,
            "query": lambda splitter, q_all, num_heads: splitter(q_all, num_heads),
            "key": lambda splitter, k_all, num_heads: splitter(k_all, num_heads),
            "value": lambda splitter, v_all, num_heads: splitter(v_all, num_heads),
            **_ATTENTION,
            "merged": lambda context: merge(context),
            "output": lambda merged, w_output: merged @ w_output,
        },
        ("output",),
    ),
    draw=_heads_sentence,
    sizes=(
        {"n": 5, "d": 7, "h": 2, "c": 3},
        {"n": 4, "d": 6, "h": 3, "c": 2, "repeat": True},
        {"n": 6, "d": 4, "h": 2, "c": 5},
        {"n": 4, "d": 5, "h": 2, "c": 3, "size": 45.0, "against": True},
    ),
    square={"n": 4, "d": 4, "h": 2, "c": 2},
    look=Section("09-multiplas-cabecas", "Atender, concatenar, projetar"),
)

CAUSAL_MULTI_HEAD_ATTENTION = replace(
    MULTI_HEAD_ATTENTION,
    name="causal_multi_head_attention",
    pipeline=replace(
        MULTI_HEAD_ATTENTION.pipeline, steps=_causal(MULTI_HEAD_ATTENTION.pipeline.steps)
    ),
    causal=True,
)

# ── 10: o bloco ─────────────────────────────────────────────────────────────────────────────────

FEED_FORWARD = Exercise(
    name="feed_forward",
    pipeline=Pipeline(
        ("x", "w1", "b1", "w2", "b2"),
        {
            "widened": lambda x, w1, b1: x @ w1 + b1,
            "folded": lambda widened: np.maximum(widened, 0),
            "narrowed": lambda folded, w2, b2: folded @ w2 + b2,
        },
        ("narrowed",),
    ),
    draw=lambda rng, n, d, hidden: {
        "x": normal(rng, n, d),
        "w1": normal(rng, d, hidden),
        "b1": normal(rng, hidden),
        "w2": normal(rng, hidden, d),
        "b2": normal(rng, d),
    },
    sizes=({"n": 5, "d": 3, "hidden": 7}, {"n": 4, "d": 6, "hidden": 8}),
    square={"n": 4, "d": 4, "hidden": 4},
    look=Section("10-bloco-transformer", "Uma dobra à mão"),
)

LAYER_NORM = Exercise(
    name="layer_norm",
    pipeline=Pipeline(
        ("x", "gain", "shift"),
        {
            "axis": lambda: -1,
            "mean": lambda x, axis: x.mean(axis=axis, keepdims=True),
            "variance": lambda x, axis: x.var(axis=axis, keepdims=True),
            "spread": lambda variance: np.sqrt(variance + 1e-5),
            "normalised": lambda x, mean, spread: (x - mean) / spread,
            "shifted": lambda normalised, gain, shift: normalised * gain + shift,
        },
        ("shifted",),
    ),
    draw=lambda rng, n, d: {
        # Espalhado em toda linha: com variância pequena, quem dispensa o ε acertaria por pouco.
        "x": normal(rng, n, d) + rng.permuted(np.tile(5.0 * np.arange(d), (n, 1)), axis=1),
        "gain": normal(rng, d),
        "shift": normal(rng, d),
    },
    sizes=({"n": 5, "d": 4}, {"n": 3, "d": 6}),
    square={"n": 4, "d": 4},
    extra=lambda: ({  # uma linha de números iguais: variância zero
        "x": np.array([[2.0, 2.0, 2.0], [1.0, 3.0, 8.0]]),
        "gain": np.array([1.0, 2.0, 0.5]),
        "shift": np.array([0.5, -1.0, 0.0]),
    },),
    look=Section("10-bloco-transformer", "A normalização"),
)


def _layers(rng: Generator, n: int, d: int) -> dict:
    """Um token por linha e quatro camadas que se distinguem: nenhuma é vizinha da outra."""
    mixing, thinking = normal(rng, n, n), normal(rng, d, d)
    offset = normal(rng, d)
    return {
        "x": normal(rng, n, d),
        "norm_attention": lambda x: (x - x.mean(-1, keepdims=True)) * 2 + offset,
        "attention": lambda x: mixing @ x,
        "norm_feed_forward": lambda x: x / (1 + abs(x).mean(-1, keepdims=True)),
        "feed_forward": lambda x: np.maximum(x @ thinking, 0) - 1,
    }


TRANSFORMER_BLOCK = Exercise(
    name="transformer_block",
    pipeline=Pipeline(
        ("x", "norm_attention", "attention", "norm_feed_forward", "feed_forward"),
        {
            "heard": lambda x, norm_attention, attention: attention(norm_attention(x)),
            "middle": lambda x, heard: x + heard,
            "thought": lambda middle, norm_feed_forward, feed_forward: (
                feed_forward(norm_feed_forward(middle))
            ),
            "block": lambda middle, thought: middle + thought,
        },
        ("block",),
    ),
    draw=_layers,
    sizes=({"n": 4, "d": 3}, {"n": 3, "d": 5}),
    look=Section("10-bloco-transformer", "O bloco, à vista"),
)

EXERCISES = {
    exercise.name: exercise
    for exercise in (
        ONE_HOT,
        EMBED,
        SINUSOIDAL_POSITIONS,
        DOT_PRODUCT,
        SOFTMAX,
        SOFTMAX_ROW,
        DOT_PRODUCT_ATTENTION,
        ATTENTION_SCORES,
        ATTENTION_WEIGHTS,
        SCALED_DOT_PRODUCT_ATTENTION,
        PROJECT,
        SELF_ATTENTION,
        CAUSAL_MASK,
        CAUSAL_ATTENTION,
        CAUSAL_SELF_ATTENTION,
        PADDING_MASK,
        BATCH_MASK,
        BATCHED_ATTENTION,
        SPLIT_HEADS,
        MERGE_HEADS,
        MULTI_HEAD_ATTENTION,
        CAUSAL_MULTI_HEAD_ATTENTION,
        FEED_FORWARD,
        LAYER_NORM,
        TRANSFORMER_BLOCK,
    )
}
