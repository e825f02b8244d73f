"""A matemática em PyTorch: igual à de NumPy, à da biblioteca, e nos dois caminhos."""

import copy
import inspect
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import atencao
from atencao.modules import (
    CausalSelfAttention,
    FeedForward,
    MultiHeadAttention,
    SelfAttentionLinear,
    SelfAttentionParameter,
    TransformerBlock,
)
from refusals import assert_refused

torch.set_num_threads(1)

B, N, D, C, HEADS = 2, 5, 6, 4, 3
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-5}
DTYPES = list(TOLERANCE)
ATTENTIONS = {
    "parameter": lambda: SelfAttentionParameter(D, C),
    "linear": lambda: SelfAttentionLinear(D, C, bias=True),
    "causal": lambda: CausalSelfAttention(D, C),
    "heads": lambda: MultiHeadAttention(D, HEADS, causal=False, bias=True),
    "causal heads": lambda: MultiHeadAttention(D, HEADS),
}
MODULES = ATTENTIONS | {
    "feed forward": lambda: FeedForward(D, 7),
    "block": lambda: TransformerBlock(D, HEADS),
    "post-norm block": lambda: TransformerBlock(D, HEADS, causal=False, norm_first=False),
}


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.fixture(params=ATTENTIONS)
def attention(request):
    return ATTENTIONS[request.param]()


@pytest.fixture(params=MODULES)
def module(request):
    return MODULES[request.param]()


def masks():
    """Uma máscara de cada jeito; nas últimas, um token que não pode atender a ninguém."""
    free = torch.rand(N, N) > 0.4
    free[:, 0] = True
    blocked = free.clone()
    blocked[2] = False
    return [None, free, free[0], torch.tensor(True), blocked, torch.zeros(N, N, dtype=torch.bool)]


def close(ours, expected, dtype=torch.float32):
    torch.testing.assert_close(
        torch.as_tensor(ours), torch.as_tensor(expected), rtol=0, atol=TOLERANCE[dtype]
    )


# Contra functional, com os mesmos pesos


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_single_heads_equal_numpy(dtype, masked, causal):
    parameter = SelfAttentionParameter(D, C).to(dtype)
    linear = (CausalSelfAttention if causal else SelfAttentionLinear)(D, C).to(dtype)
    matrices = [parameter.W_query, parameter.W_key, parameter.W_value]
    with torch.no_grad():
        for layer, matrix in zip((linear.query, linear.key, linear.value), matrices, strict=True):
            layer.weight.copy_(matrix.T)
    x = torch.randn(B, N, D, dtype=dtype)
    mask = masks()[4] if masked else None
    allowed = np.ones((N, N), dtype=bool) if mask is None else mask.numpy()
    if causal:
        allowed = allowed & atencao.causal_mask(N)
    projected = [x.numpy() @ matrix.detach().numpy() for matrix in matrices]
    expected = atencao.scaled_dot_product_attention(*projected, mask=allowed)
    for module in [linear] if causal else [linear, parameter]:
        close(module(x, mask).detach(), expected.context, dtype)
        for ours, theirs in zip(module.attention(x, mask), expected, strict=True):
            close(ours.detach(), theirs, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("causal", [False, True])
def test_heads_equal_numpy(dtype, causal):
    module = MultiHeadAttention(D, HEADS, causal=causal).to(dtype)
    x = torch.randn(B, N, D, dtype=dtype)
    roles = [x.numpy() @ w.T.numpy() for w in module.query_key_value.weight.detach().chunk(3)]
    heads = [atencao.split_heads(role, HEADS) for role in roles]
    mask = atencao.causal_mask(N) if causal else None
    expected = atencao.scaled_dot_product_attention(*heads, mask=mask)
    context = atencao.merge_heads(expected.context) @ module.output.weight.detach().T.numpy()
    ours = module.attention(x)
    close(module(x).detach(), context, dtype)
    close(ours.context.detach(), context, dtype)
    close(ours.weights.detach(), expected.weights, dtype)
    close(ours.scores.detach(), expected.scores, dtype)


def test_result_is_the_same_named_tuple(attention):
    assert isinstance(attention.attention(torch.randn(N, D)), atencao.Attention)


# Contra a biblioteca


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_heads_equal_torch(dtype, bias, causal):
    theirs = nn.MultiheadAttention(D, HEADS, bias=bias, batch_first=True, dtype=dtype).eval()
    for tensor in theirs.parameters():
        nn.init.normal_(tensor)
    ours = MultiHeadAttention.from_torch(theirs, causal=causal)
    x = torch.randn(B, N, D, dtype=dtype)
    allowed = torch.rand(B, 1, N, N) > 0.4
    allowed[..., 0] = True
    visible = allowed & torch.ones(N, N).tril().bool() if causal else allowed
    forbidden = ~visible.expand(B, HEADS, N, N).reshape(B * HEADS, N, N)  # lá, True proíbe
    context, weights = theirs(x, x, x, attn_mask=forbidden, average_attn_weights=False)
    close(ours(x, allowed), context, dtype)
    close(ours.attention(x, allowed).context, context, dtype)
    close(ours.attention(x, allowed).weights, weights, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_heads_equal_torch_function(dtype):
    module = MultiHeadAttention(D, HEADS).to(dtype)
    x = torch.randn(B, N, D, dtype=dtype)
    heads = [role.view(B, N, HEADS, -1).transpose(1, 2) for role in
             module.query_key_value(x).chunk(3, dim=-1)]
    context = F.scaled_dot_product_attention(*heads, is_causal=True)
    close(module(x), module.output(context.transpose(1, 2).reshape(B, N, D)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["gelu", "relu", torch.tanh])
@pytest.mark.parametrize("bias", [False, True])
def test_block_equals_torch(dtype, norm_first, activation, bias):
    theirs = nn.TransformerEncoderLayer(
        D, HEADS, 7, norm_first=norm_first, activation=activation, bias=bias, layer_norm_eps=0.01,
        batch_first=True, dtype=dtype,
    )
    for tensor in theirs.parameters():
        nn.init.normal_(tensor)
    theirs.eval()
    x = torch.randn(B, N, D, dtype=dtype)
    future = torch.ones(N, N).triu(1).bool()
    close(TransformerBlock.from_torch(theirs, causal=False)(x), theirs(x), dtype)
    close(TransformerBlock.from_torch(theirs, causal=True)(x), theirs(x, src_mask=future), dtype)
    mask = masks()[1]
    close(TransformerBlock.from_torch(theirs, causal=False)(x, mask), theirs(x, ~mask), dtype)


@pytest.mark.parametrize("norm_first", [False, True])
def test_block_shows_what_its_heads_see(norm_first):
    block = TransformerBlock(D, HEADS, norm_first=norm_first)
    nn.init.normal_(block.norm_attention.weight)
    x, mask = torch.randn(B, N, D), masks()[4]
    seen = block.norm_attention(x) if norm_first else x
    expected = block.multi_head.attention(seen, mask)
    for ours, theirs in zip(block.attention(x, mask), expected, strict=True):
        close(ours, theirs)


def test_copies_are_independent_and_keep_mode_and_dropout():
    theirs = nn.TransformerEncoderLayer(D, HEADS, 7, dropout=0.3, batch_first=True).eval()
    ours = TransformerBlock.from_torch(theirs, causal=True)
    assert not any(part.training for part in ours.modules())
    assert ours.dropout.p == ours.multi_head.dropout == ours.feed_forward.dropout.p == 0.3
    before = ours.multi_head.query_key_value.weight.clone()
    nn.init.zeros_(theirs.self_attn.in_proj_weight)
    assert torch.equal(ours.multi_head.query_key_value.weight, before)
    assert all(parameter.requires_grad for parameter in ours.parameters())


def test_copy_of_heads_keeps_mode_and_dropout():
    for mode in (True, False):
        theirs = nn.MultiheadAttention(D, HEADS, dropout=0.3).train(mode)
        ours = MultiHeadAttention.from_torch(theirs, causal=True)
        assert (ours.training, ours.dropout) == (mode, 0.3)


def test_copy_does_not_share_what_the_activation_learns():
    theirs = nn.TransformerEncoderLayer(D, HEADS, 7, activation=nn.PReLU(), batch_first=True)
    activation = TransformerBlock.from_torch(theirs, causal=True).feed_forward.activation
    assert activation is not theirs.activation
    close(activation.weight.detach(), theirs.activation.weight.detach())


@pytest.mark.parametrize("option", [
    {"kdim": 4}, {"vdim": 4}, {"add_bias_kv": True}, {"add_zero_attn": True}
])  # fmt: skip
def test_what_we_do_not_have_is_not_copied(option):
    theirs = nn.MultiheadAttention(D, HEADS, **option)
    assert next(iter(option)) in assert_refused(MultiHeadAttention.from_torch, theirs, causal=True)


def test_options_nobody_chose():
    def defaults(module):
        parameters = inspect.signature(module).parameters.values()
        return {p.name: p.default for p in parameters if p.default is not p.empty}

    assert defaults(SelfAttentionLinear) == defaults(CausalSelfAttention) == {"bias": False}
    assert defaults(MultiHeadAttention) == {"causal": True, "bias": False, "dropout": 0.0}
    feed_forward = {"bias": True, "dropout": 0.0, "activation": F.gelu}
    assert defaults(FeedForward) == feed_forward
    assert defaults(TransformerBlock) == {
        **feed_forward, "hidden": None, "causal": True, "norm_first": True
    }


@pytest.mark.parametrize("bias", [False, True])
def test_bias_is_everywhere_or_nowhere(bias):
    for module in (
        SelfAttentionLinear(D, C, bias=bias), MultiHeadAttention(D, HEADS, bias=bias),
        FeedForward(D, 7, bias=bias), TransformerBlock(D, HEADS, bias=bias),
    ):  # fmt: skip
        layers = [part for part in module.modules() if isinstance(part, nn.Linear | nn.LayerNorm)]
        assert {layer.bias is not None for layer in layers} == {bias}


def test_parameter_projections_keep_the_variance():
    module = SelfAttentionParameter(400, 100)
    for part in module.project(torch.randn(200, 400)):
        assert 0.9 < part.var().item() < 1.1


@pytest.mark.parametrize("kind", [np.uint8, np.array, torch.tensor])
def test_sizes_may_be_any_integer(kind):
    x = torch.randn(2, 102)
    for module in (
        SelfAttentionParameter(kind(102), kind(4)), SelfAttentionLinear(kind(102), kind(4)),
        MultiHeadAttention(kind(102), kind(3)), FeedForward(kind(102), kind(7)),
        TransformerBlock(kind(102), kind(3), dropout=np.float32(0)),
    ):  # fmt: skip
        assert torch.isfinite(module(x)).all()
        layers = [part for part in module.modules() if isinstance(part, nn.Linear)]
        assert all(type(layer.in_features) is int for layer in layers)


def test_options_may_come_from_numpy():
    block = TransformerBlock(D, HEADS, causal=np.False_, bias=np.True_, norm_first=np.False_)
    assert block.multi_head.causal is block.norm_first is False
    assert block.multi_head.output.bias is not None


def test_hidden_is_four_times_the_width_by_default():
    assert TransformerBlock(D, HEADS).feed_forward.widen.weight.shape == (4 * D, D)


# Os dois caminhos


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", [(), (B,), (B, 3), (B, 1, 3)])
def test_both_paths_agree(attention, dtype, batch):
    attention.to(dtype)
    x = torch.randn(*batch, N, D, dtype=dtype)
    for mask in masks():
        fast, (context, weights, scores) = attention(x, mask), attention.attention(x, mask)
        close(fast, context, dtype)
        assert fast.shape == (*batch, N, fast.shape[-1])
        assert weights.shape == scores.shape == (*weights.shape[:-2], N, N)
        assert torch.isfinite(fast).all()


def test_batch_equals_one_by_one(module):
    x = torch.randn(B, 3, N, D)
    together = module(x)
    for i in np.ndindex(B, 3):
        close(together[i], module(x[i]))


def test_mask_of_a_sequence_and_of_padding():
    module = MultiHeadAttention(D, HEADS, causal=False)
    x = torch.randn(B, N, D)
    padding = torch.tensor([[True] * 3 + [False] * 2, [True] * N])
    context = module(x, padding[:, None, None, :])
    close(context[0, :3], module(x[0, :3]))
    close(context[1], module(x[1]))


def test_rows_with_nothing_allowed_are_zero(attention):
    x = torch.randn(B, N, D)
    mask = torch.ones(N, N, dtype=torch.bool)
    mask[2] = False
    _, weights, scores = attention.attention(x, mask)
    assert not weights[..., 2, :].any()
    assert scores.any()
    context = attention(x, mask)[:, 2]
    rest = attention.output.bias if isinstance(attention, MultiHeadAttention) else None
    close(context, torch.zeros_like(context) if rest is None else rest.expand_as(context))


def test_mask_is_minus_infinity_and_not_just_a_small_number():
    module = SelfAttentionParameter(D, C)
    with torch.no_grad():
        module.W_key.copy_(-module.W_query)
    x = 1000 * torch.ones(N, D) + torch.randn(N, D)  # toda pontuação é muito negativa
    mask = masks()[4]
    _, weights, scores = module.attention(x, mask)
    assert scores.max() < -1e4
    close(weights.sum(dim=-1), mask.any(dim=-1).float())


def test_gradients_of_rows_with_nothing_allowed_are_finite(attention):
    for mask in masks():
        for path in (attention, lambda *args: attention.attention(*args).context):
            x = torch.randn(B, N, D, requires_grad=True)
            path(x, mask).sum().backward()
            assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("masked", [False, True])
def test_gradients_are_right(module, masked):
    module.double()
    x = torch.randn(N, D, dtype=torch.float64, requires_grad=True)
    mask = [masks()[4]] if masked and not isinstance(module, FeedForward) else []
    assert torch.autograd.gradcheck(lambda x: module(x, *mask), x)
    if not isinstance(module, FeedForward):
        assert torch.autograd.gradcheck(lambda x: module.attention(x, *mask)[:2], x)


def test_every_parameter_learns(module):
    x = torch.randn(B, N, D)
    module(x).pow(2).sum().backward()
    assert all(parameter.grad.any() for parameter in module.parameters())


# Estado, tipos e compilação


def test_state_dict_round_trip(module):
    x = torch.randn(B, N, D)
    twin = copy.deepcopy(module)
    for parameter in twin.parameters():
        nn.init.zeros_(parameter)
    assert not torch.equal(twin(x), module(x))
    twin.load_state_dict(module.state_dict())
    assert torch.equal(twin(x), module(x))
    assert not list(module.buffers())


@pytest.mark.parametrize("masked", [False, True])
def test_compiles_as_one_graph(module, masked):
    torch.compiler.reset()
    mask = [masks()[4]] if masked and not isinstance(module, FeedForward) else []
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    for n in [N] if masked else [N, N + 2]:
        x = torch.randn(B, n, D)
        close(compiled(x, *mask), module(x, *mask))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_has_no_nan_under_masks(module, dtype):
    module.to(dtype)
    x = 20 * torch.randn(B, N, D, dtype=dtype)
    for mask in [[]] if isinstance(module, FeedForward) else [[mask] for mask in masks()]:
        context = module(x, *mask)
        assert context.dtype == dtype
        assert torch.isfinite(context).all()
        if not isinstance(module, FeedForward):
            written = module.attention(x, *mask)
            assert all(part.dtype == dtype and part.isfinite().all() for part in written)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast_has_no_nan_under_masks(module, dtype):
    x = torch.randn(B, N, D, requires_grad=True)
    for mask in [[]] if isinstance(module, FeedForward) else [[mask] for mask in masks()]:
        with torch.autocast("cpu", dtype):
            context = module(x, *mask)
            if not isinstance(module, FeedForward):
                assert all(part.isfinite().all() for part in module.attention(x, *mask))
        assert torch.isfinite(context).all()
        context.float().sum().backward()
        assert torch.isfinite(x.grad).all()
        torch.testing.assert_close(context.float(), module(x, *mask), rtol=0.1, atol=0.1)


def test_autocast_takes_half_precision_too(module):
    x = torch.randn(N, D)
    with torch.autocast("cpu", torch.bfloat16):
        torch.testing.assert_close(
            module(x.bfloat16()).float(), module(x).float(), rtol=0.1, atol=0.1
        )


def test_autocast_does_not_mix_with_float64(module):
    double = torch.randn(N, D, dtype=torch.float64)
    with torch.autocast("cpu", torch.bfloat16):
        assert "x.to(torch.float32)" in assert_refused(module, double)
        module.double()
        assert "x.to(torch.float64)" in assert_refused(module, double.float())


def test_fast_path_never_builds_the_n_by_n_matrix():
    n = 256
    for module in (CausalSelfAttention(D, C), SelfAttentionLinear(D, C), MultiHeadAttention(D, 2)):
        for x in (torch.randn(n, D, requires_grad=True), torch.randn(B, n, D, requires_grad=True)):
            largest = largest_tensor(lambda m=module, x=x: m(x).sum().backward())
            assert largest < n * n
            assert largest_tensor(lambda m=module, x=x: m.attention(x)) >= n * n


def largest_tensor(call) -> int:
    """O maior número de elementos entre os tensores que as operações de call devolvem."""
    sizes = [0]

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            for part in result if isinstance(result, tuple | list) else [result]:
                if isinstance(part, torch.Tensor):
                    sizes.append(part.numel())
            return result

    with Watch():
        call()
    return max(sizes)


# Dropout


def test_dropout_acts_only_in_training():
    x = torch.randn(B, N, D)
    for module in (
        MultiHeadAttention(D, HEADS, dropout=0.5),
        FeedForward(D, 7, dropout=0.5),
        TransformerBlock(D, HEADS, dropout=0.5),
    ):
        assert not torch.equal(module(x), module(x))
        module.eval()
        assert torch.equal(module(x), module(x))


def test_dropout_comes_after_the_activation():
    x = torch.randn(N, D)
    constant = FeedForward(D, 7, dropout=0.5, activation=torch.ones_like)
    assert not torch.equal(constant(x), constant(x))


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("silent", ["multi_head.output", "feed_forward.narrow"])
def test_block_drops_what_each_half_adds(norm_first, silent):
    block = TransformerBlock(D, HEADS, dropout=0.5, norm_first=norm_first)
    block.multi_head.dropout = block.feed_forward.dropout.p = 0
    for parameter in block.get_submodule(silent).parameters():
        nn.init.zeros_(parameter)  # só a outra metade soma
    x = torch.randn(B, N, D)
    assert not torch.equal(block(x), block(x))


def test_written_out_path_has_no_dropout():
    module = MultiHeadAttention(D, HEADS, dropout=0.5)
    x = torch.randn(B, N, D)
    weights = module.attention(x).weights
    close(weights.sum(dim=-1), torch.ones(B, HEADS, N))
    close(module.attention(x).context, module.eval()(x))


# Recusas


@pytest.mark.parametrize("name", MODULES)
@settings(max_examples=60)
@given(data=st.data())
def test_bad_inputs_are_refused_by_us(name, data):
    module = MODULES[name]()
    methods = [module] if isinstance(module, FeedForward) else [module, module.attention]
    shape = data.draw(
        st.lists(st.integers(0, 8), max_size=4).filter(
            lambda shape: len(shape) < 2 or shape[-1] != D or 0 in shape
        )
    )
    bad = data.draw(st.sampled_from([
        torch.zeros(shape), None, "x", 1.0, [[0.0] * D], np.zeros((N, D)), object(),
        torch.zeros(N, D, dtype=torch.int64), torch.ones(N, D, dtype=torch.bool),
        torch.zeros(N, D, dtype=torch.complex64), torch.zeros(N, D, dtype=torch.float64),
        torch.zeros(N, D, dtype=torch.float16), torch.zeros(N, D, device="meta"),
        torch.zeros(N, D).to_sparse(),
    ]))  # fmt: skip
    assert_refused(data.draw(st.sampled_from(methods)), bad)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_nested_tensors_are_refused_by_us(module):
    for layout in (torch.strided, torch.jagged):
        nested = torch.nested.nested_tensor([torch.zeros(N, D), torch.zeros(1, D)], layout=layout)
        assert "to_padded_tensor" in assert_refused(module, nested)


@pytest.mark.parametrize("name", [*ATTENTIONS, "block"])
@settings(max_examples=60)
@given(data=st.data())
def test_bad_masks_are_refused_by_us(name, data):
    module = MODULES[name]()
    heads = [] if name in ("parameter", "linear", "causal") else [HEADS]
    scores = torch.Size([B, *heads, N, N])
    shape = data.draw(
        st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, 6]), max_size=6).filter(
            lambda shape: not fits(shape, scores)
        )
    )
    bad = data.draw(st.sampled_from([
        torch.ones(shape, dtype=torch.bool), True, "x", [[True] * N] * N, object(),
        np.ones((N, N), dtype=bool), torch.ones(N, N), torch.ones(N, N, dtype=torch.uint8),
        torch.zeros(N, N).fill_(-math.inf), torch.ones(N, N, dtype=torch.bool, device="meta"),
        torch.ones(N, N, dtype=torch.bool).to_sparse(),
    ]))  # fmt: skip
    call = data.draw(st.sampled_from([module, module.attention]))
    assert_refused(call, torch.zeros(B, N, D), bad)


def fits(shape, target) -> bool:
    try:
        return torch.broadcast_shapes(shape, target) == target
    except RuntimeError:
        return False


not_sizes = (
    st.sampled_from([None, "4", 2.0, True, [4], math.nan, 2**31, 10**30])
    | st.integers(max_value=0)
)
not_dropouts = st.sampled_from(
    [
        None, "0", True, 1, 1.0, -0.1, 2, math.nan, math.inf, [0.5], 1j, 10**400,
        np.timedelta64(0, "s"), torch.tensor(0.5),
    ]
)
not_flags = st.sampled_from([None, 0, 1, "não", [], torch.tensor(True), np.array([True])])
CONSTRUCTORS = [
    (SelfAttentionParameter, {"d": D, "c": C}, {"d": not_sizes, "c": not_sizes}),
    (SelfAttentionLinear, {"d": D, "c": C}, {"d": not_sizes, "c": not_sizes, "bias": not_flags}),
    (CausalSelfAttention, {"d": D, "c": C}, {"d": not_sizes, "c": not_sizes}),
    (MultiHeadAttention, {"d_model": D, "num_heads": HEADS}, {
        "d_model": not_sizes,
        "num_heads": not_sizes | st.integers(4, 9).filter(lambda h: D % h),
        "dropout": not_dropouts, "causal": not_flags, "bias": not_flags,
    }),
    (FeedForward, {"d_model": D, "hidden": 7}, {
        "d_model": not_sizes, "hidden": not_sizes, "dropout": not_dropouts, "bias": not_flags,
        "activation": st.sampled_from(["gelu", None, 3, nn.GELU]),
    }),
    (TransformerBlock, {"d_model": D, "num_heads": HEADS}, {
        "d_model": not_sizes,
        "num_heads": not_sizes | st.integers(4, 9).filter(lambda h: D % h),
        "hidden": not_sizes.filter(lambda hidden: hidden is not None),
        "dropout": not_dropouts, "bias": not_flags, "norm_first": not_flags,
        "activation": st.sampled_from(["gelu", None, 3, nn.GELU]),
    }),
    (MultiHeadAttention.from_torch, {"causal": True}, {"module": st.sampled_from([
        None, nn.Linear(D, D), nn.MultiheadAttention,
        MultiHeadAttention(D, HEADS),
    ])}),
    (TransformerBlock.from_torch, {"causal": True}, {
        "module": st.sampled_from([None, nn.Linear(D, D), TransformerBlock(D, HEADS)])
    }),
]  # fmt: skip
CASES = [(f, good, name, bad) for f, good, spoils in CONSTRUCTORS for name, bad in spoils.items()]


@settings(max_examples=500)
@given(st.data())
def test_bad_constructions_are_refused_by_us(data):
    function, good, name, bad = data.draw(st.sampled_from(CASES))
    assert_refused(function, **{**good, name: data.draw(bad)})


@pytest.mark.parametrize(("call", "parts"), [
    (lambda: MultiHeadAttention(8, 3), ["num_heads = 3", "d_model = 8", "2", "1, 2, 4, 8"]),
    (lambda: SelfAttentionLinear(D, C)(torch.zeros(N, 7)), ["7", "(5, 7)", "6", "último eixo"]),
    (lambda: SelfAttentionLinear(D, C)(torch.zeros(D)), ["(6,)", "(B, n, d)", "x[None]"]),
    (lambda: SelfAttentionLinear(D, C)(torch.zeros(0, D)), ["vazio", "(0, 6)"]),
    (lambda: FeedForward(D, C)(torch.zeros(N, D, dtype=torch.int64)), ["int64", "nn.Embedding"]),
    (
        lambda: FeedForward(D, C)(torch.zeros(N, D, dtype=torch.float64)),
        ["float64", "float32", "x.to(torch.float32)"],
    ),
    (
        lambda: MultiHeadAttention(D, HEADS)(
            torch.zeros(B, N, D), torch.ones(4, 4, dtype=torch.bool)
        ),
        ["(4, 4)", "(2, 3, 5, 5)"],
    ),
    (
        lambda: SelfAttentionLinear(D, C)(torch.zeros(N, D), torch.ones(1, N, N, dtype=torch.bool)),
        ["(1, 5, 5)", "(5, 5)"],
    ),
    (
        lambda: MultiHeadAttention(D, HEADS)(torch.zeros(B, N, D), torch.ones(N, N)),
        ["booleana", "float32", "pode atender"],
    ),
    (
        lambda: FeedForward(D, C)(torch.zeros(N, D, device="meta")),
        ["x está em meta", "os pesos em cpu", '.to("cpu")'],
    ),
    (lambda: FeedForward(D, C)(torch.zeros(N, D).to_sparse()), ["denso", ".to_dense()"]),
    (lambda: FeedForward(D, C, activation=nn.GELU), ["nn.GELU()"]),
    (lambda: MultiHeadAttention(D, HEADS, dropout=1.0), ["dropout", "[0, 1)", "1.0"]),
])  # fmt: skip
def test_messages_say_the_sizes_and_the_way_out(call, parts):
    message = assert_refused(call)
    assert all(part in message for part in parts), message
