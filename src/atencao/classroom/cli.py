"""``atencao-grade``: recolhe as entregas, corrige uma por vez em cada trabalhador, escreve tudo.

    atencao-grade ENTREGAS --assignment t1-produto-escalar --out RESULTADOS

Ctrl-C e a segunda vez continua de onde parou: cada aluno tem um arquivo em RESULTADOS/dados, com a
marca do que foi corrigido. Só se corrige de novo o que mudou.
"""

import argparse
import contextlib
import json
import logging
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from multiprocessing import resource_tracker
from pathlib import Path

from atencao.classroom import formgrader, lockdown, notebook, report, sandbox
from atencao.classroom.assignment import Assignment, AssignmentError, find
from atencao.classroom.collect import Collection, Submission, Wanted, collect
from atencao.classroom.grade import VERSION, grade_or_say_why, printable, reference_for
from atencao.classroom.sandbox import Limits

AHEAD = 3  # entregas na fila de cada trabalhador
DASK = {  # sem isto, o diário que ele guarda de si mesmo cresce com a turma
    "distributed.admin.log-length": 100,
    "distributed.admin.low-level-log-length": 100,
    "distributed.admin.system-monitor.log-length": 100,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.large-graph-warning-threshold": "1GB",
    # Quem derruba um trabalhador volta sozinho no fim; insistir antes só derruba outros.
    "distributed.scheduler.allowed-failures": 1,
}
SECONDS_TO_REPAIR = 2
SECONDS_TO_SURVEY = 90  # até o primeiro trabalhador responder
RETRIES = 2  # vezes que uma entrega volta à fila se o trabalhador morrer
MISSING = {
    lockdown.CPU: "não limita o tempo de processador",
    lockdown.MEMORY: "não limita a memória de um processo (uma vigia o encerra depois)",
    lockdown.WRITING: "não limita o tamanho dos arquivos que um processo grava",
    lockdown.USER: "não deixa trocar de usuário: o código do aluno roda como root",
    lockdown.FILES: "não impede que o código do aluno leia e mude os seus arquivos, até as "
                    "soluções",
    lockdown.SYSCALLS: "não corta a rede nem impede processos filhos (os que se acham acabam "
                       "mortos)",
}


@dataclass(frozen=True)
class Job:
    """Uma entrega a corrigir, e onde o resultado fica."""

    submission: Submission
    data: bytes
    notes: tuple[str, ...]
    key: str


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return run(options)
    except (AssignmentError, OSError, ValueError, RuntimeError, sqlite3.Error) as error:
        print(f"atencao-grade: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrompido. O que foi corrigido está guardado; rode o mesmo comando para "
              "continuar.", file=sys.stderr)
        return 130


def run(options: argparse.Namespace) -> int:
    path = find(options.assignment)
    assignment = Assignment.load(path)
    reference_for(assignment.name, assignment.text)  # a fonte tira a nota toda?
    _refuse_another_assignment(options.out, assignment)
    collection = collect(options.submissions, _wanted(path, assignment), skip=options.out)
    limits = Limits(
        cell_seconds=options.seconds, call_seconds=min(options.seconds, Limits.call_seconds),
        total_seconds=max(6 * options.seconds, Limits.total_seconds),
        memory=options.memory * 2**20,
    )
    _grade_all(options, assignment, collection, limits)
    slugs = [submission.slug for submission in collection.submissions]
    if not options.no_formgrader:
        formgrader.export(options.out, path, assignment, slugs)
    marks = formgrader.manual_marks(options.out / "formgrader", assignment)
    overview = report.write_all(options.out, assignment, slugs, collection, marks)
    _tell(overview, options.out)
    return 0


def _wanted(path: Path, assignment: Assignment) -> Wanted:
    """A tarefa e as outras que há em volta da fonte dela, numa pasta cada uma."""
    known = [assignment]
    home = path.resolve().parent
    if home.name == path.stem:
        for other in sorted(home.parent.glob("*/*.ipynb")):
            if other.stem == other.parent.name and other.parent != home:
                with contextlib.suppress(AssignmentError, OSError, ValueError):
                    known.append(Assignment.load(other))
    names = tuple(each.name for each in known[1:])
    return Wanted(assignment.name, names, lambda data: notebook.assignment_of(known, data))


def _refuse_another_assignment(out: Path, assignment: Assignment) -> None:
    try:
        before = json.loads((out / "resultados.json").read_text("utf-8"))["assignment"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if before != assignment.name:
        raise ValueError(
            f"{out} tem os resultados de {before}. Dê outra pasta a {assignment.name}, com --out."
        )


# O argparse fala pela função _ do módulo dele, que não acha tradução para o português.
_PORTUGUESE = {
    "usage: ": "uso: ",
    "positional arguments": "o que corrigir",
    "options": "opções",
    "show this help message and exit": "mostra esta ajuda",
    "the following arguments are required: %s": "faltou dizer: %s",
    "unrecognized arguments: %s": "não conheço: %s",
    "expected one argument": "espera um valor",
    "not allowed with argument %s": "não combina com %s",
    "argument %(argument_name)s: %(message)s": "%(argument_name)s: %(message)s",
    "%(prog)s: error: %(message)s\n": "%(prog)s: %(message)s\n",
}


def _parser() -> argparse.ArgumentParser:
    argparse._ = lambda text: _PORTUGUESE.get(text, text)
    parser = argparse.ArgumentParser(
        prog="atencao-grade", description="Corrige os cadernos de uma turma.",
    )
    parser.add_argument("submissions", type=Path, metavar="ENTREGAS",
                        help="pasta ou zip com os cadernos: uma pasta por aluno, o submitted/ do "
                             "nbgrader, o zip do Moodle, arquivos do Colab")
    parser.add_argument("--assignment", required=True, metavar="TAREFA",
                        help="nome da tarefa em assignments/source, ou o caminho do caderno-fonte")
    parser.add_argument("--out", type=Path, required=True, metavar="RESULTADOS",
                        help="pasta dos resultados")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=_positive, metavar="N",
                       help="quantos corrigem ao mesmo tempo (o normal: um por núcleo do "
                            "processador)")
    where.add_argument("--scheduler", metavar="ENDEREÇO",
                       help="um escalonador Dask que já roda, como tcp://servidor:8786")
    parser.add_argument("--memory", type=_positive, default=2048, metavar="MB",
                        help="memória de cada aluno (o normal: 2048)")
    parser.add_argument("--seconds", type=_positive, default=10, metavar="S",
                        help="tempo de cada célula (o normal: 10); o caderno todo tem seis vezes "
                             "isso, e ao menos 60")
    parser.add_argument("--no-formgrader", action="store_true",
                        help="não escreve a pasta do nbgrader para a correção à mão")
    return parser


def _positive(given: str) -> int:
    if not given.isdigit() or int(given) < 1:
        raise argparse.ArgumentTypeError(f"precisa ser um inteiro de 1 em diante, e é {given!r}")
    return int(given)


# ── Corrigir ────────────────────────────────────────────────────────────────────────────────────


def _grade_all(
    options: argparse.Namespace, assignment: Assignment, collection: Collection, limits: Limits
) -> None:
    jobs = _pending(options.out, assignment, collection, limits)
    first = next(jobs, None)
    if first is None:
        return
    slugs = [submission.slug for submission in collection.submissions]
    done = {slug for slug in slugs if report.data_path(options.out, slug).exists()}
    with _client(options) as client:
        change_user, missing = _survey(client, limits)
        _tell_missing(missing)
        with _Progress(len(slugs)) as progress:
            for job, result in _graded(client, assignment, [first], jobs, limits, change_user):
                _save(options.out, job, result)
                done.add(job.submission.slug)
                progress.done(len(done), job.submission.student)
    sandbox.sweep()  # de trabalhadores que tenham morrido


def _survey(client, limits: Limits) -> tuple[bool, tuple[str, ...]]:
    """O que o sistema dos trabalhadores sabe trancar. Levanta RuntimeError se nenhum responde."""
    from distributed import CancelledError, KilledWorker

    try:
        client.wait_for_workers(1, timeout=SECONDS_TO_SURVEY)
    except TimeoutError:
        raise RuntimeError("o escalonador não tem nenhum trabalhador. Ponha ao menos um para "
                           "rodar, com: dask worker ENDEREÇO") from None
    try:
        return client.submit(sandbox.survey, limits, pure=False).result(SECONDS_TO_SURVEY)
    except (TimeoutError, ModuleNotFoundError, CancelledError, KilledWorker):
        raise RuntimeError("os trabalhadores não conseguiram rodar a correção. Este mesmo pacote "
                           'está instalado neles? Rode lá: pip install ".[classroom]"') from None


def _pending(
    out: Path, assignment: Assignment, collection: Collection, limits: Limits
) -> Iterator[Job]:
    """As entregas que ainda não têm resultado, lidas só na hora."""
    program = _program_digest()
    for submission in collection.submissions:
        data, notes = submission.read()
        key = sha256(repr((
            program, assignment.digest, sha256(data).hexdigest(), notes, submission.student,
            submission.file, limits,
        )).encode()).hexdigest()
        if _saved_key(out, submission) != key:
            yield Job(submission, data, notes, key)


def _program_digest() -> str:
    """Muda quando muda o que decide uma nota: este pacote e as conferências."""
    home = Path(__file__).resolve().parent.parent
    files = [*home.glob("*.py"), *home.glob("checks/*.py"), *home.glob("classroom/*.py")]
    content = b"\0".join(path.read_bytes() for path in sorted(files))
    return sha256(content + str(VERSION).encode()).hexdigest()


def _saved_key(out: Path, submission: Submission) -> str:
    try:
        record = report.load(out, submission.slug)
        return record["key"] if record["questions"] else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _save(out: Path, job: Job, result: dict) -> None:
    record = {
        "key": "" if "failed" in result else job.key, "student": job.submission.student,
        "identifier": job.submission.identifier, "file": job.submission.file,
        "submission_notes": list(job.notes), **result,
    }
    report.write(report.data_path(out, job.submission.slug), report.to_json(record))


def _graded(
    client, assignment: Assignment, first: list[Job], jobs: Iterator[Job], limits: Limits,
    change_user: bool,
) -> Iterator[tuple[Job, dict]]:
    """Cada resultado uma vez, à medida que chega; a fila nunca tem a turma inteira.

    Quando um trabalhador morre, o Dask desconfia de tudo o que estava na fila dele. Os suspeitos
    ficam para o fim, um de cada vez: só o que derrubar quem corrige estando sozinho é dado por
    impossível.
    """
    from distributed import as_completed

    def send(job: Job, attempt: str = "") -> object:
        future = client.submit(
            grade_or_say_why, assignment.name, assignment.text, job.data, limits, change_user,
            key=f"entrega-{job.submission.slug}-{job.key[:16]}{attempt}", retries=RETRIES,
            pure=False,
        )
        waiting[future.key] = job
        return future

    waiting: dict[str, Job] = {}
    suspects: list[Job] = []
    room = AHEAD * max(len(client.scheduler_info()["workers"]), 1)
    queue = as_completed([send(job) for job in [*first, *islice(jobs, room - 1)]])
    for future in queue:
        job = waiting.pop(future.key)
        if future.exception() is None:
            yield job, _complete(assignment, future.result())
        else:
            suspects.append(job)
        future.release()
        for following in islice(jobs, 1):
            queue.add(send(following))
    for job in suspects:
        future = send(job, "-sozinha")
        error = future.exception()
        yield job, _complete(
            assignment, {"failed": type(error).__name__} if error else future.result()
        )


def _complete(assignment: Assignment, result: dict) -> dict:
    """O resultado; o de uma entrega que derrubou quem corrigia diz isso, e nenhuma nota."""
    if "failed" not in result:
        return result
    return {
        "failed": True, "problem": f"A correção parou. Veja o caderno: {result['failed']}",
        "notes": ["Não consegui corrigir este caderno; o professor vai olhar."],
        "errors": [], "cells": [], "sketch": [],
        "questions": [
            {"id": q.id, "title": q.title, "points": None, "max": q.points, "state": "à mão",
             "message": "", "replaced": [], "late": False, "results": []}
            for q in assignment.questions
        ],
    }


def _client(options: argparse.Namespace):
    import dask
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    dask.config.set(DASK)
    if options.scheduler:
        try:
            return Client(options.scheduler, timeout=20)
        except OSError:
            raise RuntimeError(f"não achei um escalonador Dask em {options.scheduler}.") from None
    workers = options.workers or os.cpu_count() or 1
    with _deaf_to_ctrl_c():
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True,
            dashboard_address="127.0.0.1:0", host="127.0.0.1", memory_limit=None,
            silence_logs=logging.CRITICAL,
        )
    return _OwnClient(Client(cluster), cluster, workers)


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """O que nasce aqui dentro, thread ou processo, não ouve o Ctrl-C: quem o atende é o comando."""
    if not hasattr(signal, "pthread_sigmask"):  # no Windows
        yield
        return
    resource_tracker.ensure_running()  # ao nascer, ele voltaria a deixar o sinal passar
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _OwnClient:
    """Um cliente que mantém inteiro o grupo de trabalhadores que criou e, ao fechar, o leva junto.

    O Dask não refaz um trabalhador que morre no instante em que nasce: sem o conserto, quem espera
    por ele esperaria para sempre.
    """

    def __init__(self, client, cluster, workers: int):
        from tornado.ioloop import PeriodicCallback

        self.client, self.cluster = client, cluster
        self.repair = PeriodicCallback(lambda: cluster.scale(workers), 1000 * SECONDS_TO_REPAIR)

    def __enter__(self):
        self.cluster.loop.add_callback(self.repair.start)
        return self.client

    def __exit__(self, *_: object) -> None:
        self.cluster.loop.add_callback(self.repair.stop)
        self.client.close()
        self.cluster.close()


# ── O que se diz no terminal ────────────────────────────────────────────────────────────────────


def _tell_missing(missing: Sequence[str]) -> None:
    for name in missing:
        print(f"Atenção: este sistema {MISSING[name]}.", file=sys.stderr)


class _Progress:
    """Uma barra no terminal; num arquivo, uma linha a cada décimo."""

    def __init__(self, total: int):
        self.total, self.tenth = total, -1
        self.live = sys.stderr.isatty()

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            print(file=sys.stderr)

    def done(self, count: int, student: str) -> None:
        share = count / max(self.total, 1)
        if self.live:
            bar = "█" * round(30 * share) + "·" * (30 - round(30 * share))
            print(f"\r{bar} {count}/{self.total}  {student[:30]:<30}", end="", file=sys.stderr)
        elif int(10 * share) != self.tenth:
            self.tenth = int(10 * share)
            print(f"{count} de {self.total} corrigidos", file=sys.stderr)


def _tell(overview: dict, out: Path) -> None:
    students = overview["students"]
    waiting = sum(1 for s in students if s["waiting"])
    print(f"Entregas corrigidas: {len(students)}.")
    if waiting:
        print(f"Com questões para ler à mão (pasta formgrader): {waiting}.")
    for s in students:
        if s["problem"]:
            print(printable(f"Sem nota: {s['student']}: {s['problem']}"))
    if others := overview["of_other_assignments"]:
        print(f"Cadernos de outras tarefas do curso: {others}.")
    for left in overview["left_out"]:
        print(printable(f"Fora: {left['file']}: {left['reason']}."))
    print(f"A turma: {out / 'turma.html'}")
    print(f"As notas: {out / 'notas-moodle.csv'} e {out / 'notas-classroom.csv'}")


if __name__ == "__main__":
    sys.exit(main())
