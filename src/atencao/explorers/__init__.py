"""Exploradores: figuras vivas, as mesmas na página estática e no JupyterLab."""

from atencao.explorers.dot_product import DotProduct
from atencao.explorers.five_products import FiveProducts
from atencao.explorers.mask import Mask
from atencao.explorers.multi_head import MultiHead
from atencao.explorers.projection import Projection
from atencao.explorers.scale import Scale

__all__ = ["DotProduct", "FiveProducts", "Mask", "MultiHead", "Projection", "Scale"]
