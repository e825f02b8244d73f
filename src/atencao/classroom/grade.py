"""A correção de uma entrega: do arquivo que chegou a um dicionário com notas e explicações.

O código do aluno roda no processo dele; os testes rodam aqui, com substitutos no lugar dos nomes
dele. Uma questão que falha porque outra falhou é corrigida de novo, com a referência no lugar do
que faltou.
"""

import ast
import contextlib
import copy
import io
import linecache
import os
import re
import time
import tokenize
import types
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from atencao import checks
from atencao.checks import guard
from atencao.checks.homework import seed_of
from atencao.checks.result import TODO as TO_BE_DONE
from atencao.checks.result import place
from atencao.classroom import notebook, wire
from atencao.classroom.assignment import (
    SOLUTION,
    TEST,
    Assignment,
    AssignmentError,
    Question,
    bound,
    loaded,
)
from atencao.classroom.notebook import Plan, Step
from atencao.classroom.proxies import as_exception
from atencao.classroom.sandbox import (
    NORMAL,
    TOO_SLOW,
    Gone,
    Limits,
    Missing,
    Sandbox,
    StudentError,
    without_addresses,
)

VERSION = 2  # muda quando a mesma entrega puder receber outra nota
MOST_DEATHS = 5
MOST_CODE = 20_000
MOST_SKETCHED = 200_000
MOST_MESSAGE = 500
MOST_ANSWER = 60
MOST_ITEMS = 8  # de uma resposta que é uma lista
STUDENT_NUMBER = "student_number"
SHINGLE = 8  # símbolos seguidos que precisam coincidir
OUT_OF_TIME = "o tempo total acabou"
UNKNOWN = "unknown"  # a conferência que só diz que não conhece o engano
AGAIN = " e rode esta célula de novo"  # o que as conferências dizem, e só serve no caderno

RIGHT, PARTIAL, WRONG, TODO, BY_HAND = "certo", "em parte", "errado", "em branco", "à mão"


@dataclass
class Graded:
    """O que se sabe de uma questão corrigida."""

    points: float | None
    results: list[checks.Result] = field(default_factory=list)
    message: str = ""
    replaced: tuple[str, ...] = ()
    late: bool = False
    mistake: str = ""  # o engano que o teste descreve
    answered: str = ""  # a resposta, se é um número ou um texto curto


# ── A referência ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Reference:
    """A fonte, rodada de cima a baixo por quem corrige: o espaço de nomes diante de cada teste."""

    assignment: Assignment
    spaces: dict[str, dict]

    @classmethod
    def of(cls, assignment: Assignment) -> "Reference":
        """Roda a fonte. Levanta AssignmentError se a solução não tira a nota toda."""
        os.environ.setdefault("MPLBACKEND", "Agg")  # as figuras da solução não abrem janelas
        names: dict = {"__name__": "__main__"}
        spaces = {}
        for cell in assignment.cells:
            if not cell.is_code:
                continue
            if cell.role == TEST:
                spaces[cell.grade_id] = dict(names)
            try:
                with _silence():
                    value = _execute(cell.source, f"<fonte {cell.grade_id}>", names)
            except Exception as error:
                raise AssignmentError(
                    f"{assignment.name}: a célula {cell.grade_id} da fonte parou com "
                    f"{type(error).__name__}: {error}"
                ) from error
            if cell.role == TEST and _points(value, cell.points) != cell.points:
                raise AssignmentError(
                    f"{assignment.name}: a solução tira {value!r} em {cell.grade_id}, que vale "
                    f"{cell.points:g}. Uma última linha com pontos precisa ser float(…)."
                )
        return cls(assignment, spaces)


@lru_cache(maxsize=4)
def reference_for(name: str, text: str) -> Reference:
    return Reference.of(Assignment(name, text))


def _execute(source: str, name: str, names: dict) -> object:
    """Roda uma célula e devolve o valor da última linha, se ela for uma expressão."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), name, "eval"), names)


def _points(value: object, most: float) -> float:
    """A regra do nbgrader: sem exceção, tudo; se a última linha é um número, ele."""
    if type(value) not in (int, float):
        return most
    return min(max(float(value), 0.0), most) if value == value else 0.0  # NaN não vale nada


@contextlib.contextmanager
def _silence():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


# ── O aluno ─────────────────────────────────────────────────────────────────────────────────────


class Session:
    """O processo do aluno, refeito quando morre: as células que não mataram rodam de novo."""

    def __init__(self, limits: Limits, imports: tuple[str, ...], change_user: bool, plan: Plan):
        self.limits, self.imports, self.change_user = limits, imports, change_user
        self.plan = plan
        self.ran: list[Step] = []
        self.deaths = 0
        self.expires = time.monotonic() + limits.total_seconds
        self.sandbox: Sandbox | None = None
        self.errors: list[tuple[Step, StudentError]] = []
        self.sources: set[str] = set()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        for name in self.sources:
            linecache.cache.pop(name, None)

    def alive(self) -> Sandbox:
        """O processo, pronto para o próximo pedido. Levanta Gone se não há mais como."""
        if self.sandbox is not None and not self.sandbox.why_gone:
            return self.sandbox
        self.deaths += self.sandbox is not None
        self._close()
        if self.is_over():
            raise Gone(OUT_OF_TIME)
        if self.deaths > MOST_DEATHS:
            raise Gone("o processo morreu vezes demais")
        self.sandbox = Sandbox(self.limits, self.imports, self.change_user, self.expires)
        self.sandbox.__enter__()
        for step in self.ran:
            with contextlib.suppress(StudentError):
                self.sandbox.run(step.source, step.name)
        return self.sandbox

    def run(self, step: Step) -> None:
        linecache.cache[step.name] = (
            len(step.source), None, step.source.splitlines(keepends=True), step.name
        )
        self.sources.add(step.name)
        try:
            self.alive().run(step.source, step.name)
        except StudentError as error:
            if error.builtin == "TimeUp" and self.is_over():
                self.died("")
            else:
                self.errors.append((step, error))
        except Gone as gone:
            if str(gone) == TOO_SLOW and not self.is_over():
                self.errors.append((step, StudentError("TimeUp", "TimeUp", "")))
            else:
                self.died(f"A {step.where} ficou de fora: {gone}.")
            return
        except wire.Refused:
            self.plan.note(f"A {step.where} ficou de fora: é comprida demais.")
            return
        self.ran.append(step)

    def is_over(self) -> bool:
        return time.monotonic() > self.expires

    def died(self, note: str) -> None:
        if self.is_over():
            allowed = _seconds(self.limits.total_seconds)
            note = f"O caderno passou dos {allowed} que tem ao todo; o que faltava não rodou."
        self.plan.note(note)

    def _close(self) -> None:
        if self.sandbox is not None:
            self.sandbox.__exit__()
            self.sandbox = None


# ── Corrigir ────────────────────────────────────────────────────────────────────────────────────


def grade_or_say_why(*arguments: object) -> dict:
    """O que ``grade`` devolve ou, se ela parou, {"failed": por quê}.

    Uma exceção qualquer nem sempre atravessa de um processo a outro; um texto, sempre.
    """
    try:
        return grade(*arguments)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"[:MOST_MESSAGE]}


def grade(
    name: str, text: str, data: bytes, limits: Limits = NORMAL, change_user: bool = True
) -> dict:
    """Corrige uma entrega. O resultado é só dados, e o mesmo para a mesma entrega."""
    reference = reference_for(name, text)
    assignment = reference.assignment
    plan = notebook.plan(assignment, data)
    with Session(limits, assignment.imports, change_user, plan) as session, _silence():
        graded = _grade_all(reference, plan, session)
        number = _student_number(assignment, session)
        costly = _names_that_cost(assignment, graded, plan) if session.errors else set()
        errors = [
            _slow_line(step, limits, costly) if error.builtin == "TimeUp"
            else _error_line(step, error) for step, error in session.errors
        ]
    return {
        "questions": [
            _by_hand(question, plan.answers.get(question.id)) if question.manual
            else _report(question, graded[question.id], plan) for question in assignment.questions
        ],
        "problem": plan.problem, "number": number, "notes": plan.notes, "errors": errors,
        "cells": [[step.place, step.source[:MOST_CODE]] for step in plan.steps if step.own],
        "sketch": _sketch(assignment, plan),
    }


def _student_number(assignment: Assignment, session: Session) -> int:
    """A semente dos números do aluno, nas tarefas que a pedem; 0 se ele não a escreveu."""
    if STUDENT_NUMBER not in assignment.student_names or session.plan.problem:
        return 0
    try:
        number = seed_of(session.alive().get(STUDENT_NUMBER))
    except (Gone, StudentError, wire.Refused, ValueError):
        return 0
    if not number:
        session.plan.note("A matrícula ficou 0, e corrigi com os números dessa matrícula. Se você "
                          "usou a sua, avise o professor.")
    return number


def _grade_all(reference: Reference, plan: Plan, session: Session) -> dict[str, Graded]:
    questions = {q.id: q for q in reference.assignment.questions if not q.manual}
    graded = {question.id: Graded(0.0) for question in questions.values()}
    tested: set[str] = set()
    waiting: set[str] = set()  # questões cujos nomes foram ligados depois do teste
    for step in plan.steps:
        if step.grade_id:
            question = questions[step.grade_id]
            graded[question.id] = _grade_one(reference, question, session)
            tested.add(question.id)
            continue
        session.run(step)
        names = bound(step.source)
        waiting |= {key for key in tested if names & set(questions[key].names)}
    for key in sorted(waiting):
        if graded[key].points < questions[key].points:
            again = _grade_one(reference, questions[key], session)
            if again.points > graded[key].points:
                again.late = True
                graded[key] = again
    for key, question in questions.items():
        if key in tested and graded[key].points < question.points:
            graded[key] = _with_reference(reference, question, session, graded)
    return graded


def _with_reference(
    reference: Reference, question: Question, session: Session, graded: dict[str, Graded]
) -> Graded:
    """A questão outra vez, com a referência no lugar do que o aluno errou antes."""
    read = loaded("\n".join(step.source for step in session.ran if step.own))
    failed = {
        name for other in reference.assignment.questions
        if not other.manual and other.id != question.id
        and (graded[other.id].points < other.points or graded[other.id].replaced)
        for name in other.names
    }
    missing = tuple(sorted((failed & set(question.needs) & read) - set(question.names)))
    if not missing:
        return graded[question.id]
    space = reference.spaces[question.id]
    try:
        sandbox = session.alive()
        for name in missing:
            sandbox.put(name, space[name])
        _run_again(session, question, missing)
        again = _grade_one(reference, question, session)
    except (Gone, StudentError, wire.Refused):
        return graded[question.id]
    finally:
        session._close()  # o processo seguinte volta a ter só o que o aluno escreveu
    if again.points > graded[question.id].points:
        again.replaced, again.answered = missing, graded[question.id].answered
        return again
    return graded[question.id]


def _run_again(session: Session, question: Question, missing: tuple[str, ...]) -> None:
    """As células que calculam a resposta com o que faltava, e não as que o definem."""
    for step in session.ran:
        names = bound(step.source)
        if step.own and names & set(question.names) and not names & set(missing):
            with contextlib.suppress(StudentError):
                session.sandbox.run(step.source, step.name)


def _grade_one(reference: Reference, question: Question, session: Session) -> Graded:
    recorder = Recorder()
    space = _own_copy(reference.spaces[question.id])
    _record(space, recorder)
    try:
        for name in question.names:
            space[name] = session.alive().get(name)
    except (Gone, StudentError, wire.Refused) as error:
        _note_death(session, question)
        return Graded(0.0, recorder.results, _why(error, session.limits))
    answered = _answered({name: space[name] for name in question.names})
    outcome = guard.run(
        lambda: _execute(question.cell.source, f"<teste {question.id}>", space),
        session.limits.total_seconds,
    )
    _note_death(session, question)
    error = outcome.error
    if error is None:
        return Graded(_points(outcome.value, question.points), recorder.results, answered=answered)
    said = _why(error, session.limits)
    of_test = isinstance(error, AssertionError) and not getattr(error, "of_student", False)
    return Graded(0.0, recorder.results, said, mistake=said if of_test and str(error) else "",
                  answered=answered)


def _own_copy(names: dict) -> dict:
    """Os dados da referência só deste teste: o que o aluno mexer nos argumentos morre com ele."""
    memo: dict = {}
    copied = dict(names)
    for name, value in names.items():
        with contextlib.suppress(Exception):  # módulos e afins não se copiam, nem se mexem
            copied[name] = copy.deepcopy(value, memo)
    return copied


def _note_death(session: Session, question: Question) -> None:
    if session.sandbox is not None and session.sandbox.why_gone:
        session.died(f'Ao corrigir "{question.title}", {session.sandbox.why_gone}.')


def _why(error: BaseException, limits: Limits) -> str:
    """O que o aluno lê quando o teste para. Nada aqui mostra o teste."""
    if isinstance(error, StudentError) and not isinstance(error, Missing):
        error = as_exception(error)
    of_student = getattr(error, "of_student", False)
    if isinstance(error, guard.TimeUp | Gone):
        if of_student or str(error) == TOO_SLOW:
            return f"A sua resposta passou dos {_seconds(limits.call_seconds)} que tinha."
        return f"Não deu para corrigir: {str(error) or OUT_OF_TIME}."
    if isinstance(error, Missing):
        return f"Não encontrei `{error.message}`: nenhuma célula que rodou até o fim o define."
    if of_student:
        return f"Sua resposta parou com {type(error).__name__}: {error}"
    if isinstance(error, AssertionError):
        return str(error) or "Uma parte do teste não passou."
    if isinstance(error, wire.Refused):
        return f"Não consegui ler a sua resposta: {error}."
    return "O teste não conseguiu usar a sua resposta. Confira se ela tem o tipo e a forma pedidos."


def _seconds(seconds: float) -> str:
    return f"{seconds:g} segundo{'s' if seconds != 1 else ''}".replace(".", ",")


def _answered(values: dict[str, object]) -> str:
    """O que o aluno respondeu, se são números ou textos curtos; "" se é outra coisa."""
    shown = {name: _plain(value) for name, value in values.items() if name != STUDENT_NUMBER}
    if not all(shown.values()):
        return ""
    if len(shown) == 1:
        return next(iter(shown.values()))
    return " e ".join(f"{name} = {value}" for name, value in shown.items())


def _plain(value: object) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is float:
        return f"{value:.10g}".replace(".", ",")
    if type(value) is str and value.strip():
        return f"“{_cut(' '.join(without_addresses(value).split()))}”"
    if type(value) in (tuple, list) and 0 < len(value) <= MOST_ITEMS and all(
        type(item) in (bool, int, float, str) for item in value
    ):
        return _cut(repr(value))
    return _cut(str(value)) if type(value) in (bool, int) else ""


def printable(text: str) -> str:
    """Uma linha só, sem o que comande o terminal ou a página: o texto quem escolhe é o aluno."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _cut(answer: str) -> str:
    answer = printable(answer)
    return answer if len(answer) <= MOST_ANSWER else answer[:MOST_ANSWER - 1] + "…"


class Recorder:
    """Fica no lugar de ``checks`` durante um teste e guarda o que cada conferência disse."""

    def __init__(self):
        self.results: list[checks.Result] = []

    def listening(self, check):
        def listened(*arguments, **named):
            result = check(*arguments, **named)
            if isinstance(result, checks.Result):
                self.results.append(result)
            return result

        return listened

    def __getattr__(self, name: str) -> object:
        found = getattr(checks, name)
        return self.listening(found) if isinstance(found, types.FunctionType) else found


def _record(space: dict, recorder: Recorder) -> None:
    known = {getattr(checks, name) for name in checks.__all__}
    for name, value in space.items():
        if value is checks:
            space[name] = recorder
        elif isinstance(value, types.FunctionType) and value in known:
            space[name] = recorder.listening(value)


# ── O que fica escrito ──────────────────────────────────────────────────────────────────────────


def _report(question: Question, graded: Graded, plan: Plan) -> dict:
    points = round(graded.points, 4)
    results = list({result.message: result for result in graded.results}.values())
    if points >= question.points:
        state = RIGHT
    elif points > 0:
        state = PARTIAL
    elif _is_blank(question, plan) or (
        results and all(result.state == TO_BE_DONE for result in results)
    ):
        state = TODO
    else:
        state = WRONG
    if graded.mistake:  # o teste sabe dizer o que a conferência não soube
        results = [result for result in results if result.faults != (UNKNOWN,)]
    return {
        "id": question.id, "title": question.title, "points": points, "max": question.points,
        "state": state, "message": graded.message, "replaced": list(graded.replaced),
        "late": graded.late, "mistake": graded.mistake, "answered": graded.answered,
        "results": [
            {
                "name": result.name, "state": result.state,
                "title": result.title.replace(AGAIN, ""), "notes": _notes(result),
                "faults": list(result.faults),
            }
            for result in results
        ],
    }


def _is_blank(question: Question, plan: Plan) -> bool:
    """Se a célula acima do teste ficou como veio, e a resposta não está em outra."""
    if question.answer is None:
        return False
    written = [step for step in plan.steps if step.own and (
        step.place == question.answer.grade_id
        or (not step.place and bound(step.source) & set(question.names))
    )]
    return all(question.answer.is_blank(step.source) for step in written)


def _notes(result: checks.Result) -> list[list[str]]:
    """Os parágrafos da conferência: [rótulo, texto]."""
    look = "; ".join(place(section) for section in result.look)
    notes = [[note.label, note.text] for note in result.notes]
    return [*notes, ["Onde olhar", look]] if look else notes


def _by_hand(question: Question, answer: notebook.Cell | None) -> dict:
    blank = answer is None or question.cell.is_blank(answer.source)
    return {
        "id": question.id, "title": question.title, "points": 0.0 if blank else None,
        "max": question.points, "state": TODO if blank else BY_HAND, "message": "",
        "replaced": [], "late": False, "results": [],
        "answer": "" if blank else answer.source[:MOST_CODE],
        "shown": [] if blank else [list(each) for each in answer.shown],
    }


def _error_line(step: Step, error: StudentError) -> str:
    line = next((f[1] for f in reversed(error.frames) if f[0] == step.name), None)
    where = f"Na {step.where}" + (f", linha {line}" if line else "")
    return f"{where}: {error.kind}" + (f": {error.message}" if error.message else "")


def _slow_line(step: Step, limits: Limits, costly: set[str]) -> str:
    """Sem a linha em que a célula estava quando o tempo acabou: essa muda de uma vez para outra."""
    said = f"A {step.where} passou dos {_seconds(limits.cell_seconds)} que cada célula tem."
    if (bound(step.source) | loaded(step.source)) & costly:
        return said
    return f"{said} Só por isso, não se perdem pontos."


def _names_that_cost(
    assignment: Assignment, graded: dict[str, Graded], plan: Plan
) -> set[str]:
    """Os nomes de que dependia, pelo que se lê no código, uma questão que perdeu pontos."""
    own = [(bound(each.source), loaded(each.source)) for each in plan.steps if each.own]
    written = set().union(*(makes for makes, _ in own))
    wanted = {
        name for q in assignment.questions if not q.manual and graded[q.id].points < q.points
        for name in (*q.names, *q.needs)
    }
    while more := {
        name for makes, reads in own if makes & wanted for name in reads & written
    } - wanted:
        wanted |= more
    return wanted


# ── Semelhança ──────────────────────────────────────────────────────────────────────────────────


def _sketch(assignment: Assignment, plan: Plan) -> list[str]:
    """As impressões do código: trechos de símbolos, sem nomes, números nem comentários."""
    given = "\n\n".join(
        cell.source for cell in assignment.cells if cell.is_code and cell.role != SOLUTION
    )
    return sorted(_shingles(plan.own_code[:MOST_SKETCHED]) - _shingles(given))[:2_000]


def _shingles(source: str) -> set[str]:
    symbols = list(_symbols(source))
    return {
        blake2b(" ".join(symbols[i:i + SHINGLE]).encode(), digest_size=6).hexdigest()
        for i in range(len(symbols) - SHINGLE + 1)
    }


def _symbols(source: str):
    common = {"def", "return", "for", "in", "if", "else", "while", "lambda", "import", "class"}
    kinds = {tokenize.NAME: "n", tokenize.NUMBER: "0", tokenize.STRING: "s"}
    with contextlib.suppress(tokenize.TokenError, SyntaxError, IndentationError):
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        for before, token in pairwise(tokens):
            attribute = before.string == "."  # .sum e .mean dizem o que se faz; ficam
            if token.type in kinds and token.string not in common and not attribute:
                yield kinds[token.type]
            elif re.fullmatch(r"\S+", token.string) and token.type != tokenize.COMMENT:
                yield token.string
