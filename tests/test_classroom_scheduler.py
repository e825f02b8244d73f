"""Um escalonador Dask de verdade, com dois trabalhadores em processos; um morre no meio."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import dask
import psutil
import pytest
from distributed import Client

from atencao.classroom import cli, report
from atencao.classroom import grade as grading
from classroom_class import STYLES, hand_in, hand_out, honest_class, pupil

SIZE = 30


@pytest.fixture
def scheduler(tmp_path):
    """(endereço, processos dos trabalhadores)."""
    file = tmp_path / "escalonador.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file",
               str(file), "--port", "0", "--host", "127.0.0.1", "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file),
              "--nthreads", "1", "--no-dashboard", "--no-nanny", "--memory-limit", "0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path,
             "env": os.environ | {"TMPDIR": str(tmp_path)}}
    running = [subprocess.Popen(command, **quiet)]
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    workers = [subprocess.Popen(worker, **quiet) for _ in range(2)]
    running += workers
    address = json.loads(file.read_text("utf-8"))["address"]
    with Client(address) as client:
        client.wait_for_workers(2, timeout=60)
    yield address, workers
    for process in reversed(running):  # um trabalhador sem escalonador espera por ele
        process.kill()
        process.wait(20)


def test_a_worker_dies_midway_and_nothing_is_lost_or_done_twice(tmp_path, scheduler, monkeypatch):
    address, workers = scheduler
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    source = hand_out(course)
    pupils = honest_class(SIZE)
    hand_in(pupils, folder)
    saved: Counter[str] = Counter()
    save = cli._save

    def counted(where, job, result):
        saved[job.submission.student] += 1
        if sum(saved.values()) == 5:
            workers[0].send_signal(signal.SIGKILL)
        save(where, job, result)

    monkeypatch.setattr(cli, "_save", counted)
    assert cli.main([str(folder), "--assignment", str(source), "--out", str(out),
                     "--scheduler", address, "--no-formgrader"]) == 0
    assert workers[0].wait(10) == -signal.SIGKILL
    assert saved == Counter({one.name: 1 for one in pupils})
    for path in (out / "dados").glob("*.json"):
        record = json.loads(path.read_text("utf-8"))
        (one,) = [one for one in pupils if one.name == record["student"]]
        assert tuple(q["points"] for q in record["questions"][:3]) == one.points
    commands = [" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])]
    assert not [c for c in commands if "atencao.classroom.student" in c and str(tmp_path) in c]


def test_what_kills_every_worker_is_one_students_problem(tmp_path, monkeypatch):
    """Um caderno que derrubasse quem corrige não pode levar a turma: fica marcado, e ela segue."""
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    source = hand_out(course)
    # A que derruba é a primeira: as inocentes ficam na fila do trabalhador que morre.
    hand_in([pupil("A Que Derruba", STYLES[2]), *(pupil(f"Inocente {i}") for i in range(4))],
            folder)
    monkeypatch.setattr(cli, "grade_or_say_why", _grade_that_dies_for_one)
    assert cli.main([str(folder), "--assignment", str(source), "--out", str(out),
                     "--workers", "1", "--no-formgrader"]) == 0
    overview = json.loads((out / "resultados.json").read_text("utf-8"))
    assert [s["student"] for s in overview["students"] if s["problem"]] == ["A Que Derruba"]
    assert [s["points"] for s in overview["students"]] == [0, 6, 6, 6, 6]
    record = next(json.loads(p.read_text("utf-8")) for p in (out / "dados").glob("a-que-*"))
    assert record["key"] == ""  # a segunda vez tenta de novo


def _grade_that_dies_for_one(name, text, data, limits, change_user):
    if b"sum(a * b" in data:
        os._exit(1)
    return grading.grade(name, text, data, limits, change_user)


def test_a_worker_that_dask_gives_up_on_is_replaced(tmp_path, monkeypatch):
    """O que o Dask faz, às vezes, com quem morre ao nascer: ninguém o refaz, e a fila pararia."""
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    source = hand_out(course)
    hand_in([pupil(f"Inocente {i}") for i in range(6)], folder)
    save, own_client = cli._save, cli._OwnClient
    clusters = []

    def remembered(client, cluster, workers):
        clusters.append(cluster)
        return own_client(client, cluster, workers)

    def then_nobody_works(*arguments):
        save(*arguments)
        if clusters:
            cluster = clusters.pop()
            cluster.sync(next(iter(cluster.workers.values())).close)

    monkeypatch.setattr(cli, "_OwnClient", remembered)
    monkeypatch.setattr(cli, "_save", then_nobody_works)
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1s"}):
        assert cli.main([str(folder), "--assignment", str(source), "--out", str(out),
                         "--workers", "1", "--no-formgrader"]) == 0
    overview = json.loads((out / "resultados.json").read_text("utf-8"))
    assert [s["points"] for s in overview["students"]] == [6] * 6


def test_an_exception_that_cannot_travel_stops_nobody(tmp_path, monkeypatch):
    """Uma exceção que o outro lado não saberia refazer deixaria o comando à espera para sempre."""
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    source = hand_out(course)
    hand_in([pupil("A Que Estraga", STYLES[2]), pupil("Inocente")], folder)
    monkeypatch.setattr(cli, "grade_or_say_why", _grade_with_a_bug)
    assert cli.main([str(folder), "--assignment", str(source), "--out", str(out),
                     "--workers", "1", "--no-formgrader"]) == 0
    students = json.loads((out / "resultados.json").read_text("utf-8"))["students"]
    assert [s["points"] for s in students] == [0, 6]
    assert "Incomunicavel" in students[0]["problem"]


class Incomunicavel(Exception):
    def __reduce__(self):
        raise RuntimeError


def _grade_with_a_bug(name, text, data, limits, change_user):
    with pytest.MonkeyPatch.context() as patch:
        if b"sum(a * b" in data:
            patch.setattr(grading, "grade", _raise_it)
        return grading.grade_or_say_why(name, text, data, limits, change_user)


def _raise_it(*_):
    raise Incomunicavel


def test_a_result_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "dados" / "a.json"
    report.write(path, "antes")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        report.write(path, "depois")
    assert path.read_text("utf-8") == "antes"


def test_the_queue_never_holds_the_whole_class(tmp_path, monkeypatch):
    """A memória não cresce com a turma: só se lê uma entrega quando há lugar na fila."""
    course, folder, out = tmp_path / "curso", tmp_path / "entregas", tmp_path / "resultados"
    source = hand_out(course)
    hand_in(honest_class(20), folder)
    lock, ahead, most = threading.Lock(), 0, 0
    read, save = cli.Submission.read, cli._save

    def counted_read(submission):
        nonlocal ahead, most
        with lock:
            ahead += 1
            most = max(most, ahead)
        return read(submission)

    def counted_save(*arguments):
        nonlocal ahead
        with lock:
            ahead -= 1
        save(*arguments)

    monkeypatch.setattr(cli.Submission, "read", counted_read)
    monkeypatch.setattr(cli, "_save", counted_save)
    assert cli.main([str(folder), "--assignment", str(source), "--out", str(out),
                     "--workers", "2", "--no-formgrader"]) == 0
    assert most <= 2 * cli.AHEAD + 1
