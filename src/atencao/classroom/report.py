"""Do que se corrigiu ao que o professor usa: notas em CSV, páginas, o retrato da turma, JSON.

Tudo se refaz a partir de ``dados/``, um arquivo por aluno, e sai igual, byte a byte, para as
mesmas entregas.
"""

import csv
import io
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from atencao.checks.faults import FAULTS
from atencao.classroom import pages
from atencao.classroom.assignment import Assignment
from atencao.classroom.collect import Collection
from atencao.classroom.pages import br, text

SIMILAR = 0.6  # de tudo o que dois alunos escreveram de próprio, quanto precisa coincidir
LEAST_SHINGLES = 12
MOST_MISTAKES = 20
MOST_SAID = 240  # de um engano, na página da turma


def write(path: Path, content: str | bytes) -> None:
    """Escreve por inteiro ou não escreve: quem interrompe nunca deixa meio arquivo."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".parte")
    partial.write_bytes(data)
    os.replace(partial, path)


def to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def data_path(out: Path, slug: str) -> Path:
    return out / "dados" / f"{slug}.json"


def write_all(
    out: Path, assignment: Assignment, slugs: Sequence[str], collection: Collection,
    manual: Mapping[tuple[str, str], "Mark"],
) -> dict:
    """Todas as páginas e planilhas; devolve o resumo da turma. Um aluno por vez na memória."""
    title = assignment.title
    summaries = []
    for slug in slugs:
        record = with_manual(load(out, slug), slug, manual)
        write(out / "alunos" / f"{slug}.html", pages.student_page(title, record))
        summaries.append(_summary(slug, record))
    kept = {f"{slug}.html" for slug in slugs}
    for old in (out / "alunos").glob("*.html"):
        if old.name not in kept:
            old.unlink()
    pairs = similar_pairs(summaries)
    write(out / "notas-moodle.csv", moodle_csv(summaries))
    write(out / "notas-classroom.csv", classroom_csv(title, summaries))
    write(out / "turma.html", class_page(title, assignment, summaries, collection, pairs, out))
    overview = {
        "assignment": assignment.name, "title": title, "total": assignment.total,
        "students": [{k: v for k, v in s.items() if k != "sketch"} for s in summaries],
        "left_out": [{"file": file, "reason": reason} for file, reason in collection.left_out],
        "of_other_assignments": collection.of_others,
        "similar": [{"first": a, "second": b, "share": share} for share, a, b in pairs],
    }
    write(out / "resultados.json", to_json(overview))
    return overview


def load(out: Path, slug: str) -> dict:
    return json.loads(data_path(out, slug).read_text(encoding="utf-8"))


class Mark(NamedTuple):
    """O que o professor disse de uma questão: pontos, se já os deu, e um comentário."""

    points: float | None = None
    comment: str = ""


def with_manual(record: dict, slug: str, manual: Mapping[tuple[str, str], Mark]) -> dict:
    """Com o que o professor deu e escreveu à mão. A nota dele vale mais que a da correção."""
    for question in record["questions"]:
        given = manual.get((slug, question["id"]), Mark())
        question["comment"] = given.comment
        if given.points is None:
            continue
        if question["points"] is not None:  # o que a correção disse já não explica a nota
            question["message"], question["results"] = "Nota revista pelo professor.", []
            question["mistake"] = ""
        question["points"] = min(given.points, question["max"])
        question["state"] = "certo" if given.points >= question["max"] else (
            "em parte" if given.points > 0 else "errado"
        )
    return record


def _summary(slug: str, record: dict) -> dict:
    questions = record["questions"]
    return {
        "slug": slug, "student": record["student"], "identifier": record["identifier"],
        "file": record["file"], "problem": record["problem"],
        "points": round(sum(q["points"] or 0 for q in questions), 2),
        "max": sum(q["max"] for q in questions),
        "waiting": sum(q["max"] for q in questions if q["points"] is None),
        "questions": {q["id"]: q["points"] for q in questions},
        "mistakes": _mistakes_of(questions),
        "comments": [q["comment"] for q in questions if q["comment"]],
        "number": record.get("number", 0),
        "notes": [*record["submission_notes"], *record["notes"]],
        "errors": record["errors"],
        "sketch": record["sketch"],
    }


def _mistakes_of(questions: Sequence[dict]) -> list[dict]:
    """Cada engano, e onde: os do catálogo e os que o teste descreve. Em branco não é engano."""
    names = pages.short_labels([question["title"] for question in questions])
    found = []
    for name, question in zip(names, questions, strict=True):
        if question["state"] == "em branco":
            continue
        faults = {fault_title(f) for result in question["results"] for f in result["faults"]}
        found += [{"question": name, "mistake": title, "named": True} for title in sorted(faults)]
        if said := question.get("mistake"):
            found.append({"question": name, "mistake": said, "named": False})
    return found


# ── Planilhas ───────────────────────────────────────────────────────────────────────────────────


def moodle_csv(summaries: Sequence[dict]) -> str:
    """A planilha de notas do Moodle em português: o identificador casa aluno e linha.

    Ele recusa o arquivo em que falte a coluna da última modificação, ainda que vazia.
    """
    rows = [("Identificador", "Nome completo", "Nota", "Nota máxima", "Última modificação (nota)",
             "Comentários de feedback")]
    for s in summaries:
        participant = f"Participante{s['identifier']}" if s["identifier"] else ""
        rows.append((participant, s["student"], _grade(s), _decimal(s["max"]), "",
                     _comment(s)))
    return _csv(rows)


def classroom_csv(title: str, summaries: Sequence[dict]) -> str:
    """As colunas que o Google Classroom exporta e que os importadores de notas leem."""
    rows = [("Last Name", "First Name", "Email Address", title),
            ("", "", "Points", _decimal(max((s["max"] for s in summaries), default=0)))]
    for s in summaries:
        first, _, last = s["student"].partition(" ")
        email = s["student"] if "@" in s["student"] else ""
        rows.append((last, first, email, _grade(s)))
    return _csv(rows)


def _comment(summary: dict) -> str:
    if summary["problem"]:
        return f"Sem nota. {summary['problem']}"
    said = list(summary["comments"])
    if waiting := summary["waiting"]:
        said.insert(0, f"Por corrigir à mão: {br(waiting)} de {br(summary['max'])} pontos.")
    return " ".join(said)


def _grade(summary: dict) -> str:
    """A nota; em branco, que o Moodle não importa, para quem não entregou o que se corrija."""
    return "" if summary["problem"] else _decimal(summary["points"])


def _decimal(number: float) -> str:
    return f"{round(number, 2):g}"


def _csv(rows: Sequence[Sequence[str]]) -> str:
    """UTF-8 com a marca que o Excel espera; nenhum nome vira fórmula."""
    sheet = io.StringIO()
    csv.writer(sheet, lineterminator="\r\n").writerows(
        [_no_formula(cell) for cell in row] for row in rows
    )
    return "\ufeff" + sheet.getvalue()


def _no_formula(cell: str) -> str:
    """Nem a célula começa como fórmula, nem a que o Excel em português veria depois de um ;"""
    return re.sub(r"(^|[;\t]\s*)(?=[=+\-@＝\t])", r"\1'", cell)


# ── A turma ─────────────────────────────────────────────────────────────────────────────────────


def class_page(
    title: str, assignment: Assignment, summaries: Sequence[dict], collection: Collection,
    pairs: Sequence[tuple[float, str, str]], out: Path,
) -> str:
    graded = [s for s in summaries if not s["problem"]]
    body = [f"<h1>A turma em {text(title)}</h1>\n<p class=muted>{_how_many(summaries)} Esta página "
            "é do professor: tem nomes e códigos.</p>\n"]
    body += [f"<div class=side>\n<div>\n{_grades(graded)}</div>\n<div>\n"
             f"{_by_question(assignment, graded)}</div>\n</div>\n"]
    body += [_mistakes(assignment, graded), _similar(pairs, out), _students(summaries)]
    body.append(_left_out(collection))
    return pages.page(f"A turma em {title}", "".join(body), wide=True)


def _how_many(summaries: Sequence[dict]) -> str:
    handed = f"{len(summaries)} entrega{'s' if len(summaries) != 1 else ''}"
    without = sum(1 for s in summaries if s["problem"])
    return f"{handed}, {without} sem nota." if without else f"{handed}."


def _grades(graded: Sequence[dict]) -> str:
    counts = [0] * 10
    for s in graded:
        sure = s["max"] - s["waiting"]
        counts[min(int(10 * s["points"] / sure), 9) if sure else 0] += 1
    rows = [(f"{10 * i}–{10 * i + 10}%", n / max(*counts, 1), str(n))
            for i, n in enumerate(counts)]
    return "<h2>Notas</h2>\n" + pages.chart(
        "Alunos por faixa, sobre os pontos já corrigidos.", ("Faixa", "Alunos"), rows, slim=True
    )


def _by_question(assignment: Assignment, graded: Sequence[dict]) -> str:
    rows = []
    labels = pages.labels([question.title for question in assignment.questions])
    for label, question in zip(labels, assignment.questions, strict=True):
        known = [p for s in graded if (p := s["questions"].get(question.id)) is not None]
        mean = sum(known) / len(known) if known else 0.0
        shown = [f"{br(mean)} de {br(question.points)}"] if known else []
        if unread := len(graded) - len(known):
            shown.append(f"{unread} por ler")
        rows.append((label, mean / question.points, "; ".join(shown)))
    return "<h2>Questão por questão</h2>\n" + pages.chart(
        "Média de pontos.", ("Questão", "Média"), rows
    )


def _mistakes(assignment: Assignment, graded: Sequence[dict]) -> str:
    names = pages.short_labels([question.title for question in assignment.questions])
    rows = common_mistakes(names, graded)[:MOST_MISTAKES]
    if not rows:
        return "<h2>Enganos</h2>\n<p>Nenhum engano com nome apareceu.</p>\n"
    return "<h2>O que a turma ainda não entendeu</h2>\n" + pages.chart(
        "Quantos alunos cometeram cada engano.", ("Engano", "Alunos"),
        [(label, n / len(graded), f"{n} de {len(graded)}") for label, n in rows],
    )


def common_mistakes(names: Sequence[str], summaries: Sequence[dict]) -> list[tuple[str, int]]:
    """Cada engano com as questões à frente, e quantos alunos o cometeram, do mais comum ao menos.

    Os do catálogo são os mesmos em qualquer questão. Nos que um teste descreve, os números podem
    ser de cada um: se variam de aluno para aluno, saem.
    """
    who, said, where = defaultdict(set), defaultdict(set), defaultdict(set)
    for i, summary in enumerate(summaries):
        for each in summary["mistakes"]:
            same = "" if each["named"] else each["question"]
            key = same, _NUMBER.sub("…", each["mistake"])
            who[key].add(i)
            said[key].add(each["mistake"])
            where[key].add(each["question"])
    rows = []
    for key, students in who.items():
        message = said[key].pop() if len(said[key]) == 1 else key[1]
        places = [name for name in names if name in where[key]]
        rows.append((-len(students), names.index(places[0]), f"{', '.join(places)}: "
                     f"{whole(message)}"))
    return [(label, -count) for count, _, label in sorted(rows)]


_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")


def whole(message: str) -> str:
    """As primeiras frases inteiras que cabem; se nem a primeira cabe, até uma palavra dela."""
    first, *others = re.split(r"(?<=[.!?]) +(?=[A-ZÀ-Ú`“(])", message)
    if len(first) > MOST_SAID:
        cut = first[:MOST_SAID]
        return (cut.rpartition(" ")[0] or cut).rstrip(",;:") + "…"
    for sentence in others:
        if len(first) + 1 + len(sentence) > MOST_SAID:
            return f"{first} […]"
        first += f" {sentence}"
    return first


def fault_title(key: str) -> str:
    return FAULTS[key].title if key in FAULTS else _OTHER.get(key, key)


_OTHER = {
    "unknown": "Erro que não está no catálogo",
    "raises": "A função parou com um erro",
    "too_slow": "A função não terminou",
    "returns_nothing": "A função não devolve nada",
    "changes_input": "A função mexeu na entrada",
    "answers_change": "A mesma entrada, duas respostas",
    "not_a_function": "Faltou a função",
    "too_much_memory": "Memória demais",
    "endless_recursion": "Recursão sem fim",
    "leaves_python": "A função tentou sair do Python",
}


def _students(summaries: Sequence[dict]) -> str:
    rows = []
    for s in summaries:
        notes = [s["problem"]] if s["problem"] else [
            *s["notes"], *_twins(s, summaries), *s["errors"]
        ]
        link = f'<a href="alunos/{s["slug"]}.html">{text(s["student"])}</a>'
        waiting = f" (+{br(s['waiting'])} à mão)" if s["waiting"] else ""
        points = f"{br(s['points'])} de {br(s['max'])}{waiting}"
        rows.append((link, "sem nota" if s["problem"] else points,
                     pages.bullets(notes) if notes else ""))
    return "<h2>Alunos</h2>\n" + pages.people(rows)


def _twins(summary: dict, summaries: Sequence[dict]) -> list[str]:
    """Quem escreveu no caderno a mesma matrícula tem os mesmos números."""
    twins = [s["student"] for s in summaries
             if summary["number"] and s["number"] == summary["number"] and s is not summary]
    return [f"A matrícula do caderno é a mesma de: {', '.join(twins)}."] if twins else []


def _left_out(collection: Collection) -> str:
    said = ""
    if collection.left_out:
        rows = [(text(file), text(reason)) for file, reason in collection.left_out]
        said = pages.table(["Arquivo", "Por quê"], rows)
    if collection.of_others:
        said += ("<p class=muted>Cadernos de outras tarefas do curso, no meio destes: "
                 f"{collection.of_others}.</p>\n")
    return said and f"<h2>O que ficou de fora</h2>\n{said}"


# ── Semelhanças ─────────────────────────────────────────────────────────────────────────────────


def similar_pairs(summaries: Sequence[dict]) -> list[tuple[float, str, str]]:
    """Pares de entregas que coincidem no que quase ninguém mais escreveu: (quanto, um, outro)."""
    owners: dict[str, list[int]] = defaultdict(list)
    for i, summary in enumerate(summaries):
        for shingle in summary["sketch"]:
            owners[shingle].append(i)
    common = max(8, len(summaries) // 10)  # o que tantos escreveram é o jeito de escrever
    own: Counter[int] = Counter()
    shared: Counter[tuple[int, int]] = Counter()
    for students in owners.values():
        if len(students) <= common:
            own.update(students)
            shared.update(combinations(students, 2))
    found = [
        (round(both / (own[a] + own[b] - both), 3), summaries[a]["slug"], summaries[b]["slug"])
        for (a, b), both in shared.items() if both >= LEAST_SHINGLES
    ]
    found = [pair for pair in found if pair[0] >= SIMILAR]
    return sorted(found, key=lambda pair: (-pair[0], pair[1:]))


def groups_of(pairs: Sequence[tuple[float, str, str]]) -> list[tuple[list[float], list[str]]]:
    """Os pares que se ligam por alguém, num grupo só: (quanto cada par coincide, os alunos)."""
    group_of: dict[str, set[str]] = {}
    for _, a, b in pairs:
        together = group_of.get(a, {a}) | group_of.get(b, {b})
        group_of |= dict.fromkeys(together, together)
    groups = sorted({tuple(sorted(group)) for group in group_of.values()})
    found = [([share for share, a, _ in pairs if a in group], list(group)) for group in groups]
    return sorted(found, key=lambda group: -group[0][0])


def _similar(pairs: Sequence[tuple[float, str, str]], out: Path) -> str:
    if not pairs:
        return "<h2>Entregas parecidas</h2>\n<p>Nenhum par chama a atenção.</p>\n"
    return (
        "<h2>Entregas parecidas</h2>\n<p>Os nomes, os números e os comentários não entram na "
        "comparação, nem o que muitos escreveram. Parecido não quer dizer copiado: leia, e "
        "converse com cada um.</p>\n"
        + "".join(_group(shares, slugs, out) for shares, slugs in groups_of(pairs))
    )


def _group(shares: Sequence[float], slugs: Sequence[str], out: Path) -> str:
    records = [load(out, slug) for slug in slugs]
    *others, last = [text(record["student"]) for record in records]
    least, most = (f"{round(100 * share)}%" for share in (shares[-1], shares[0]))
    much = most if least == most else f"de {least} a {most}"
    return (
        f"<details><summary>{', '.join(others)} e {last}: {much} do que é só deles coincide"
        f"</summary>\n<div class=alike>{''.join(map(_code, records))}</div></details>\n"
    )


def _code(record: dict) -> str:
    code = "\n\n".join(source for _, source in record["cells"])
    return (
        f"<div><p><strong>{text(record['student'])}</strong></p>"
        f"<pre tabindex=0>{text(code)}</pre></div>"
    )
