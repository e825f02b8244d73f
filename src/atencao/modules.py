"""A matemática da atenção em PyTorch: a mesma de ``atencao.functional``, agora treinável.

Convenções de todos os módulos:

- a entrada x é (n, d) ou (B, n, d): n tokens de largura d, e quantos eixos de lote à esquerda
  você quiser. O tipo é o dos pesos: float32 ao criar, outro com ``module.to(torch.float64)``;
- ``forward(x, mask)`` dá só o contexto, pelo caminho rápido do PyTorch. Com um eixo de lote, no
  máximo, e sem outra máscara que a causal, ele nunca guarda uma matriz n×n: a memória cresce com
  n, não com n²;
- ``attention(x, mask)`` dá contexto, pesos e pontuações, passo a passo, para ler e desenhar;
- máscara é booleana, True quer dizer "pode atender", e precisa se expandir até as pontuações;
  num módulo causal, ela se soma à causal. Uma consulta que não pode atender a ninguém recebe
  zeros. (Em ``nn.MultiheadAttention``, True quer dizer o contrário.)

NaN ou infinito num token mascarado pode chegar aos outros: o peso dele é 0, mas 0 · NaN é NaN.
Limpe o preenchimento antes, com ``torch.nan_to_num`` ou zeros.

Os dois caminhos somam em ordens diferentes e concordam até o arredondamento, não bit a bit.

Fonte das fórmulas: Vaswani et al. (2017), "Attention Is All You Need", seções 3.1 a 3.3.
"""

import math
from collections.abc import Callable
from copy import deepcopy
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from atencao._arguments import boolean, divisors, positive_integer, real
from atencao.functional import Attention


class _SelfAttention(nn.Module):
    """Da entrada ao contexto por dois caminhos; cada subclasse diz como projeta a entrada."""

    causal = False
    dropout = 0.0

    def __init__(self, d: int):
        super().__init__()
        self.d = positive_integer(d, "d", "a largura dos vetores de entrada")

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As consultas, chaves e valores de x: três tensores de forma (…, n, c)."""
        raise NotImplementedError

    def combine(self, context: Tensor) -> Tensor:
        """O que se faz com o contexto depois de C = AV. Com uma cabeça só, nada."""
        return context

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """O contexto de cada token, (…, n, d) → (…, n, c), pelo caminho rápido.

        Levanta TypeError se x não for um tensor do tipo dos pesos ou a máscara não for
        booleana; ValueError se alguma forma não servir ou algo estiver em outro dispositivo.
        """
        _check_input(x, self)
        query, key, value = self.project(x)
        dropout = self.dropout if self.training else 0.0
        context = _attend(query, key, value, mask, causal=self.causal, dropout=dropout)
        return self.combine(context)

    def attention(self, x: Tensor, mask: Tensor | None = None) -> Attention:
        """Contexto, pesos e pontuações, (…, n, d) → Attention, passo a passo e sem dropout.

        O contexto é o de ``forward``. Levanta os mesmos erros.
        """
        _check_input(x, self)
        query, key, value = self.project(x)
        context, weights, scores = _attend_by_steps(query, key, value, mask, causal=self.causal)
        return Attention(self.combine(context), weights, scores)


class SelfAttentionParameter(_SelfAttention):
    """Autoatenção com as três matrizes à vista: Q = X·Wq, K = X·Wk, V = X·Wv.

    x: (…, n, d), mask: até (…, n, n) → contexto (…, n, c); pesos e pontuações (…, n, n).

    ``W_query``, ``W_key`` e ``W_value`` são ``nn.Parameter`` de forma (d, c), como no papel.

    Fonte: Vaswani et al. (2017), equação 1. Levanta TypeError ou ValueError se d ou c não for
    um inteiro positivo.
    """

    def __init__(self, d: int, c: int):
        super().__init__(d)
        d, c = self.d, positive_integer(c, "c", "a largura das consultas, chaves e valores")
        # Com variância 1/d nos pesos, uma entrada de variância 1 é projetada com variância 1.
        self.W_query = nn.Parameter(torch.randn(d, c) / math.sqrt(d))
        self.W_key = nn.Parameter(torch.randn(d, c) / math.sqrt(d))
        self.W_value = nn.Parameter(torch.randn(d, c) / math.sqrt(d))

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x @ self.W_query, x @ self.W_key, x @ self.W_value


class SelfAttentionLinear(_SelfAttention):
    """A mesma autoatenção, com as projeções em ``nn.Linear``.

    x: (…, n, d), mask: até (…, n, n) → contexto (…, n, c); pesos e pontuações (…, n, n).

    ``query``, ``key`` e ``value`` guardam ``weight`` de forma (c, d), a transposta da que está no
    papel: para copiar de ``SelfAttentionParameter``, use ``W_query.T``.

    Fonte: Vaswani et al. (2017), equação 1. Levanta TypeError ou ValueError se d ou c não for
    um inteiro positivo.
    """

    def __init__(self, d: int, c: int, *, bias: bool = False):
        super().__init__(d)
        d, c = self.d, positive_integer(c, "c", "a largura das consultas, chaves e valores")
        bias = boolean(bias, "bias")
        self.query = nn.Linear(d, c, bias=bias)
        self.key = nn.Linear(d, c, bias=bias)
        self.value = nn.Linear(d, c, bias=bias)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.query(x), self.key(x), self.value(x)


class CausalSelfAttention(SelfAttentionLinear):
    """``SelfAttentionLinear`` em que nenhum token olha para os que vêm depois dele.

    x: (…, n, d), mask: até (…, n, n) → contexto (…, n, c); pesos e pontuações (…, n, n).

    A máscara causal não é parâmetro (nada nela se aprende) nem buffer: o caminho rápido não
    precisa dela, e onde ela é preciso nasce do tamanho de x. Assim não há comprimento máximo.
    """

    causal = True


class MultiHeadAttention(_SelfAttention):
    """h atenções em paralelo, cada uma numa fatia de largura c = d_model / h, e Wo ao final.

    x: (…, n, d_model), mask: até (…, h, n, n) → contexto (…, n, d_model); pesos e pontuações
    (…, h, n, n), uma matriz por cabeça. Uma máscara por sequência tem forma (B, 1, n, n); uma de
    preenchimento, (B, 1, 1, n).

    ``query_key_value`` empilha Wq, Wk e Wv numa camada só, com weight (3·d_model, d_model): um
    produto maior é mais rápido que três, ou que 3h pequenos, e dá os mesmos números. Para
    separá-las, ``query_key_value.weight.chunk(3)``. ``output`` é Wo. ``dropout`` zera pesos ao
    acaso no treino (e só nele); na CPU, com dropout, o PyTorch deixa o caminho de memória linear.

    Fonte: Vaswani et al. (2017), seção 3.2.2. Levanta TypeError ou ValueError se d_model ou
    num_heads não for um inteiro positivo, num_heads não dividir d_model ou dropout não estiver
    em [0, 1).
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        causal: bool = True,
        bias: bool = False,
        dropout: float = 0.0,
    ):
        super().__init__(d_model)
        d_model = self.d
        self.num_heads = positive_integer(num_heads, "num_heads", "o número de cabeças")
        if d_model % self.num_heads:
            raise ValueError(
                f"num_heads = {self.num_heads} não divide d_model = {d_model}: sobrariam "
                f"{d_model % self.num_heads} posições. Use um divisor de {d_model}: "
                f"{divisors(d_model)}."
            )
        self.causal = boolean(causal, "causal")
        self.dropout = _probability(dropout)
        bias = boolean(bias, "bias")
        self.query_key_value = nn.Linear(d_model, 3 * d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention, *, causal: bool) -> Self:
        """Uma cópia de um ``nn.MultiheadAttention``, com os mesmos pesos, tipo e modo.

        O ``in_proj_weight`` de lá é o ``query_key_value.weight`` daqui. ``causal`` é escolha
        sua: o módulo de lá só é causal se recebe a máscara a cada chamada. Aqui o lote
        vem sempre primeiro, seja qual for ``module.batch_first``.

        Levanta TypeError se module for de outra classe; ValueError se usar kdim, vdim,
        add_bias_kv ou add_zero_attn, que não temos.
        """
        _check_class(module, nn.MultiheadAttention)
        if module.in_proj_weight is None or module.bias_k is not None or module.add_zero_attn:
            raise ValueError(
                "só copio um nn.MultiheadAttention de autoatenção comum; este usa kdim, vdim, "
                "add_bias_kv ou add_zero_attn. Crie-o sem essas opções."
            )
        bias = module.in_proj_bias is not None
        copy = cls(
            module.embed_dim, module.num_heads, causal=causal, bias=bias, dropout=module.dropout
        )
        copy.to(module.in_proj_weight).output.load_state_dict(module.out_proj.state_dict())
        with torch.no_grad():
            copy.query_key_value.weight.copy_(module.in_proj_weight)
            if bias:
                copy.query_key_value.bias.copy_(module.in_proj_bias)
        return copy.train(module.training)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As consultas, chaves e valores de cada cabeça: três tensores (…, h, n, c)."""
        stacked = self.query_key_value(x).unflatten(-1, (3, self.num_heads, -1))  # (…, n, 3, h, c)
        query, key, value = stacked.transpose(-2, -4).unbind(-3)  # (…, h, 3, n, c) → (…, h, n, c)
        return query, key, value

    def combine(self, context: Tensor) -> Tensor:
        """Põe as cabeças lado a lado e deixa Wo misturá-las: (…, h, n, c) → (…, n, d_model)."""
        return self.output(context.transpose(-2, -3).flatten(-2))


class FeedForward(nn.Module):
    """A rede que pensa sobre cada token sozinho: alarga, dobra, estreita.

    x: (…, n, d_model) → (…, n, d_model), passando por (…, n, hidden). ``activation`` é qualquer
    função de tensor em tensor da mesma forma; ``F.gelu`` é a do GPT-2, ``F.relu`` a do artigo.

    Fonte: Vaswani et al. (2017), equação 2. Levanta TypeError ou ValueError se as larguras não
    forem inteiros positivos, activation não for chamável ou dropout não estiver em [0, 1).
    """

    def __init__(
        self,
        d_model: int,
        hidden: int,
        *,
        bias: bool = True,
        dropout: float = 0.0,
        activation: Callable[[Tensor], Tensor] = F.gelu,
    ):
        super().__init__()
        self.d = d_model = positive_integer(
            d_model, "d_model", "a largura dos vetores de entrada"
        )
        hidden = positive_integer(hidden, "hidden", "a largura da camada do meio")
        if not callable(activation) or isinstance(activation, type):
            raise TypeError(
                "activation precisa ser uma função, como F.gelu ou nn.GELU(); recebi "
                f"{activation!r}."
            )
        bias = boolean(bias, "bias")
        self.widen = nn.Linear(d_model, hidden, bias=bias)
        self.activation = activation
        self.dropout = nn.Dropout(_probability(dropout))
        self.narrow = nn.Linear(hidden, d_model, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """Levanta TypeError se x não for um tensor do tipo dos pesos; ValueError se não couber."""
        _check_input(x, self)
        return self.narrow(self.dropout(self.activation(self.widen(x))))


class TransformerBlock(nn.Module):
    """Um bloco do transformer: os tokens conversam (atenção) e depois cada um pensa (rede).

    x: (…, n, d_model), mask: até (…, h, n, n) → (…, n, d_model).

    Cada metade soma o que calculou ao que recebeu. Com ``norm_first``, como no GPT-2, a
    normalização vem antes de cada metade: x + f(norm(x)); sem ele, como no artigo de 2017,
    depois da soma: norm(x + f(x)). ``hidden=None`` quer dizer 4·d_model. Com os mesmos pesos,
    ``causal=False`` e a mesma activation, é um ``nn.TransformerEncoderLayer``.

    Fonte: Vaswani et al. (2017), seção 3.1; Radford et al. (2019), seção 2.3, para
    ``norm_first``. Levanta os erros de ``MultiHeadAttention`` e de ``FeedForward``.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        hidden: int | None = None,
        causal: bool = True,
        bias: bool = True,
        dropout: float = 0.0,
        norm_first: bool = True,
        activation: Callable[[Tensor], Tensor] = F.gelu,
    ):
        super().__init__()
        self.multi_head = MultiHeadAttention(
            d_model, num_heads, causal=causal, bias=bias, dropout=dropout
        )
        self.d = d_model = self.multi_head.d
        self.feed_forward = FeedForward(
            d_model,
            4 * d_model if hidden is None else hidden,
            bias=bias,
            dropout=dropout,
            activation=activation,
        )
        self.norm_attention = nn.LayerNorm(d_model, bias=bias)
        self.norm_feed_forward = nn.LayerNorm(d_model, bias=bias)
        self.dropout = nn.Dropout(self.multi_head.dropout)
        self.norm_first = boolean(norm_first, "norm_first")

    @classmethod
    def from_torch(cls, module: nn.TransformerEncoderLayer, *, causal: bool) -> Self:
        """Uma cópia de um ``nn.TransformerEncoderLayer``, com os mesmos pesos, tipo e modo.

        ``causal`` é escolha sua, como em ``MultiHeadAttention.from_torch``.

        Levanta TypeError se module for de outra classe.
        """
        _check_class(module, nn.TransformerEncoderLayer)
        copy = cls(
            module.linear1.in_features,
            module.self_attn.num_heads,
            hidden=module.linear1.out_features,
            causal=causal,
            bias=module.linear1.bias is not None,
            dropout=module.dropout.p,
            norm_first=module.norm_first,
            activation=deepcopy(module.activation),
        ).to(module.linear1.weight)
        copy.multi_head = MultiHeadAttention.from_torch(module.self_attn, causal=causal)
        for ours, theirs in (
            (copy.feed_forward.widen, module.linear1),
            (copy.feed_forward.narrow, module.linear2),
            (copy.norm_attention, module.norm1),
            (copy.norm_feed_forward, module.norm2),
        ):
            ours.load_state_dict(theirs.state_dict())
        copy.norm_attention.eps, copy.norm_feed_forward.eps = module.norm1.eps, module.norm2.eps
        return copy.train(module.training)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Levanta os erros de ``MultiHeadAttention.forward``."""
        _check_input(x, self)
        if self.norm_first:
            x = x + self.dropout(self.multi_head(self.norm_attention(x), mask))
            return x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        x = self.norm_attention(x + self.dropout(self.multi_head(x, mask)))
        return self.norm_feed_forward(x + self.dropout(self.feed_forward(x)))

    def attention(self, x: Tensor, mask: Tensor | None = None) -> Attention:
        """O que as cabeças deste bloco veem em x: o ``attention`` de ``multi_head``.

        O contexto é o da atenção, (…, n, d_model), antes da soma e da rede.
        """
        _check_input(x, self)
        return self.multi_head.attention(self.norm_attention(x) if self.norm_first else x, mask)


def _attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, causal: bool, dropout: float
) -> Tensor:
    # Só com a máscara causal, basta avisar: o núcleo rápido não precisa de matriz nenhuma.
    only_causal = causal and mask is None
    allowed = None if only_causal else _allowed(mask, query, causal=causal)
    if allowed is not None:
        allowed = allowed[(None,) * (max(4, query.ndim) - allowed.ndim)]
    # Os núcleos de memória linear só aceitam 4 eixos; com menos, o PyTorch monta a matriz n×n.
    missing = (None,) * (4 - query.ndim)
    context = F.scaled_dot_product_attention(
        query[missing],
        key[missing],
        value[missing],
        attn_mask=allowed,
        is_causal=only_causal,
        dropout_p=dropout,
    )
    return context.view(*query.shape[:-1], value.shape[-1])


def _attend_by_steps(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, causal: bool
) -> Attention:
    allowed = _allowed(mask, query, causal=causal)
    scores = query @ key.transpose(-1, -2)  # Ω: (…, n, c) por (…, c, n) → (…, n, n)
    scaled = scores / math.sqrt(query.shape[-1])
    if allowed is not None:
        scaled = scaled.masked_fill(~allowed, -math.inf)
    weights = torch.softmax(scaled, dim=-1)  # A: (…, n, n), cada linha soma 1
    if allowed is not None:
        # Numa linha toda proibida o softmax dá 0/0; zero é o que ela deve receber.
        weights = weights.masked_fill(~allowed, 0.0)
    context = weights @ value  # C: (…, n, n) por (…, n, c) → (…, n, c)
    return Attention(context, weights, scores)


def _allowed(mask: Tensor | None, query: Tensor, *, causal: bool) -> Tensor | None:
    if mask is not None:
        _check_mask(mask, query)
    if not causal:
        return mask
    n = query.shape[-2]
    past = query.new_ones(n, n, dtype=torch.bool).tril()  # True na diagonal e abaixo dela
    return past if mask is None else past & mask


def _check_input(x: Tensor, module: nn.Module) -> None:
    _check_tensor(x, "x", "torch.as_tensor(x, dtype=torch.float32)")
    shape = tuple(x.shape)
    if x.ndim < 2:
        raise ValueError(
            f"x tem forma {shape}; espero (n, d) ou (B, n, d), um vetor por token. Se é um token "
            "só, use x[None]."
        )
    if x.shape[-1] != module.d:
        raise ValueError(
            f"x tem vetores de largura {x.shape[-1]} (forma {shape}) e este módulo foi criado para "
            f"largura {module.d}. Confira o último eixo de x ou crie o módulo com {x.shape[-1]}."
        )
    if x.numel() == 0:
        raise ValueError(f"x está vazio (forma {shape}): é preciso ao menos um token.")
    if not x.is_floating_point():
        raise TypeError(
            f"x precisa ser de números reais de ponto flutuante e tem tipo {x.dtype}. Se são ids "
            "de tokens, passe-os antes por nn.Embedding; se são vetores, use x.float()."
        )
    weights = next(module.parameters())
    _check_device(x, "x", weights, "os pesos")
    dtypes = {x.dtype, weights.dtype}
    # autocast converte sozinho, mas não de float64 nem para ele.
    if len(dtypes) > 1 and (
        torch.float64 in dtypes or not torch.is_autocast_enabled(x.device.type)
    ):
        raise TypeError(
            f"x tem tipo {x.dtype} e os pesos, {weights.dtype}. Use x.to({weights.dtype}) ou "
            f"module.to({x.dtype})."
        )


def _check_mask(mask: Tensor, query: Tensor) -> None:
    _check_tensor(mask, "a máscara", "torch.as_tensor(mask)")
    if mask.dtype != torch.bool:
        raise TypeError(
            f"a máscara precisa ser booleana e tem tipo {mask.dtype} (forma {tuple(mask.shape)}). "
            "True quer dizer 'pode atender': compare para obtê-la, como em mask == 1 ou "
            "mask > -torch.inf."
        )
    scores = (*query.shape[:-1], query.shape[-2])
    fits = all(m in (1, s) for m, s in zip(mask.shape[::-1], scores[::-1], strict=False))
    if mask.ndim > len(scores) or not fits:
        raise ValueError(
            f"a máscara tem forma {tuple(mask.shape)} e as pontuações, {scores}: não há como "
            "expandir uma até a outra. Cada eixo, da direita para a esquerda, precisa ser igual "
            "ou 1."
        )
    _check_device(mask, "a máscara", query, "x")


def _check_tensor(x: Tensor, name: str, fix: str) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{name} precisa ser um torch.Tensor e é {type(x).__name__}. Converta com {fix}."
        )
    if x.is_nested or x.layout != torch.strided:
        raise TypeError(
            f"{name} precisa ser um tensor denso. Use .to_dense() num esparso e "
            ".to_padded_tensor(0) num aninhado."
        )


def _check_device(x: Tensor, name: str, other: Tensor, other_name: str) -> None:
    if x.device != other.device:
        raise ValueError(
            f"{name} está em {x.device} e {other_name} em {other.device}. Leve um até o outro, "
            f'como em .to("{other.device}").'
        )


def _check_class(module: nn.Module, expected: type[nn.Module]) -> None:
    if not isinstance(module, expected):
        raise TypeError(
            f"espero um nn.{expected.__name__} e recebi {type(module).__name__}."
        )


def _probability(dropout: float) -> float:
    probability = real(dropout, "dropout")
    if not 0 <= probability < 1:
        raise ValueError(
            f"dropout é a fração de pesos zerada no treino e precisa estar em [0, 1); recebi "
            f"{probability}."
        )
    return probability
