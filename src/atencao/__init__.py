"""Atenção, passo a passo: o pacote que os cadernos do curso compartilham.

Importar ``atencao`` carrega apenas NumPy. PyTorch e matplotlib entram quando você importa
``atencao.modules`` e ``atencao.figures``.
"""

from atencao.functional import (
    Attention,
    attention_scores,
    attention_weights,
    causal_mask,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

__all__ = [
    "Attention",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "merge_heads",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
]
