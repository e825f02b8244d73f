"""A linguagem visual: contraste, daltonismo, texto alternativo."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from atencao import figures
from colours import contrast, linear_rgb

mpl.use("Agg")

DARK_PAPER = "#14171D"
# Machado, Oliveira e Fernandes (2009), severidade 1, em RGB linear.
VISION = {
    "comum": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}


def lab(rgb):
    """CIELAB, iluminante D65, de um RGB linear."""
    to_xyz = np.array([
        [0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505],
    ])
    x, y, z = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    fx, fy, fz = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


PALETTES = pytest.mark.parametrize(
    ("palette", "paper"),
    [(figures.PALETTE, figures.PAPER), (figures.PALETTE_DARK, DARK_PAPER)],
    ids=["clara", "escura"],
)


@PALETTES
def test_role_colours_can_be_read_as_text(palette, paper):
    assert min(contrast(color, paper) for color in palette.values()) >= 4.5


@PALETTES
@pytest.mark.parametrize("vision", VISION)
def test_role_colours_stay_apart_for_colour_blind_readers(palette, paper, vision):
    seen = [lab(VISION[vision] @ linear_rgb(color)) for color in palette.values()]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 15


def test_ticks_carry_a_decimal_comma(monkeypatch):
    monkeypatch.setattr(figures, "display", lambda *args, **kwargs: None)
    fig, ax = plt.subplots()
    ax.plot([0, 0.5, 1])
    figures.show(fig, alt="Uma reta que sobe de zero a um, para conferir a vírgula dos eixos.")
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert "0,4" in labels
    assert not any("." in label for label in labels)


def test_ink_and_muted_text_can_be_read_on_paper():
    assert contrast(figures.INK, figures.PAPER) >= 7
    assert contrast(figures.MUTED, figures.PAPER) >= 4.5


@pytest.mark.parametrize("cmap", [figures.WEIGHTS_MAP, figures.SIGNED_MAP], ids=lambda c: c.name)
def test_numbers_in_heatmap_cells_can_be_read(cmap):
    for level in np.linspace(0, 1, 101):
        cell = cmap(level)
        assert contrast(figures._readable_on(cell), cell[:3]) >= 4.5, level


@pytest.mark.parametrize(("number", "digits", "text"), [
    (0.5174, 2, "0,52"), (-0.8, 1, "−0,8"), (-0.0001, 2, "0,00"), (3, 0, "3"),
    (-np.inf, 2, "−∞"),
])
def test_numbers_are_written_the_brazilian_way(number, digits, text):
    assert figures.br(number, digits) == text


def test_a_figure_needs_a_description_and_is_closed(capsys):
    fig, _ = plt.subplots()
    with pytest.raises(TypeError, match="alt precisa ser um texto"):
        figures.show(fig, alt=None)
    with pytest.raises(ValueError, match="texto alternativo tem 9"):
        figures.show(fig, alt="um título")
    figures.show(fig, alt="Uma figura vazia, que serve só para conferir que o texto é dito.")
    assert not plt.get_fignums()
    assert "serve só para conferir" in capsys.readouterr().out


def test_heatmap_wants_one_label_per_row_and_column():
    with pytest.raises(ValueError, match=r"\(2, 3\) e há 2 rótulos de linha e 2"):
        figures.heatmap(np.ones((2, 3)), rows="ab", columns="cd")
    ax = figures.heatmap([[0.25, -1.0]], rows=["a"], columns=["b", "c"], signed=True)
    assert [t.get_text() for t in ax.texts] == ["0,25", "−1,00"]


@pytest.mark.parametrize("draw", [
    lambda ax: figures.arrow(ax, (1, 1), "q", role="consulta"),
    lambda ax: figures.arcs(ax, ["a"], [1], 0, role="consulta"),
    lambda ax: figures.box(ax, (0, 0), "q", role="consulta"),
])
def test_a_role_without_colour_is_refused_with_the_ones_there_are(draw):
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="'consulta'; os papéis são query, key"):
        draw(ax)
    plt.close("all")


def test_arcs_want_one_weight_per_token():
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="há 2 tokens"):
        figures.arcs(ax, ["a", "b"], [0.1, 0.2, 0.7], 0)


@pytest.mark.parametrize("height", [1.2, 2.5, 6.0])
def test_no_arc_leaves_the_axes_whatever_their_height(height):
    fig, ax = plt.subplots(figsize=(figures.WIDTH, height))
    figures.arcs(ax, list("abcdefghi"), np.full(9, 1 / 9), query=8)
    fig.canvas.draw()
    assert len(ax.patches) == 8
    for arc in ax.patches:
        assert arc.get_path().transformed(arc.get_transform()).get_extents().y1 < ax.bbox.y1
    plt.close(fig)
