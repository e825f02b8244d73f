"""A ponte com o nbgrader: as questões em texto se corrigem no formgrader, e as notas voltam.

Nada do aluno roda no nbgrader: o caderno que o formgrader mostra já vem com os pontos calculados.
"""

import re
import sqlite3
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from atencao.classroom import report
from atencao.classroom.assignment import MANUAL, SOLUTION, TEST, Assignment, SourceCell

CONFIG = """import os
import sys

c = get_config()
# O nbgrader chama o alembic pelo nome, e só o acha sozinho num ambiente ativado.
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
# Abra com: jupyter lab, nesta pasta, e escolha Formgrader no menu do nbgrader.
c.CourseDirectory.root = "."
c.CourseDirectory.course_id = "atencao"
"""


def manual_marks(course: Path, assignment: Assignment) -> dict[tuple[str, str], report.Mark]:
    """O que o professor deu e escreveu no formgrader: {(aluno, questão): pontos e comentário}.

    Uma nota dada a um texto que depois mudou volta à fila de leitura e, até lá, não vale.
    """
    book = course / "gradebook.db"
    if not book.exists():
        return {}
    query = """
        select sa.student_id, bc.name, c.manual_comment,
            case when g.needs_manual_grade then null
            else g.manual_score + coalesce(g.extra_credit, 0) end
        from base_cell bc
        join submitted_notebook sn
        join submitted_assignment sa on sa.id = sn.assignment_id
        join assignment a on a.id = sa.assignment_id
        left join grade g on g.cell_id = bc.id and g.notebook_id = sn.id
        left join comment c on c.cell_id = bc.id and c.notebook_id = sn.id
        where a.name = ? and (g.manual_score is not null or c.manual_comment is not null)
    """
    with closing(sqlite3.connect(f"file:{book}?mode=ro", uri=True)) as connection:
        rows = connection.execute(query, (assignment.name,)).fetchall()
    marks: dict[tuple[str, str], report.Mark] = {}
    for student, question, comment, points in rows:  # pontos e comentário vêm em linhas separadas
        known = marks.get((student, question), report.Mark())
        marks[student, question] = report.Mark(
            known.points if points is None else points, (comment or known.comment).strip()
        )
    return marks


def export(out: Path, source: Path, assignment: Assignment, slugs: Sequence[str]) -> None:
    """Escreve em ``out/formgrader`` um curso do nbgrader com tudo já corrigido."""
    try:
        from nbgrader import api
    except ImportError:
        print("Sem o nbgrader, a pasta formgrader não foi escrita. Instale com: "
              'pip install ".[classroom]"', file=sys.stderr)
        return
    course = out / "formgrader"
    name = assignment.name
    api.get_alembic_version = _alembic_version
    report.write(course / "nbgrader_config.py", CONFIG)
    report.write(course / "source" / name / f"{name}.ipynb", source.read_bytes())
    with (
        warnings.catch_warnings(action="ignore"),  # o nbgrader fala do SQLAlchemy novo
        closing(api.Gradebook(f"sqlite:///{course / 'gradebook.db'}")) as book,
        _one_commit(book.db),
    ):
        _register(book, assignment)
        for slug in slugs:
            record = report.load(out, slug)
            page = course / "autograded" / slug / name / f"{name}.ipynb"
            content = report.to_json(notebook(assignment, record))
            changed = not page.exists() or page.read_text(encoding="utf-8") != content
            if changed or not _is_known(book, name, slug):
                report.write(page, content)
                _grade(book, assignment, slug, record)


def _is_known(book, name: str, slug: str) -> bool:
    """Se o caderno de notas conhece a entrega: quem interrompe pode perdê-lo, e não as páginas."""
    from nbgrader.api import MissingEntry

    try:
        return book.find_submission(name, slug) is not None
    except MissingEntry:
        return False


@contextmanager
def _one_commit(session) -> Iterator[None]:
    """O nbgrader confirma no disco a cada linha; aqui, tudo de uma vez, no fim."""
    commit, session.commit = session.commit, session.flush
    yield
    session.commit = commit
    commit()


def _alembic_version() -> str:
    """A versão do esquema do nbgrader; ele a pergunta a outro processo, e demora segundos."""
    import nbgrader
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head()


def _register(book, assignment: Assignment) -> None:
    """A tarefa no caderno de notas, como o ``generate_assignment`` a poria."""
    from nbgrader.utils import compute_checksum

    name = assignment.name
    book.update_or_create_assignment(name)
    book.update_or_create_notebook(name, name)
    for cell in assignment.cells:
        if not cell.grade_id:
            continue
        kind = "code" if cell.is_code else "markdown"
        if cell.role in (TEST, MANUAL):
            book.update_or_create_grade_cell(
                cell.grade_id, name, name, max_score=cell.points, cell_type=kind
            )
        if cell.role in (SOLUTION, MANUAL):
            book.update_or_create_solution_cell(cell.grade_id, name, name)
        node = _node(cell, cell.source)
        book.update_or_create_source_cell(
            cell.grade_id, name, name, cell_type=kind, source=cell.source,
            locked=cell.role not in (SOLUTION, MANUAL), checksum=compute_checksum(node),
        )


def _grade(book, assignment: Assignment, slug: str, record: Mapping) -> None:
    name = assignment.name
    first, _, last = record["student"].partition(" ")
    book.update_or_create_student(slug, first_name=first, last_name=last)
    book.update_or_create_submission(name, slug)
    for question in record["questions"]:
        grade = book.find_grade(question["id"], name, name, slug)
        grade.auto_score = question["points"]
        grade.needs_manual_grade = question["points"] is None or grade.manual_score is not None


def notebook(assignment: Assignment, record: Mapping) -> dict:
    """O caderno que o formgrader mostra: a fonte, com o que o aluno escreveu no lugar dele."""
    own: dict[str, list[str]] = {}
    for grade_id, source in record["cells"]:
        own.setdefault(grade_id, []).append(source)
    questions = {question["id"]: question for question in record["questions"]}
    cells = []
    for cell in assignment.cells:
        if cell.role == SOLUTION:
            cells.append(_node(cell, "\n\n".join(own.pop(cell.grade_id, [""]))))
        elif cell.role == MANUAL:
            own.pop(cell.grade_id, None)
            question = questions[cell.grade_id]
            answer = question.get("answer", "")
            answer = answer if cell.is_code else _harmless(answer)
            cells.append(_node(cell, answer, _displayed(question)))
        elif cell.role == TEST:
            cells.append(_node(cell, cell.source, _said(questions[cell.grade_id])))
        else:
            cells.append(_node(cell, cell.source))
    for extra in own.values():
        cells += [_node(None, source) for source in extra]
    for number, cell in enumerate(cells):
        cell["id"] = f"celula-{number}"
    return {
        "cells": cells, "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python",
                                    "name": "python3"}},
    }


def _node(cell: SourceCell | None, source: str, outputs: Sequence[dict] = ()):
    from nbformat import from_dict

    is_code = cell is None or cell.is_code
    node = {"cell_type": "code" if is_code else "markdown", "metadata": {}, "source": source}
    if is_code:
        node |= {"execution_count": None, "outputs": list(outputs)}
    if cell is not None and cell.grade_id:
        node["metadata"] = {"nbgrader": {
            "grade": cell.role in (TEST, MANUAL), "grade_id": cell.grade_id,
            "locked": cell.role not in (SOLUTION, MANUAL), "schema_version": 3,
            "solution": cell.role in (SOLUTION, MANUAL), "task": False,
            "cell_type": node["cell_type"],
        } | ({"points": cell.points} if cell.role in (TEST, MANUAL) else {})}
    return from_dict(node)


def _harmless(markdown: str) -> str:
    """O texto sem HTML nem endereços que rodam; o formgrader os deixaria passar."""
    markdown = re.sub(r"<(?=[A-Za-z/!?])", "< ", markdown)
    markdown = re.sub(r"&(?=#)", "& ", markdown)
    return re.sub(r"(?i)(script|data)(\\?:)", r"\1 \2", markdown)


def _displayed(question: Mapping) -> list[dict]:
    """O que o aluno deixou na tela, como o entregou: ninguém rodou a célula de novo."""
    return [
        {"output_type": "display_data", "metadata": {}, "data": {kind: content}}
        for kind, content in question.get("shown", ())
    ]


def _said(question: Mapping) -> list[dict]:
    """O que se disse ao aluno, e os pontos, como o nbgrader os leria."""
    said = [question["message"]] if question["message"] else []
    for result in question["results"]:
        said += [f"{result['name']}: {result['state']}. {result['title']}"]
        said += [f"  {label}: {content}" for label, content in result["notes"]]
    return [
        {"output_type": "stream", "name": "stdout", "text": "\n".join(said) + "\n"},
        {"output_type": "execute_result", "execution_count": None, "metadata": {},
         "data": {"text/plain": repr(float(question["points"] or 0.0))}},
    ]
