"""Certo é certo, escrito como for: laços, einsum, listas, PyTorch, classes, float32, por nome."""

import functools
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import atencao
from atencao import modules, text
from check_answers import PLAIN, SOFTMAX, SOLUTIONS, check, function

torch.set_num_threads(1)

LOOPS = '''
import math
def softmax(row):
    top = max(row)
    powers = [math.exp(value - top) for value in row]
    return [power / sum(powers) for power in powers]
def dot(a, b):
    return sum(x * y for x, y in zip(a, b))
'''

# (exercício, jeito de escrever, código ou objeto)
STYLES = [
    ("one_hot", "comparação", "f = lambda ids, v: (ids[:, None] == np.arange(v)).astype(int)"),
    ("one_hot", "eye", "def f(ids, size): return np.eye(size)[ids]"),
    ("one_hot", "booleana não, int sim", "def f(ids, size): return np.eye(size, dtype=int)[ids]"),
    ("one_hot", "biblioteca", text.one_hot),
    ("one_hot", "torch", lambda ids, size: F.one_hot(torch.as_tensor(ids), size)),
    ("embed", "índice", "def f(ids, table): return table[ids]"),
    ("embed", "take", "def f(ids, table): return np.take(table, ids, axis=0)"),
    ("embed", "lista de linhas", "def f(ids, table): return [table[i] for i in ids]"),
    ("embed", "lista de listas", "def f(ids, table): return [list(table[i]) for i in ids]"),
    ("embed", "torch", lambda ids, table: F.embedding(torch.tensor(ids), torch.tensor(table))),
    ("sinusoidal_positions", "biblioteca", text.sinusoidal_positions),
    ("sinusoidal_positions", "fatias", '''
def f(n, d):
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.empty((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return table
'''),
    ("sinusoidal_positions", "fase", '''
def f(n, d):
    i = np.arange(d)
    return np.sin(np.arange(n)[:, None] / 10000 ** (i // 2 * 2 / d) + np.pi / 2 * (i % 2))
'''),
    ("dot_product", "arroba", "def f(a, b): return a @ b"),
    ("dot_product", "soma de gerador", "def f(a, b): return sum(x * y for x, y in zip(a, b))"),
    ("dot_product", "math.sumprod à mão", LOOPS),
    ("dot_product", "einsum", "def f(a, b): return np.einsum('i,i->', a, b)"),
    ("dot_product", "float do Python", "def f(a, b): return float(np.dot(a, b))"),
    ("dot_product", "array (1, 1)? não: 0 eixos", "def f(a, b): return np.array(np.inner(a, b))"),
    ("softmax", "biblioteca", atencao.softmax),
    ("softmax", "torch", lambda x: torch.softmax(x, dim=-1)),
    ("softmax", "F.softmax", functools.partial(F.softmax, dim=1)),
    ("softmax", "nn.Softmax", "import torch\nf = torch.nn.Softmax(dim=-1)"),
    ("softmax", "linha a linha", LOOPS + "def f(x): return [softmax(row) for row in x]"),
    ("softmax", "for que preenche", SOFTMAX.replace("def softmax", "def row") + '''
def f(x):
    result = np.zeros_like(x)
    for m in range(len(x)):
        result[m] = row(x[m])
    return result
'''),
    ("softmax", "logsumexp", '''
def f(x):
    top = x.max(1, keepdims=True)
    return np.exp(x - top - np.log(np.exp(x - top).sum(1, keepdims=True)))
'''),
    ("softmax", "no lugar, numa cópia", '''
def f(x):
    x = x.copy()
    x -= x.max(-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(-1, keepdims=True)
    return x
'''),
    ("softmax", "máximo transposto", '''
def f(x):
    powers = np.exp(x.T - x.max(axis=1))
    return (powers / powers.sum(axis=0)).T
'''),
    ("softmax", "float32", "def f(x): return softmax(x.astype(np.float32))"),
    ("softmax", "só por nome, com padrão", '''
def f(x, *, axis=-1):
    return softmax(x)
'''),
    ("softmax", "classe chamável", '''
class Softmax:
    def __call__(self, x):
        return softmax(x)
f = Softmax()
'''),
    ("softmax", "método", '''
class Box:
    def apply(self, x):
        return softmax(x)
f = Box().apply
'''),
    ("softmax", "imprime", "def f(x):\n    print(x)\n    return softmax(x)"),
    ("softmax", "apply_along_axis", "def f(x): return np.apply_along_axis(softmax, 1, x)"),
    ("softmax", "decorada", '''
import functools
def twice(g):
    @functools.wraps(g)
    def inner(*a, **k):
        g(*a, **k)
        return g(*a, **k)
    return inner
@twice
def f(x): return softmax(x)
'''),
    ("softmax", "guarda o que já fez", '''
seen = {}
def f(x):
    return seen.setdefault(x.tobytes(), softmax(x))
'''),
    ("softmax_row", "listas e math", LOOPS + "f = softmax"),
    ("softmax_row", "biblioteca", atencao.softmax),
    ("softmax_row", "tupla", LOOPS + "def f(row): return tuple(softmax(row))"),
    ("softmax_row", "torch", lambda row: torch.softmax(torch.tensor(row), dim=0)),
    ("dot_product_attention", "devolve também os pesos", SOFTMAX + '''
def f(x):
    weights = softmax(x @ x.T)
    return weights @ x, weights
'''),
    ("dot_product_attention", "biblioteca",
     lambda x: atencao.scaled_dot_product_attention(x, x, x, scale=1.0)),
    ("dot_product_attention", "laços", LOOPS + '''
def f(x):
    result = []
    for m in range(len(x)):
        weights = softmax([dot(x[m], x[p]) for p in range(len(x))])
        result.append([dot(weights, [row[i] for row in x]) for i in range(len(x[0]))])
    return result
'''),
    ("attention_scores", "einsum", "def f(q, k): return np.einsum('mc,pc->mp', q, k)"),
    ("attention_scores", "inner", "def f(q, k): return np.inner(q, k)"),
    ("attention_scores", "compreensão", LOOPS + '''
def f(query, key):
    return [[dot(q, k) for k in key] for q in query]
'''),
    ("attention_scores", "broadcast", "def f(q, k): return (q[:, None] * k[None]).sum(-1)"),
    ("attention_scores", "k @ q.T, transposto", "def f(q, k): return (k @ q.T).T"),
    ("attention_scores", "torch.mT", "def f(q, k):\n    import torch\n"
     "    return torch.matmul(torch.as_tensor(q), torch.as_tensor(k).mT)"),
    ("attention_weights", "biblioteca", atencao.attention_weights),
    ("attention_weights", "escala em Q", SOFTMAX + '''
def f(query, key):
    return softmax(query / query.shape[-1] ** 0.5 @ key.T)
'''),
    ("attention_weights", "raiz quarta nas duas", SOFTMAX + '''
def f(query, key):
    root = query.shape[-1] ** 0.25
    return softmax((query / root) @ (key / root).T)
'''),
    ("attention_weights", "argumentos só por nome", SOFTMAX + '''
def f(*, query, key):
    return softmax(query @ key.T / np.sqrt(key.shape[1]))
'''),
    ("attention_weights", "por nome, outros nomes", SOFTMAX + '''
def f(Q, *, K):
    return softmax(Q @ K.T / np.sqrt(K.shape[1]))
'''),
    ("scaled_dot_product_attention", "SDPA", F.scaled_dot_product_attention),
    ("scaled_dot_product_attention", "biblioteca", atencao.scaled_dot_product_attention),
    ("scaled_dot_product_attention", "máscara opcional", PLAIN + '''
def f(query, key, value, mask=None, scale=None):
    scores = query @ key.T * (scale or 1 / np.sqrt(query.shape[-1]))
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ value
'''),
    ("scaled_dot_product_attention", "eixos de lote", SOFTMAX + '''
def f(q, k, v):
    return softmax(q @ np.moveaxis(k, -1, -2) / np.sqrt(q.shape[-1])) @ v
'''),
    ("scaled_dot_product_attention", "lista de arrays ragged", SOFTMAX + '''
def f(q, k, v):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    return [weights @ v, weights]
'''),
    ("project", "lista", "def f(x, a, b, c): return [x @ a, x @ b, x @ c]"),
    ("project", "gerador numa tupla", "def f(x, *ws): return tuple(x @ w for w in ws)"),
    ("project", "uma só e split", '''
def f(x, a, b, c):
    return np.split(x @ np.concatenate([a, b, c], axis=1), 3, axis=1)
'''),
    ("project", "empilhadas", "def f(x, a, b, c): return x @ np.stack([a, b, c])"),
    ("self_attention", "torch", '''
import torch
def f(x, a, b, c):
    q, k, v = x @ a, x @ b, x @ c
    return torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1) @ v
'''),
    ("self_attention", "A(XW) = (AX)W", SOFTMAX + '''
def f(x, a, b, c):
    q, k = x @ a, x @ b
    return softmax(q @ k.T / np.sqrt(q.shape[1])) @ x @ c
'''),
    ("self_attention", "W_q W_kᵀ juntas", SOFTMAX + '''
def f(x, a, b, c):
    return softmax(x @ (a @ b.T) @ x.T / np.sqrt(a.shape[1])) @ (x @ c)
'''),
    ("self_attention", "Parameter", modules.SelfAttentionParameter(6, 4)),
    ("self_attention", "Linear com viés", modules.SelfAttentionLinear(6, 4, bias=True)),
    ("self_attention", "classe", modules.SelfAttentionLinear),
    ("causal_mask", "tri", "def f(n): return np.tri(n, dtype=bool)"),
    ("causal_mask", "tril de uns", "def f(n): return np.tril(np.ones((n, n))) == 1"),
    ("causal_mask", "listas de bool", "def f(n): return [[p <= m for p in range(n)] "
     "for m in range(n)]"),
    ("causal_mask", "torch", lambda n: torch.ones(n, n, dtype=torch.bool).tril()),
    ("causal_mask", "negação da triu", "def f(n): return ~np.triu(np.ones((n, n), bool), 1)"),
    ("causal_attention", "SDPA", lambda q, k, v: F.scaled_dot_product_attention(
        q[None], k[None], v[None], is_causal=True)[0]),
    ("causal_attention", "−1e9", SOFTMAX + '''
def f(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    return softmax(np.where(np.tri(len(q)) == 1, scores, -1e9)) @ v
'''),
    ("causal_attention", "aditiva", SOFTMAX + '''
def f(q, k, v):
    with np.errstate(divide="ignore"):
        mask = np.log(np.tri(len(q)))
    return softmax(q @ k.T / np.sqrt(q.shape[1]) + mask) @ v
'''),
    ("causal_attention", "token a token", SOFTMAX + '''
def f(q, k, v):
    return np.array([
        softmax(q[m] @ k[: m + 1].T / np.sqrt(q.shape[1])) @ v[: m + 1] for m in range(len(q))
    ])
'''),
    ("causal_self_attention", "módulo", modules.CausalSelfAttention(6, 4)),
    ("causal_self_attention", "classe", modules.CausalSelfAttention),
    ("padding_mask", "laço", '''
def f(lengths, n):
    mask = np.zeros((len(lengths), 1, n), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, :, :length] = True
    return mask
'''),
    ("padding_mask", "torch", lambda lengths, n: (
        torch.arange(n) < torch.as_tensor(lengths)[:, None])[:, None]),
    ("batch_mask", "laço", '''
def f(lengths, n):
    return [[[p <= m and p < length for p in range(n)] for m in range(n)] for length in lengths]
'''),
    ("batched_attention", "biblioteca",
     lambda q, k, v, mask: atencao.scaled_dot_product_attention(q, k, v, mask=mask)),
    ("batched_attention", "máscara por nome", lambda q, k, v, *, mask: (
        atencao.scaled_dot_product_attention(q, k, v, mask=mask).context)),
    ("batched_attention", "frase a frase", PLAIN + '''
def f(q, k, v, mask):
    return np.stack([
        softmax(np.where(m, a @ b.T / np.sqrt(a.shape[1]), -np.inf)) @ c
        for a, b, c, m in zip(q, k, v, mask)
    ])
'''),
    ("split_heads", "biblioteca", atencao.split_heads),
    ("split_heads", "fatias", '''
def f(x, h):
    c = x.shape[1] // h
    return [x[:, i * c:(i + 1) * c] for i in range(h)]
'''),
    ("split_heads", "np.split", "def f(x, h): return np.stack(np.split(x, h, axis=1))"),
    ("split_heads", "torch", lambda x, h: torch.as_tensor(x).view(len(x), h, -1).transpose(0, 1)),
    ("split_heads", "einops à mão", "def f(x, h): return np.moveaxis("
     "x.reshape(x.shape[0], h, -1), 1, 0)"),
    ("merge_heads", "biblioteca", atencao.merge_heads),
    ("merge_heads", "concatenate", "def f(x): return np.concatenate(list(x), axis=-1)"),
    ("merge_heads", "hstack", "def f(x): return np.hstack([head for head in x])"),
    ("multi_head_attention", "devolve os pesos", '''
import atencao
def f(x, a, b, c, o, h):
    q, k, v = (atencao.split_heads(x @ w, h) for w in (a, b, c))
    context, weights, _ = atencao.scaled_dot_product_attention(q, k, v)
    return atencao.merge_heads(context) @ o, weights
'''),
    ("multi_head_attention", "soma por cabeça", '''
import atencao
def f(x, a, b, c, o, h):
    q, k, v = (atencao.split_heads(x @ w, h) for w in (a, b, c))
    context = atencao.scaled_dot_product_attention(q, k, v).context
    return sum(head @ rows for head, rows in zip(context, np.split(o, h)))
'''),
    ("multi_head_attention", "módulo", modules.MultiHeadAttention(6, 2, causal=False)),
    ("causal_multi_head_attention", "módulo", modules.MultiHeadAttention(6, 3)),
    ("feed_forward", "torch", '''
import torch
def f(x, w1, b1, w2, b2):
    return torch.relu(x @ w1 + b1) @ w2 + b2
'''),
    ("feed_forward", "where", '''
def f(x, w1, b1, w2, b2):
    h = x @ w1 + b1
    return np.where(h > 0, h, 0) @ w2 + b2
'''),
    ("feed_forward", "token por token", '''
def f(x, w1, b1, w2, b2):
    return [np.clip(row @ w1 + b1, 0, None) @ w2 + b2 for row in x]
'''),
    ("layer_norm", "std", '''
def f(x, g, b):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-8) * g + b
'''),
    ("layer_norm", "F.layer_norm", lambda x, g, b: F.layer_norm(
        torch.as_tensor(x), x.shape[-1:], torch.as_tensor(g), torch.as_tensor(b))),
    ("layer_norm", "média dos quadrados", '''
def f(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = (x ** 2).mean(-1, keepdims=True) - m ** 2
    return g * (x - m) / np.sqrt(v + 1e-5) + b
'''),
    ("transformer_block", "nomes", '''
def f(x, norm_attention, attention, norm_feed_forward, feed_forward):
    middle = attention(norm_attention(x)) + x
    return feed_forward(norm_feed_forward(middle)) + middle
'''),
    ("transformer_block", "módulo", modules.TransformerBlock(8, 2)),
]
STYLES += [(name, "a solução dos testes", code) for name, code in SOLUTIONS.items()]


def answer(code):
    return function(code, softmax=atencao.softmax) if isinstance(code, str) else code


@pytest.mark.parametrize(
    ("name", "code"),
    [pytest.param(name, code, id=f"{name}: {style}") for name, style, code in STYLES],
)
def test_right_is_right_however_it_is_written(name, code):
    result = check(name, answer(code))
    assert result, result.message
    assert result.score == 1
    assert not result.faults


def test_there_are_enough_styles():
    assert len(STYLES) >= 60


class FromScratch(nn.Module):
    """Pesos soltos, guardados como (c, d), ou juntos num Linear só."""

    def __init__(self, d, c):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(c, d))
        self.W_key = nn.Parameter(torch.randn(c, d))
        self.W_value = nn.Parameter(torch.randn(c, d))

    def forward(self, x):
        q, k, v = x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T
        return torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), dim=-1) @ v


class Stacked(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * c, bias=False)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.drop(torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)) @ v


class OnlyBatches(nn.Module):
    def __init__(self, d, c, max_n):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d, c) for _ in range(3))
        self.register_buffer("mask", torch.ones(max_n, max_n, dtype=torch.bool).triu(1))

    def forward(self, x):
        _, n, _ = x.shape
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = (q @ k.transpose(1, 2)).masked_fill(self.mask[:n, :n], -math.inf)
        return torch.softmax(scores / math.sqrt(q.shape[-1]), dim=-1) @ v


class Heads(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        B, n, d = x.shape
        q, k, v = (
            layer(x).view(B, n, self.n_heads, -1).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        context = F.scaled_dot_product_attention(q, k, v)
        return self.out_proj(context.transpose(1, 2).reshape(B, n, d)), None


MODULES = [
    ("self_attention", FromScratch(6, 4)),
    ("self_attention", FromScratch),
    ("self_attention", Stacked(6, 4)),
    ("self_attention", Stacked(6, 4).train()),
    ("self_attention", Stacked),
    ("causal_self_attention", OnlyBatches(6, 4, 8)),
    ("causal_self_attention", OnlyBatches),
    ("multi_head_attention", Heads(6, 2)),
    ("multi_head_attention", Heads),
    ("multi_head_attention", modules.MultiHeadAttention(6, 2, causal=False).double()),
]


@pytest.mark.parametrize(("name", "module"), MODULES)
def test_modules_of_every_kind_are_right(name, module):
    result = check(name, module)
    assert result, result.message


def test_the_learners_module_is_left_as_it_was():
    module = Stacked(6, 4).train()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    assert check("self_attention", module)
    assert module.training
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(parameter.grad is None for parameter in module.parameters())
