"""As figuras do livro: uma paleta, uma tipografia, poucos desenhos usados muitas vezes.

Cada papel tem uma cor, a mesma na prosa, nas figuras e nas tabelas; nenhuma cor fala sozinha:
o rótulo diz o mesmo. Toda figura termina em ``show(fig, alt=…)``, que exige o texto que um
leitor de tela dirá.
"""

import io
from collections.abc import Sequence
from pathlib import Path

import font_source_sans_pro
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch
from matplotlib.path import Path as Curve
from matplotlib.ticker import ScalarFormatter
from matplotlib.transforms import offset_copy
from numpy.typing import ArrayLike
from PIL import Image

PALETTE = {
    "query": "#0A3F85",
    "key": "#7E2C0C",
    "value": "#1B7F72",
    "weights": "#B52DBB",
    "context": "#77721A",
}
PALETTE_DARK = {  # a página escura do livro; as figuras têm sempre o papel claro
    "query": "#9CC3F7",
    "key": "#F0703A",
    "value": "#2FDDAA",
    "weights": "#CB73F7",
    "context": "#F5E663",
}
INK, MUTED, RULE, PAPER = "#1F2430", "#5A6170", "#D5D2C8", "#FCFBF8"
WIDTH = 7.2  # polegadas: toda figura tem a largura da coluna de texto

WEIGHTS_MAP = LinearSegmentedColormap.from_list("pesos", [PAPER, "#E7BDEA", "#B52DBB", "#521056"])
SIGNED_MAP = LinearSegmentedColormap.from_list(
    "sinal", ["#0A3F85", "#86AEDF", PAPER, "#E3A184", "#7E2C0C"]
)


def use_style() -> None:
    """Aplica ao matplotlib a tipografia e as cores do livro. Chame uma vez por caderno."""
    for font in Path(font_source_sans_pro.__file__).parent.glob("files/*.ttf"):
        font_manager.fontManager.addfont(font)
    plt.rcParams.update({
        "font.family": ["Source Sans Pro", "DejaVu Sans"],
        "font.size": 11,
        "mathtext.fontset": "dejavusans",
        "figure.figsize": (WIDTH, 3.6),
        "figure.facecolor": PAPER,
        "figure.constrained_layout.use": True,
        "figure.constrained_layout.w_pad": 0.12,
        "figure.constrained_layout.h_pad": 0.12,
        "savefig.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.titlesize": 12,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.prop_cycle": plt.cycler(color=list(PALETTE.values())),
        "grid.color": RULE,
        "grid.linewidth": 0.6,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "lines.linewidth": 2,
        "legend.frameon": False,
    })


def show(fig: Figure, *, alt: str) -> None:
    """Mostra a figura com o texto alternativo ``alt`` e a fecha.

    O mesmo texto vai como saída em texto: leitores de tela o dizem, o terminal o imprime e os
    testes o comparam. Então escreva nele o que a figura mostra, com os números calculados.

    Levanta ValueError se alt tiver menos de 40 caracteres: isso é um título, não uma descrição.
    Levanta TypeError se alt não for texto.
    """
    if not isinstance(alt, str):
        raise TypeError(f"alt precisa ser um texto que descreva a figura; recebi {alt!r}.")
    if len(alt) < 40:
        raise ValueError(
            f"o texto alternativo tem {len(alt)} caracteres; diga, em uma ou duas frases, o que a "
            "figura mostra a quem não a vê."
        )
    _write_ticks_with_comma(fig)
    png = _light_png(fig)
    plt.close(fig)
    display(
        {"image/png": png, "text/plain": alt},
        metadata={"image/png": {"alt": alt, "width": round(fig.get_figwidth() * 100)}},
        raw=True,
    )


def _light_png(fig: Figure) -> bytes:
    """A figura em 64 cores: um terço do tamanho, sem diferença que se veja."""
    full, light = io.BytesIO(), io.BytesIO()
    fig.savefig(full, format="png", dpi=136)
    colors = Image.open(full).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    colors.save(light, format="PNG", optimize=True)
    return light.getvalue()


class _CommaFormatter(ScalarFormatter):
    def __call__(self, x, pos=None):
        return super().__call__(x, pos).replace(".", ",")


def _write_ticks_with_comma(fig: Figure) -> None:
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(_CommaFormatter())


def br(number: float, digits: int = 2) -> str:
    """Escreve um número como se escreve em português: br(-0.5174) → "−0,52"; −inf → "−∞"."""
    text = f"{round(float(number), digits) + 0.0:.{digits}f}".replace("inf", "∞")
    return text.replace("-", "−").replace(".", ",")


def heatmap(
    matrix: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    ax: Axes | None = None,
    title: str = "",
    digits: int | None = 2,
    signed: bool = False,
    limit: float | None = None,
    row_label: str = "",
    column_label: str = "",
) -> Axes:
    """Uma matriz como quadriculado, com o número escrito em cada célula.

    matrix: (linhas, colunas). ``signed`` usa azul para negativo e laranja para positivo, com o
    zero na cor do papel; sem ele, de 0 (papel) ao máximo (roxo dos pesos). ``limit`` fixa o
    máximo da escala, para comparar figuras. ``digits=None`` esconde os números. Devolve os eixos.

    Levanta ValueError se rows ou columns não tiverem um rótulo por linha e por coluna.
    """
    matrix = np.asarray(matrix, dtype=float)
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(
            f"a matriz tem forma {matrix.shape} e há {len(rows)} rótulos de linha e "
            f"{len(columns)} de coluna."
        )
    if ax is None:
        side = WIDTH / max(len(columns) + 2, 6)
        _, ax = plt.subplots(figsize=(WIDTH, max(side * len(rows) + 0.9, 1.6)))
    limit = limit or float(np.abs(matrix).max()) or 1.0
    norm = TwoSlopeNorm(0, -limit, limit) if signed else Normalize(0, limit)
    cmap = SIGNED_MAP if signed else WEIGHTS_MAP
    ax.imshow(matrix, cmap=cmap, norm=norm, aspect="equal")
    for row, column in np.ndindex(matrix.shape):
        number = matrix[row, column]
        if digits is not None:
            color = _readable_on(cmap(norm(number)))
            ax.text(column, row, br(number, digits), ha="center", va="center", color=color)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0, colors=INK)
    ax.set_xlabel(column_label, labelpad=9)
    ax.set_ylabel(row_label, labelpad=6)
    ax.xaxis.label.set_color(MUTED)
    ax.yaxis.label.set_color(MUTED)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=PAPER, linewidth=2)
    ax.tick_params(which="minor", length=0)
    if title:
        ax.set_title(title, pad=10)
    return ax


def arrow(ax: Axes, vector: ArrayLike, label: str, *, role: str, start: ArrayLike = (0, 0)) -> None:
    """Um vetor do plano como seta com rótulo, na cor de seu papel (uma chave de PALETTE)."""
    start, end = np.asarray(start, dtype=float), np.asarray(vector, dtype=float)
    color = _color_of(role)
    ax.annotate("", end, start, arrowprops={
        "arrowstyle": "-|>", "color": color, "linewidth": 2.2, "shrinkA": 0, "shrinkB": 0,
        "mutation_scale": 16,
    })
    outward = (end - start) / (np.linalg.norm(end - start) or 1)
    ax.annotate(
        label, end, outward * 9, textcoords="offset points", color=color, weight="bold",
        ha="left" if outward[0] >= 0 else "right", va="bottom" if outward[1] >= 0 else "top",
    )


def plane(ax: Axes, limit: float = 1.0, *, labels: tuple[str, str] = ("", "")) -> Axes:
    """Prepara um plano quadrado, de −limit a limit, com os eixos cruzados na origem."""
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), xlabel=labels[0], ylabel=labels[1])
    ax.set_aspect("equal")
    ax.axhline(0, color=MUTED, linewidth=0.8)
    ax.axvline(0, color=MUTED, linewidth=0.8)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def arcs(
    ax: Axes, tokens: Sequence[str], weights: ArrayLike, query: int, *, role: str = "weights"
) -> Axes:
    """Uma linha de A como arcos sobre a frase, da consulta a cada token e a si mesma.

    weights: (n,). A espessura do arco e o número sob cada token dizem o peso.

    Levanta ValueError se não houver um peso por token.
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(tokens),):
        raise ValueError(f"há {len(tokens)} tokens e os pesos têm forma {weights.shape}.")
    color = _color_of(role)
    under = {"textcoords": "offset points", "ha": "center", "va": "top"}
    for position, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
        chosen = position == query
        ax.annotate(token, (position, 0), (0, -4), **under, size=13,
                    color=PALETTE["query"] if chosen else INK,
                    weight="bold" if chosen else "normal")
        ax.annotate(br(weight), (position, 0), (0, -22), **under, size=11, color=color)
        thickness = 0.4 + 9 * weight
        if chosen and weight > 0:
            above = offset_copy(ax.transData, ax.figure, y=13, units="points")
            ax.plot(position, 0, "o", markersize=15, markerfacecolor="none", alpha=0.8,
                    markeredgecolor=color, markeredgewidth=thickness, transform=above,
                    clip_on=False)
        elif weight > 0:
            start, end = query + (0.07 if position > query else -0.07), position
            peak = 0.04 + 0.5 * abs(end - start)  # a curva chega à metade do ponto que a puxa
            curve = Curve([(start, 0.04), ((start + end) / 2, peak), (end, 0.04)],
                          [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3])
            ax.add_patch(PathPatch(curve, facecolor="none", edgecolor=color, linewidth=thickness,
                                   alpha=0.8, capstyle="round", clip_on=False))
    # Curvas nas unidades dos eixos, e não da tela: a mais longa cabe em qualquer altura.
    reach = max(query, len(tokens) - 1 - query, 1)
    ax.set(xlim=(-0.6, len(tokens) - 0.4), ylim=(0, 0.1 + 0.25 * reach))
    ax.axis("off")
    return ax


def box(
    ax: Axes, center: tuple[float, float], text: str, *, role: str | None = None,
    width: float = 1.6, height: float = 0.6,
) -> None:
    """Uma caixa de diagrama com texto, na cor de um papel ou neutra."""
    x, y = center
    color = _color_of(role) if role else MUTED
    ax.add_patch(FancyBboxPatch(
        (x - width / 2, y - height / 2), width, height,
        boxstyle="round,pad=0,rounding_size=0.1", facecolor=PAPER, edgecolor=color, linewidth=1.6,
    ))
    ax.text(x, y, text, ha="center", va="center", color=color if role else INK, linespacing=1.25)


def flow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], label: str = "",
    *, bend: float = 0.0,
) -> None:
    """Uma seta de diagrama de um ponto a outro, com rótulo opcional no meio."""
    ax.add_patch(FancyArrowPatch(
        start, end, arrowstyle="-|>", mutation_scale=12, color=MUTED, linewidth=1.3,
        connectionstyle=f"arc3,rad={bend}", shrinkA=0, shrinkB=0,
    ))
    if label:
        middle = (np.asarray(start) + np.asarray(end)) / 2
        ax.annotate(
            label, middle, (6, 0), textcoords="offset points", color=MUTED, size=10, va="center"
        )


def diagram(width: float, height: float) -> tuple[Figure, Axes]:
    """Uma folha em branco para ``box`` e ``flow``: x de 0 a width, y de 0 a height."""
    fig, ax = plt.subplots(figsize=(WIDTH, WIDTH * height / width))
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.set_aspect("equal")
    ax.axis("off")
    return fig, ax


def _color_of(role: str) -> str:
    if role not in PALETTE:
        raise ValueError(f"não há cor para {role!r}; os papéis são {', '.join(PALETTE)}.")
    return PALETTE[role]


def _readable_on(rgba: tuple[float, ...]) -> str:
    """Preto ou branco, o que contrastar mais: assim há sempre ao menos 4,5:1 (WCAG 2.2)."""
    rgb = np.asarray(rgba[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"
