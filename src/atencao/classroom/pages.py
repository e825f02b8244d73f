"""As páginas que a correção escreve: uma para cada aluno, uma da turma. HTML sem script nenhum.

Tudo o que veio de um aluno passa por ``text``, que o escapa.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from atencao.classroom.assignment import short

STYLE = """
:root{color-scheme:light dark;--paper:#fcfbf8;--sheet:#f5f2ea;--ink:#1f2430;--muted:#5a6170;
--rule:#e2ded3;--accent:#0a3f85;--good:#1b7f72;--half:#77721a;--bad:#7e2c0c;--bar:#b52dbb}
@media (prefers-color-scheme:dark){:root{--paper:#16181d;--sheet:#1f2229;--ink:#e8e6df;
--muted:#a9afbb;--rule:#3a3e48;--accent:#9cc3f7;--good:#2fddaa;--half:#f5e663;--bad:#f0703a;
--bar:#cb73f7}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2.5rem clamp(1.1rem,4vw,2.5rem) 5rem;max-width:50rem;
background:var(--paper);color:var(--ink);overflow-wrap:anywhere;
font:1.0625rem/1.6 "Source Sans 3","Source Sans Pro",system-ui,sans-serif}
body.wide{max-width:72rem}
h1,h2,h3{font-weight:600;line-height:1.2}h1,h2{text-wrap:balance}
h1{font-size:clamp(1.9rem,1.5rem + 2vw,2.5rem);letter-spacing:-.018em;margin:.2rem 0 .6rem}
h2{font-size:1.5rem;letter-spacing:-.01em;margin:3rem 0 .8rem}
h3{font-size:1.15rem;margin:0}
p{margin:.6rem 0;max-width:72ch}ul{margin:.6rem 0;padding-left:1.2rem;max-width:72ch}
li{margin:.35rem 0}.muted,caption{color:var(--muted)}strong{font-weight:600}
code,pre{font-family:ui-monospace,"SFMono-Regular",Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.88em;padding:.08em .25em;border-radius:4px;background:var(--sheet)}
.question code{background:var(--paper)}
a{color:inherit;text-decoration-color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
.kicker{margin:0;color:var(--muted)}.score{font-size:1.2rem;margin:.6rem 0 .2rem}
.score strong{font-size:1.5rem}.tally{margin:0;color:var(--muted)}
.question{background:var(--sheet);border:1px solid var(--rule);border-left:.4rem solid var(--edge);
border-radius:4px;padding:.8rem 1.1rem;margin:.8rem 0}
.top{display:flex;flex-wrap:wrap;gap:.1rem 1.5rem;align-items:baseline;
justify-content:space-between}
.mark{margin:0;display:flex;gap:1rem;white-space:nowrap}.mark span span{color:var(--edge)}
.points{font-weight:600;font-variant-numeric:tabular-nums}
.certo{--edge:var(--good)}.parte{--edge:var(--half)}.errado{--edge:var(--bad)}
.branco,.mao{--edge:var(--muted)}
.branco,.mao{border-left-style:dotted}.errado{border-left-style:double}
.notice{--edge:var(--bad);margin-top:2rem}.notice h2{margin:.2rem 0 .6rem}
dl{margin:.5rem 0 .2rem;display:grid;gap:.3rem 1.2rem;grid-template-columns:10.5rem minmax(0,1fr)}
dt{color:var(--muted)}dd{margin:0}
table{border-collapse:collapse;width:100%}caption{text-align:left;padding:0 0 .5rem}
th,td{text-align:left;padding:.5rem 1.2rem .5rem 0;border-bottom:1px solid var(--rule);
vertical-align:top;font-weight:400}thead th{color:var(--muted);font-size:.95rem}
td.n,th.n{padding-right:0;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.chart th{line-height:1.4}.chart td{width:1%;vertical-align:bottom;line-height:1.2}
.bar{display:block;height:.6rem;margin-top:.3rem;border-radius:2px;overflow:hidden;
background:var(--rule)}
.bar i{display:block;height:100%;background:var(--bar);forced-color-adjust:none;
print-color-adjust:exact}
.slim .line{display:flex;gap:.8rem;align-items:center}
.slim .line>span:first-child{flex:0 0 5.2rem;font-variant-numeric:tabular-nums}
.slim .bar{flex:1;margin:0}.slim :is(th,td){padding-block:.28rem;border:0;
vertical-align:middle}
.side{display:grid;gap:0 3.5rem}
@media (min-width:60rem){.side{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}}
@media (min-width:40.01rem){.people th:first-child{width:22%}.people .n{padding-right:1.8rem}}
.alike{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}
.alike>div{min-width:0}
pre{background:var(--sheet);border-left:3px solid var(--rule);padding:.8rem 1rem;overflow:auto;
max-height:24rem;font-size:.85rem;line-height:1.5;overflow-wrap:normal}
summary{cursor:pointer;font-weight:600;padding:.3rem 0}
td ul{margin:0;padding:0;list-style:none}td li{margin:0 0 .3rem}
@media (max-width:40rem){dl{display:block}dt{margin-top:.6rem}
.people thead{position:absolute;clip-path:inset(50%)}.people :is(table,tbody){display:block}
.people tr{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 1rem;padding:.5rem 0;
border-bottom:1px solid var(--rule)}.people :is(th,td){padding:.1rem 0;border:0}
.people td:last-child{grid-column:1/-1;color:var(--muted)}.people td:empty{display:none}}
"""
CLASSES = {
    "certo": "certo", "em parte": "parte", "errado": "errado", "em branco": "branco",
    "à mão": "mao",
}
SIGNS = {"certo": "✓", "em parte": "◐", "errado": "✗", "em branco": "○"}
STATES = {
    "certo": "Certo", "em parte": "Certo em parte", "errado": "Ainda não",
    "em branco": "Sem resposta", "à mão": "O professor vai ler",
}
TALLIES = {  # (uma, várias)
    "certo": ("certa", "certas"), "em parte": ("certa em parte", "certas em parte"),
    "errado": ("ainda não", "ainda não"), "em branco": ("sem resposta", "sem resposta"),
    "à mão": ("para o professor ler", "para o professor ler"),
}


def text(value: object) -> str:
    return html.escape(str(value).encode("utf-8", "replace").decode("utf-8"), quote=True)


def marked(value: object) -> str:
    """O texto, com o que estava entre crases como código."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text(value))


def br(number: float) -> str:
    """7.5 → "7,5"; 8.0 → "8"."""
    return f"{round(number, 2):g}".replace(".", ",")


def labels(titles: Sequence[str]) -> list[str]:
    """Os títulos das questões; os que se repetem ganham o número da parte."""
    count, seen, found = Counter(titles), Counter(), []
    for title in titles:
        seen[title] += 1
        found.append(f"{title} ({seen[title]}ª parte)" if count[title] > 1 else title)
    return found


def short_labels(titles: Sequence[str]) -> list[str]:
    """Como "Questão 2a", onde isso basta para saber qual é."""
    count = Counter(map(short, titles))
    return [
        label if count[short(title)] > 1 else short(title)
        for title, label in zip(titles, labels(titles), strict=True)
    ]


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
    notes = [*record["submission_notes"], *record["notes"]]
    body = [f"<p class=kicker>{text(title)}</p>\n<h1>{text(record['student'])}</h1>\n"]
    if record["problem"] and not any(q["points"] or q.get("comment") for q in questions):
        body.append(_notice(notes))
    else:
        body.append(f"<p class=score>{_total(questions)}</p>\n"
                    f"<p class=tally>{_tally(questions)}</p>\n")
        if notes:
            body.append("<h2>O que aconteceu com o seu caderno</h2>\n" + bullets(notes))
        if record["errors"]:
            body.append("<h2>Células que pararam com erro</h2>\n" + bullets(record["errors"]))
        body.append("<h2>Questão por questão</h2>\n")
        names = labels([question["title"] for question in questions])
        body += [_question(name, each) for name, each in zip(names, questions, strict=True)]
    return page(f"{record['student']}: {title}", "".join(body))


def _notice(notes: Sequence[str]) -> str:
    """O que se diz, em vez de notas, a quem não entregou o que se corrija."""
    said = "".join(f"<p>{marked(note)}</p>\n" for note in notes)
    return f'<section class="question notice">\n<h2>Ainda sem nota</h2>\n{said}</section>\n'


def _total(questions: Sequence[dict]) -> str:
    most = sum(question["max"] for question in questions)
    waiting = sum(question["max"] for question in questions if question["points"] is None)
    got = sum(question["points"] or 0 for question in questions)
    if waiting:
        return (
            f"<strong>{br(got)} de {br(most - waiting)} pontos</strong>, e mais {br(waiting)} que "
            "dependem da leitura do professor."
        )
    return f"<strong>{br(got)} de {br(most)} pontos</strong>"


def _tally(questions: Sequence[dict]) -> str:
    count = Counter(question["state"] for question in questions)
    return " · ".join(
        f"{count[state]} {words[count[state] > 1]}" for state, words in TALLIES.items()
        if count[state]
    )


def _question(name: str, question: dict) -> str:
    state, most = question["state"], br(question["max"])
    points = f"vale {most}" if question["points"] is None else f"{br(question['points'])} de {most}"
    sign = f"<span aria-hidden=true>{SIGNS[state]}</span> " if state in SIGNS else ""
    parts = [
        f'<section class="question {CLASSES[state]}">\n<div class=top><h3>{text(name)}</h3>\n'
        f"<p class=mark><span>{sign}{STATES[state]}</span> <span class=points>{points}</span></p>"
        "</div>\n"
    ]
    if question.get("answered"):
        parts.append(f"<p>Você respondeu <strong>{text(question['answered'])}</strong>.</p>\n")
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
        parts.append(f"<p>{marked(question['message'])}</p>\n")
    if question.get("comment"):
        parts.append(f"<p><strong>O professor:</strong> {text(question['comment'])}</p>\n")
    return "".join(parts) + "</section>\n"


def _result(result: dict) -> str:
    rows = "".join(
        f"<dt>{text(label)}</dt><dd>{marked(content).replace(chr(10), '<br>')}</dd>"
        for label, content in result["notes"]
    )
    return (
        f"<p><strong><code>{text(result['name'])}</code>: {text(result['state'])}.</strong> "
        f"{marked(result['title'])}</p>\n" + (f"<dl>{rows}</dl>\n" if rows else "")
    )


def bullets(items: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"<li>{marked(item)}</li>\n" for item in items) + "</ul>\n"


# ── Tabelas ─────────────────────────────────────────────────────────────────────────────────────


def chart(
    caption: str, head: tuple[str, str], rows: Sequence[tuple[str, float, str]], *,
    slim: bool = False,
) -> str:
    """Uma tabela cujas linhas têm barras: (rótulo, fração do comprimento, o número por extenso).

    A barra não diz nada que o número não diga; quem ouve a página não perde nada. Em ``slim``, os
    rótulos são curtos, e a barra fica ao lado deles.
    """
    lines = "".join(
        f"<tr><th scope=row><div class=line><span>{marked(label)}</span><span class=bar>"
        f'<i style="width:{round(100 * size, 1):g}%"></i></span></div></th>'
        f"<td class=n>{text(shown).replace('; ', ';<br>')}</td></tr>\n"
        for label, size, shown in rows
    )
    return (
        f'<table class="chart{" slim" if slim else ""}">\n<caption>{text(caption)}</caption>\n'
        f"<thead><tr><th scope=col>{text(head[0])}</th><th scope=col class=n>{text(head[1])}</th>"
        f"</tr></thead>\n<tbody>\n{lines}</tbody></table>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Uma tabela simples; a primeira célula dá nome à linha. As células já são HTML seguro."""
    top = "".join(f"<th scope=col>{text(name)}</th>" for name in head)
    lines = "".join(
        f"<tr><th scope=row>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in others)
        + "</tr>\n" for first, *others in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{lines}</tbody></table>\n"


def people(rows: Iterable[tuple[str, str, str]]) -> str:
    """A tabela dos alunos: (quem, pontos, o que houve), já em HTML seguro.

    No celular as células de uma linha se empilham; os papéis, ditos, conservam a tabela para quem
    a ouve.
    """
    lines = "".join(
        f'<tr role=row><th scope=row role=rowheader>{who}</th><td class=n role=cell>{points}</td>'
        f"<td role=cell>{said}</td></tr>\n" for who, points, said in rows
    )
    return (
        "<div class=people><table role=table><thead role=rowgroup><tr role=row>"
        "<th scope=col role=columnheader>Aluno</th><th scope=col class=n role=columnheader>Pontos"
        "</th><th scope=col role=columnheader>O que houve</th></tr></thead>"
        f"<tbody role=rowgroup>\n{lines}</tbody></table></div>\n"
    )
