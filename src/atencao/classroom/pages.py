"""As páginas que a correção escreve: uma para cada aluno, uma da turma. HTML sem script nenhum.

Tudo o que veio de um aluno passa por ``text``, que o escapa.
"""

import html
from collections.abc import Iterable, Sequence

STYLE = """
:root{color-scheme:light dark;--paper:#fcfbf8;--sheet:#f5f2ea;--ink:#1f2430;--muted:#5a6170;
--rule:#e2ded3;--accent:#0a3f85;--good:#1b7f72;--half:#77721a;--bad:#7e2c0c;--bar:#b52dbb}
@media (prefers-color-scheme:dark){:root{--paper:#16181d;--sheet:#1f2229;--ink:#e8e6df;
--muted:#a9afbb;--rule:#3a3e48;--accent:#9cc3f7;--good:#2fddaa;--half:#f5e663;--bad:#f0703a;
--bar:#cb73f7}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:46rem;background:var(--paper);
color:var(--ink);font:1rem/1.55 "Source Sans 3","Source Sans Pro",system-ui,sans-serif}
body.wide{max-width:66rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}
p{margin:.5rem 0}.muted{color:var(--muted)}
.question{background:var(--sheet);border:1px solid var(--rule);border-left:.4rem solid var(--edge);
border-radius:4px;padding:.7rem 1rem;margin:1rem 0}
.question h2{margin:0;font-size:1.1rem;display:flex;gap:1rem;justify-content:space-between}
.certo{--edge:var(--good)}.parte{--edge:var(--half)}.errado{--edge:var(--bad)}
.branco,.mao{--edge:var(--muted)}
.branco,.mao{border-left-style:dotted}.errado{border-left-style:double}
.points{white-space:nowrap;font-variant-numeric:tabular-nums}
dl{margin:.4rem 0 0}dt{font-weight:600;margin-top:.4rem}dd{margin:0;overflow-wrap:anywhere}
ul{padding-left:1.2rem}li{margin:.3rem 0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem .3rem 0;
border-bottom:1px solid var(--rule);vertical-align:top}td.n,th.n{text-align:right;
white-space:nowrap;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}.alike{display:grid;gap:.8rem;
grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}.alike>div{min-width:0}
pre{background:var(--sheet);border:1px solid var(--rule);padding:.6rem;overflow:auto;
max-height:24rem;font:.85rem/1.4 ui-monospace,monospace}
svg{width:100%;height:auto;font:12px system-ui,sans-serif}svg text{fill:var(--ink)}
svg .quiet{fill:var(--muted)}svg rect{fill:var(--bar)}svg line{stroke:var(--rule)}
a{color:var(--accent)}summary{cursor:pointer}
"""
CLASSES = {
    "certo": "certo", "em parte": "parte", "errado": "errado", "em branco": "branco",
    "à mão": "mao",
}


def text(value: object) -> str:
    return html.escape(str(value).encode("utf-8", "replace").decode("utf-8"), quote=True)


def br(number: float) -> str:
    """7.5 → "7,5"; 8.0 → "8"."""
    return f"{round(number, 2):g}".replace(".", ",")


def page(title: str, body: str, *, wide: bool = False) -> str:
    return (
        '<!doctype html>\n<html lang="pt-BR">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f'<body{" class=wide" if wide else ""}>\n<main>\n{body}</main>\n</body>\n</html>\n'
    )


# ── A página do aluno ───────────────────────────────────────────────────────────────────────────


def student_page(title: str, record: dict) -> str:
    """Só o que é deste aluno, e só o que o ajuda: nem teste escondido, nem solução."""
    questions = record["questions"]
    body = [f"<h1>{text(record['student'])}</h1>\n<p class=muted>{text(title)}</p>\n"]
    body.append(f"<p>{_total(questions)}</p>\n")
    notes = [*record["submission_notes"], *record["notes"]]
    if notes:
        body.append("<h2>O que aconteceu com o seu caderno</h2>\n" + bullets(notes))
    if record["errors"]:
        body.append("<h2>Células que pararam com erro</h2>\n" + bullets(
            [error_line(error) for error in record["errors"]]
        ))
    body.append("<h2>Questão por questão</h2>\n")
    body += [_question(question) for question in questions]
    return page(f"{record['student']}: {title}", "".join(body))


def error_line(error: dict) -> str:
    line = f", linha {error['line']}" if error["line"] else ""
    message = f": {error['message']}" if error["message"] else ""
    return f"{error['cell'].capitalize()}{line}: {error['kind']}{message}"


def _total(questions: Sequence[dict]) -> str:
    most = sum(question["max"] for question in questions)
    waiting = sum(question["max"] for question in questions if question["points"] is None)
    got = sum(question["points"] or 0 for question in questions)
    if waiting:
        return (
            f"<strong>{br(got)} de {br(most - waiting)} pontos</strong>, e mais {br(waiting)} que "
            "dependem da leitura do professor."
        )
    return f"<strong>{br(got)} de {br(most)} pontos.</strong>"


def _question(question: dict) -> str:
    points = "?" if question["points"] is None else br(question["points"])
    parts = [
        f'<section class="question {CLASSES[question["state"]]}">\n<h2><span>'
        f'{text(question["title"])}</span><span class=points>{points} de {br(question["max"])}'
        f'</span></h2>\n<p class=muted>{text(_state(question))}</p>\n'
    ]
    if question["replaced"]:
        names = ", ".join(f"<code>{text(name)}</code>" for name in question["replaced"])
        parts.append(f"<p>Esta questão usa {names}, de uma questão anterior que não deu certo. "
                     "Corrigi esta com a nossa versão no lugar: o erro de lá não conta aqui.</p>\n")
    if question["late"]:
        parts.append("<p>A resposta estava numa célula depois do teste. Corrigi-a mesmo assim."
                     "</p>\n")
    for result in question["results"]:
        if result["state"] != "certo":
            parts.append(_result(result))
    if question["message"]:
        parts.append(f"<p>{text(question['message'])}</p>\n")
    if question.get("comment"):
        parts.append(f"<p><strong>O professor:</strong> {text(question['comment'])}</p>\n")
    return "".join(parts) + "</section>\n"


def _state(question: dict) -> str:
    return {
        "certo": "Certo.", "em parte": "Certo em parte.", "errado": "Ainda não.",
        "em branco": "Sem resposta.", "à mão": "O professor vai ler.",
    }[question["state"]]


def _result(result: dict) -> str:
    rows = "".join(
        f"<dt>{text(label)}</dt><dd>{text(content).replace(chr(10), '<br>')}</dd>"
        for label, content in result["notes"]
    )
    return (
        f"<p><strong><code>{text(result['name'])}</code>: {text(result['state'])}.</strong> "
        f"{text(result['title'])}</p>\n" + (f"<dl>{rows}</dl>\n" if rows else "")
    )


def bullets(items: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"<li>{text(item)}</li>\n" for item in items) + "</ul>\n"


# ── Figuras: barras em SVG, com a mesma informação em texto ─────────────────────────────────────


def columns(labels: Sequence[str], counts: Sequence[int], *, alt: str) -> str:
    """Um histograma em pé."""
    width, height, top = 640, 200, max([*counts, 1])
    step = width / max(len(counts), 1)
    drawn = [f'<line x1="0" y1="{height}" x2="{width}" y2="{height}"/>']
    for i, (label, count) in enumerate(zip(labels, counts, strict=True)):
        tall = round(count / top * (height - 25), 1)
        x, middle = round(i * step + 4, 1), round((i + 0.5) * step, 1)
        if count:
            drawn.append(f'<rect x="{x}" y="{height - tall}" width="{round(step - 8, 1)}" '
                         f'height="{tall}"/><text x="{middle}" y="{height - tall - 5}" '
                         f'text-anchor="middle">{count}</text>')
        drawn.append(f'<text class="quiet" x="{middle}" y="{height + 16}" text-anchor="middle">'
                     f"{text(label)}</text>")
    return _svg(width, height + 24, drawn, alt)


def bars(rows: Sequence[tuple[str, float, str]], *, alt: str, most: float) -> str:
    """Barras deitadas: (rótulo, tamanho, o número por extenso)."""
    row, width = 40, 640
    drawn = []
    for i, (label, size, shown) in enumerate(rows):
        long = round(size / (most or 1) * (width - 90), 1)
        drawn.append(
            f'<text x="0" y="{i * row + 14}">{text(_short(label))}</text>'
            f'<rect x="0" y="{i * row + 19}" width="{max(long, 1)}" height="12"/>'
            f'<text class="quiet" x="{max(long, 1) + 6}" y="{i * row + 30}">{text(shown)}</text>'
        )
    return _svg(width, row * max(len(rows), 1), drawn, alt)


def _short(label: str) -> str:
    return label if len(label) <= 90 else label[:89] + "…"


def _svg(width: int, height: int, drawn: Sequence[str], alt: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{text(alt)}">'
        + "".join(drawn) + "</svg>\n"
    )


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: frozenset[int] = frozenset()
) -> str:
    """Uma tabela; as colunas de ``numbers`` alinham à direita. As células já são HTML seguro."""
    def tag(i: int) -> str:
        return " class=n" if i in numbers else ""

    top = "".join(f"<th scope=col{tag(i)}>{text(name)}</th>" for i, name in enumerate(head))
    lines = "".join(
        "<tr>" + "".join(f"<td{tag(i)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>\n"
        for row in rows
    )
    return (
        f"<div class=scroll><table><thead><tr>{top}</tr></thead><tbody>\n{lines}</tbody></table>"
        "</div>\n"
    )
