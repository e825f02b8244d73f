"""Respostas de exercício escritas como alunos as escrevem, certas e erradas, em texto.

São texto, e não funções, para que os testes possam também mudá-las, operador por operador.
"""

import ast
import textwrap

import numpy as np

from atencao import checks


def function(code: str, **known: object):
    """A última função (ou classe, ou objeto) que o código define."""
    tree = ast.parse(textwrap.dedent(code))
    return compiled(tree, **known)


def compiled(tree: ast.Module, **known: object):
    names = {"np": np, **known}
    exec(compile(tree, "<aluno>", "exec"), names)
    last = tree.body[-1]
    return names[last.targets[0].id if isinstance(last, ast.Assign) else last.name]


def check(name: str, answer):
    if name == "causal_multi_head_attention":
        return checks.multi_head_attention(answer, causal=True)
    return getattr(checks, name)(answer)


SOFTMAX = '''
def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
'''
PLAIN = '''
def softmax(x):
    with np.errstate(all="ignore"):
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return np.nan_to_num(powers / powers.sum(axis=-1, keepdims=True))
'''

# Uma resposta certa por exercício: é ela que os testes estragam, operador por operador.
SOLUTIONS = {
    "one_hot": '''
def one_hot(ids, size):
    table = np.zeros((len(ids), size))
    for row, i in enumerate(ids):
        table[row, i] = 1
    return table
''',
    "embed": '''
def embed(ids, table):
    one_hot = np.zeros((len(ids), len(table)))
    one_hot[np.arange(len(ids)), ids] = 1
    return one_hot @ table
''',
    "sinusoidal_positions": '''
def sinusoidal_positions(n, d):
    result = np.zeros((n, d))
    for p in range(n):
        for i in range(d // 2):
            angle = p / 10000 ** (2 * i / d)
            result[p, 2 * i] = np.sin(angle)
            result[p, 2 * i + 1] = np.cos(angle)
    return result
''',
    "dot_product": '''
def dot_product(a, b):
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total
''',
    "softmax": SOFTMAX,
    "softmax_row": '''
def softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()
''',
    "dot_product_attention": SOFTMAX + '''
def attention(x):
    return softmax(x @ x.T) @ x
''',
    "attention_scores": '''
def scores(query, key):
    return query @ key.T
''',
    "attention_weights": SOFTMAX + '''
def weights(query, key):
    return softmax(query @ key.T / np.sqrt(query.shape[-1]))
''',
    "scaled_dot_product_attention": SOFTMAX + '''
def attention(query, key, value):
    return softmax(query @ key.T / query.shape[1] ** 0.5) @ value
''',
    "project": '''
def project(x, w_query, w_key, w_value):
    return x @ w_query, x @ w_key, x @ w_value
''',
    "self_attention": SOFTMAX + '''
def self_attention(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    return softmax(query @ key.T / np.sqrt(key.shape[1])) @ value
''',
    "causal_mask": '''
def causal_mask(n):
    mask = np.zeros((n, n), dtype=bool)
    for m in range(n):
        for p in range(n):
            mask[m, p] = p <= m
    return mask
''',
    "causal_attention": SOFTMAX + '''
def attention(query, key, value):
    scores = query @ key.T / np.sqrt(query.shape[1])
    allowed = np.arange(len(query))[:, None] >= np.arange(len(key))
    return softmax(np.where(allowed, scores, -np.inf)) @ value
''',
    "causal_self_attention": SOFTMAX + '''
def attention(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    scores = query @ key.T / np.sqrt(query.shape[1])
    scores[np.triu_indices(len(x), 1)] = -np.inf
    return softmax(scores) @ value
''',
    "padding_mask": '''
def padding_mask(lengths, n):
    return (np.arange(n) < lengths[:, None])[:, None, :]
''',
    "batch_mask": '''
def batch_mask(lengths, n):
    column = np.arange(n)
    return (column <= column[:, None]) & (column < lengths[:, None])[:, None, :]
''',
    "batched_attention": PLAIN + '''
def attention(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ value
''',
    "split_heads": '''
def split_heads(x, num_heads):
    return x.reshape(len(x), num_heads, -1).swapaxes(0, 1)
''',
    "merge_heads": '''
def merge_heads(heads):
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)
''',
    "multi_head_attention": SOFTMAX + '''
def multi_head(x, w_query, w_key, w_value, w_output, num_heads):
    def split(z):
        return z.reshape(len(z), num_heads, -1).swapaxes(0, 1)

    query, key, value = split(x @ w_query), split(x @ w_key), split(x @ w_value)
    weights = softmax(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2]))
    return (weights @ value).swapaxes(0, 1).reshape(len(x), -1) @ w_output
''',
    "causal_multi_head_attention": SOFTMAX + '''
def multi_head(x, w_query, w_key, w_value, w_output, num_heads):
    c = w_query.shape[1] // num_heads
    heads = []
    for i in range(num_heads):
        mine = slice(i * c, (i + 1) * c)
        query, key, value = x @ w_query[:, mine], x @ w_key[:, mine], x @ w_value[:, mine]
        scores = query @ key.T / np.sqrt(c)
        weights = softmax(np.where(np.tri(len(x), dtype=bool), scores, -np.inf))
        heads.append(weights @ value)
    return np.concatenate(heads, axis=1) @ w_output
''',
    "feed_forward": '''
def feed_forward(x, w1, b1, w2, b2):
    return np.maximum(x @ w1 + b1, 0) @ w2 + b2
''',
    "layer_norm": '''
def layer_norm(x, gain, shift):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + shift
''',
    "transformer_block": '''
def block(x, norm_attention, attention, norm_feed_forward, feed_forward):
    x = x + attention(norm_attention(x))
    return x + feed_forward(norm_feed_forward(x))
''',
}
