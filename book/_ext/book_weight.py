"""O que deixa as páginas leves para quem tem pouca conexão.

Uma folha de estilo só, no lugar das nove que o tema e as extensões pedem: numa rede lenta, cada
arquivo é uma espera. O esbuild as junta e o purgecss tira o que nenhuma página usa.
"""

from pathlib import Path

from PIL import Image

import node_tools

STATIC = "_static"
ALL_STYLES = f"{STATIC}/livro.css"
THEME_STYLES = ["styles/theme.css", "styles/pydata-sphinx-theme.css"]
SOME_PAGES = ("explorers/", "quiz/")  # só onde são precisos; ficam fora da folha comum


def start(app):
    app.env.settings["image_loading"] = "lazy"  # atencao.js as adianta, se a conexão for boa
    app.book_styles = {}


def reserve_space(app, pagename, templatename, context, doctree):
    """Diz o tamanho de cada figura, para que o texto não pule quando ela chegar."""
    if doctree is None:
        return
    for path, name in app.builder.images.items():
        tag = f'src="{context["pathto"](f"{app.builder.imagedir}/{name}", 1)}"'
        if tag in context["body"]:
            with Image.open(Path(app.srcdir, path)) as image:
                width, height = image.size
            sized = f'{tag} width="{width}" height="{height}"'
            context["body"] = context["body"].replace(tag, sized)


def gather_styles(app, pagename, templatename, context, doctree):
    names = [
        str(style.filename).removeprefix(f"{STATIC}/").split("?")[0]
        for style in context["css_files"] if getattr(style, "filename", None)
    ]
    context["own_styles"] = [name for name in names if name.startswith(SOME_PAGES)]
    app.book_styles.update(dict.fromkeys(n for n in names if not n.startswith(SOME_PAGES)))


def join_styles(app, exception):
    # Sem página refeita, nada foi copiado: a folha da construção anterior ainda vale.
    if exception or app.builder.format != "html" or not app.book_styles:
        return
    folder = str(Path(app.outdir, STATIC).resolve())
    styles = list(dict.fromkeys([*THEME_STYLES, *app.book_styles]))
    node_tools.call(
        "join_styles.mjs", {"folder": folder, "styles": styles, "target": "livro.css"}
    )
    node_tools.run(
        "purgecss/bin/purgecss.js", "--css", ALL_STYLES, "--output", ALL_STYLES, "--content",
        "**/*.html", "_static/*.js", "_static/scripts/pydata-sphinx-theme.js", cwd=app.outdir,
    )


def setup(app):
    app.connect("builder-inited", start)
    app.connect("html-page-context", reserve_space)
    app.connect("html-page-context", gather_styles, priority=950)  # depois de book_shell
    app.connect("build-finished", join_styles, priority=900)  # depois de todos os arquivos
    return {"parallel_read_safe": True, "parallel_write_safe": False}
