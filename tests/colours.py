"""O contraste entre duas cores, como o mede a WCAG 2.2."""

import numpy as np
from matplotlib.colors import to_rgb


def linear_rgb(colour):
    """RGB linear de uma cor que o Matplotlib entenda: "#0A3F85", (r, g, b) de 0 a 1."""
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """Razão de contraste, de 1 a 21."""
    light, dark = sorted((linear_rgb(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
