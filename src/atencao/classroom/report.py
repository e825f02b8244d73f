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
from atencao.classroom.pages import br, text

SIMILAR = 0.6  # de tudo o que dois alunos escreveram de próprio, quanto precisa coincidir
LEAST_SHINGLES = 12
MOST_MISTAKES = 20


def write(path: Path, content: str | bytes) -> None:
    """Escreve por inteiro ou não escreve: quem interrompe nunca deixa meio arquivo."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".parte")
    partial.write_bytes(data)
    os.replace(partial, path)


def to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def data_path(out: Path, slug: str) -> Path:
    return out / "dados" / f"{slug}.json"


def write_all(
    out: Path, assignment: Assignment, slugs: Sequence[str], left_out: Sequence[tuple[str, str]],
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
    write(out / "turma.html", class_page(title, assignment, summaries, left_out, pairs, out))
    overview = {
        "assignment": assignment.name, "title": title, "total": assignment.total,
        "students": [{k: v for k, v in s.items() if k != "sketch"} for s in summaries],
        "left_out": [{"file": file, "reason": reason} for file, reason in left_out],
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
        "errors": [pages.error_line(error) for error in record["errors"]],
        "sketch": record["sketch"],
    }


def _mistakes_of(questions: Sequence[dict]) -> list[str]:
    """O nome de cada engano: os do catálogo e os que os testes da tarefa descrevem."""
    named = {fault_title(f) for q in questions for r in q["results"] for f in r["faults"]}
    return sorted(named | {q["mistake"] for q in questions if q.get("mistake")})


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
    title: str, assignment: Assignment, summaries: Sequence[dict],
    left_out: Sequence[tuple[str, str]], pairs: Sequence[tuple[float, str, str]], out: Path,
) -> str:
    body = [f"<h1>A turma em {text(title)}</h1>\n<p class=muted>{len(summaries)} entregas. Esta "
            "página é do professor: tem nomes e códigos.</p>\n"]
    body += [_grades(summaries), _by_question(assignment, summaries), _mistakes(summaries)]
    body += [_similar(pairs, out), _students(summaries), _left_out(left_out)]
    return pages.page(f"A turma em {title}", "".join(body), wide=True)


def _grades(summaries: Sequence[dict]) -> str:
    counts = [0] * 10
    for s in summaries:
        sure = s["max"] - s["waiting"]
        counts[min(int(10 * s["points"] / sure), 9) if sure else 0] += 1
    labels = [f"{10 * i}–{10 * i + 10}%" for i in range(10)]
    said = "; ".join(f"{label}: {n}" for label, n in zip(labels, counts, strict=True) if n)
    return (
        "<h2>Notas</h2>\n<p class=muted>Alunos por faixa, sobre os pontos já corrigidos.</p>\n"
        + pages.columns(labels, counts, alt=f"Alunos por faixa de nota. {said}.")
    )


def _by_question(assignment: Assignment, summaries: Sequence[dict]) -> str:
    rows = []
    for question in assignment.questions:
        known = [p for s in summaries if (p := s["questions"].get(question.id)) is not None]
        mean = sum(known) / len(known) if known else 0.0
        shown = [f"{br(mean)} de {br(question.points)}"] if known else []
        if unread := len(summaries) - len(known):
            shown.append(f"{unread} por ler")
        label = f"{question.title} ({question.id})"
        rows.append((label, mean / question.points, "; ".join(shown)))
    said = "; ".join(f"{label}: {shown}" for label, _, shown in rows)
    return "<h2>Questão por questão</h2>\n<p class=muted>Média de pontos.</p>\n" + pages.bars(
        rows, most=1.0, alt=f"Média por questão. {said}."
    )


def _mistakes(summaries: Sequence[dict]) -> str:
    count = Counter(mistake for s in summaries for mistake in s["mistakes"])
    common = sorted(count.items(), key=lambda item: (-item[1], item[0]))[:MOST_MISTAKES]
    if not common:
        return "<h2>Enganos</h2>\n<p>Nenhum engano com nome apareceu.</p>\n"
    rows = [(mistake, n, f"{n} de {len(summaries)}") for mistake, n in common]
    said = "; ".join(f"{label}: {n}" for label, n, _ in rows)
    return (
        "<h2>O que a turma ainda não entendeu</h2>\n<p class=muted>Quantos alunos cometeram cada "
        "engano.</p>\n"
        + pages.bars(rows, most=common[0][1], alt=f"Enganos por frequência. {said}.")
    )


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
        rows.append((link, f"{br(s['points'])} de {br(s['max'])}{waiting}",
                     "<br>".join(text(note) for note in notes)))
    head = ["Aluno", "Pontos", "O que houve"]
    return "<h2>Alunos</h2>\n" + pages.table(head, rows, numbers=frozenset({1}))


def _twins(summary: dict, summaries: Sequence[dict]) -> list[str]:
    """Quem escreveu no caderno a mesma matrícula tem os mesmos números."""
    twins = [s["student"] for s in summaries
             if summary["number"] and s["number"] == summary["number"] and s is not summary]
    return [f"A matrícula do caderno é a mesma de: {', '.join(twins)}."] if twins else []


def _left_out(left_out: Sequence[tuple[str, str]]) -> str:
    if not left_out:
        return ""
    rows = [(text(file), text(reason)) for file, reason in left_out]
    return "<h2>O que ficou de fora</h2>\n" + pages.table(["Arquivo", "Por quê"], rows)


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
        f"<pre>{text(code)}</pre></div>"
    )
