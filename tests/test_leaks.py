"""Nenhum token lê o futuro: muda-se o que vem depois, e o que já saiu não pode se mexer."""

import numpy as np
import pytest
import torch

import atencao
from atencao.modules import CausalSelfAttention, MultiHeadAttention, TransformerBlock

torch.set_num_threads(1)

N, D, HEADS = 7, 6, 3
SHOCK = 1e4


def leak(attend, x, position, shock=SHOCK) -> float:
    """Quanto se move a saída antes de position quando tudo dali em diante leva um choque."""
    changed = x.copy() if isinstance(x, np.ndarray) else x.clone()
    changed[..., position:, :] += shock
    moved = abs(attend(changed) - attend(x))
    assert moved[..., position:, :].max() > 0, "o choque não mudou nada: o teste está cego"
    return float(moved[..., :position, :].max())


def numpy_attention(x, mask):
    return atencao.scaled_dot_product_attention(x, x, x[..., :4], mask=mask).context


def numpy_heads(x):
    heads = atencao.split_heads(x, HEADS)
    mask = atencao.causal_mask(N)
    return atencao.merge_heads(
        atencao.scaled_dot_product_attention(heads, heads, heads, mask=mask).context
    )


IN_NUMPY = {
    "atenção": lambda x: numpy_attention(x, atencao.causal_mask(N)),
    "pesos": lambda x: atencao.attention_weights(x, x, mask=atencao.causal_mask(N)),
    "cabeças": numpy_heads,
}
IN_TORCH = {
    "CausalSelfAttention": lambda: CausalSelfAttention(D, 4),
    "MultiHeadAttention": lambda: MultiHeadAttention(D, HEADS),
    "TransformerBlock": lambda: TransformerBlock(D, HEADS),
    "TransformerBlock, norm depois": lambda: TransformerBlock(D, HEADS, norm_first=False),
}
MASKS = {
    "só a causal": None,
    "e outra": torch.rand(N, N, generator=torch.Generator().manual_seed(0)) > 0.3,
    "e uma que libera tudo": torch.ones(N, N, dtype=torch.bool),
}


@pytest.mark.parametrize("name", IN_NUMPY)
@pytest.mark.parametrize("position", range(1, N))
def test_numpy_does_not_move_a_single_bit(name, position):
    x = np.random.default_rng(0).normal(size=(2, N, D))
    assert leak(IN_NUMPY[name], x, position) == 0


@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (5, 8), (2, 17, 3), (33, 16), (2, 2, 9, 64)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shock", [SHOCK, np.inf, -np.inf, np.nan])
def test_numpy_does_not_move_a_single_bit_in_any_shape(shape, dtype, shock):
    """A biblioteca de álgebra linear troca de algoritmo conforme a forma; a promessa, não."""
    calm = np.random.default_rng(0).normal(size=shape).astype(dtype)
    mask = atencao.causal_mask(shape[-2])
    expected = atencao.scaled_dot_product_attention(calm, calm, calm, mask=mask)
    for position in {1, shape[-2] // 2, shape[-2] - 1}:
        shaken = calm.copy()
        shaken[..., position:, :] += dtype(shock)
        moved = atencao.scaled_dot_product_attention(shaken, shaken, shaken, mask=mask)
        for before, after in ((expected.context, moved.context), (expected.weights, moved.weights)):
            assert before[..., :position, :].tobytes() == after[..., :position, :].tobytes()


@pytest.mark.parametrize("name", IN_TORCH)
@pytest.mark.parametrize("path", ["forward", "attention"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("compiled", [False, True])
def test_torch_does_not_leak(name, path, mask, compiled):
    torch.manual_seed(0)
    module = IN_TORCH[name]()
    call = getattr(module, path)
    if compiled:
        torch.compiler.reset()
        call = torch.compile(call, fullgraph=True, backend="eager")

    @torch.no_grad()
    def attend(x):
        result = call(x, MASKS[mask])
        return result if path == "forward" else result.context

    # O choque varia entre as posições: o mesmo em todas, a normalização do bloco o apagaria.
    shock = SHOCK * torch.randn(D)
    for position in range(1, N):
        assert leak(attend, torch.randn(2, N, D), position, shock) <= 1e-6


@pytest.mark.parametrize("name", IN_TORCH)
def test_training_does_not_leak_either(name):
    torch.manual_seed(0)
    x = torch.randn(N, D, requires_grad=True)
    for position in range(N - 1):
        (gradient,) = torch.autograd.grad(IN_TORCH[name]()(x)[position].sum(), x)
        assert not gradient[position + 1 :].any()


def test_the_leak_test_sees_leaks():
    x = np.random.default_rng(0).normal(size=(N, D))
    off_by_one = np.tri(N, k=1, dtype=bool)
    assert leak(lambda x: numpy_attention(x, off_by_one), x, 3) > 1e-3
    module = MultiHeadAttention(D, HEADS, causal=False).requires_grad_(False)
    assert leak(module, torch.from_numpy(x).float(), 3) > 1e-3
