"""Cada promessa de isolamento, atacada de dentro do processo do aluno.

O que este sistema não tem, ``survey`` diz; a promessa correspondente então não se cobra aqui.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from atencao.classroom import cli, lockdown
from atencao.classroom.proxies import RemoteFunction
from atencao.classroom.sandbox import (
    DIED,
    PREFIX,
    TOO_MUCH_DISK,
    TOO_SLOW,
    Gone,
    Limits,
    Sandbox,
    StudentError,
    survey,
    sweep,
)

LIMITS = Limits(cell_seconds=2, call_seconds=2, total_seconds=30, memory=2**29)


@pytest.fixture(scope="module")
def surveyed():
    return survey(LIMITS)


@pytest.fixture
def sandbox(surveyed):
    with Sandbox(LIMITS, change_user=surveyed[0]) as opened:
        yield opened


def promised(sandbox: Sandbox, *names: str) -> None:
    missing = [name for name in names if name not in sandbox.closed]
    if missing:
        pytest.skip(f"este sistema não tranca: {', '.join(missing)}")


def refused(sandbox: Sandbox, source: str) -> str:
    with pytest.raises(StudentError) as error:
        sandbox.run(source, "<célula 1>")
    return error.value.kind


def test_on_linux_every_lock_closes(surveyed):
    if not lockdown.LINUX:
        pytest.skip("só no Linux há todas as trancas")
    assert surveyed == (True, ())


def test_what_a_system_lacks_has_a_sentence():
    assert cli.MISSING.keys() == set(lockdown.ALL)


@pytest.mark.parametrize("action", [
    "open({path!r}).read()",
    "open({path!r}, 'a')",
    "import os; os.remove({path!r})",
    "import os; os.rename({path!r}, 'aqui')",
    "import os; os.truncate({path!r}, 0)",
    "import os; os.listdir(os.path.dirname({path!r}))",
    "import os; os.chmod({path!r}, 0)",
    "import os; os.utime({path!r}, (0, 0))",
    "import os; os.link({path!r}, 'aqui')",
    "import os; os.symlink({path!r}, 'aqui')",
    "import os; os.mkfifo('aqui')",
    "import os; os.setxattr({path!r}, 'user.x', b'1')",
    "import sqlite3; sqlite3.connect({path!r}).execute('create table a (b)')",
    "open('/proc/self/root' + {path!r}).read()",
    "import os; os.open('/proc/1/environ', os.O_RDONLY)",
])
def test_files_outside_cannot_be_touched(sandbox, tmp_path, action):
    promised(sandbox, lockdown.FILES, lockdown.SYSCALLS)
    path = tmp_path / "notas.txt"
    path.write_text("dez", encoding="utf-8")
    tmp_path.chmod(0o777)
    path.chmod(0o666)
    assert refused(sandbox, action.format(path=str(path))) in (
        "PermissionError", "OSError", "OperationalError"
    )
    assert path.read_text(encoding="utf-8") == "dez"


@pytest.mark.parametrize("action", [
    "import socket; socket.socket()",
    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "import socket; socket.socket(socket.AF_UNIX)",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
    "import os; os.fork()",
    "import os; os.execv('/bin/true', ['true'])",
    "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])",
    "import multiprocessing as m; m.get_context('fork').Process(target=print).start()",
    "import os; os.kill(os.getppid(), 0)",
    "import os; os.kill(-1, 0)",
    "import resource, os; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
    "import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "import os; os.memfd_create('x')",
    "import os; os.chroot('.')",
])
def test_network_processes_and_signals_are_refused(sandbox, action):
    promised(sandbox, lockdown.SYSCALLS)
    assert refused(sandbox, action) in ("PermissionError", "OSError", "URLError")


def test_raw_system_calls_are_refused_too(sandbox):
    promised(sandbox, lockdown.SYSCALLS)
    lines = [
        "import ctypes, platform", "libc = ctypes.CDLL(None, use_errno=True)",
        f"numeros = {[n[0] for n in (*lockdown._DENIED.values(), lockdown._CLONE3) if n[0]]}",
        "feitas = {n: libc.syscall(n, 0, 0, 0, 0, 0) for n in numeros}",
        "passaram = [n for n, r in feitas.items() if r != -1]",
        "filho = libc.syscall(56, 17, 0, 0, 0, 0)",
    ]
    sandbox.run("\n".join(lines), "<célula 1>")
    assert sandbox.get("passaram") == []
    assert sandbox.get("filho") == -1


def test_the_environment_holds_no_secret(monkeypatch, surveyed):
    monkeypatch.setenv("SENHA_DO_PROFESSOR", "123")
    with Sandbox(LIMITS, change_user=surveyed[0]) as sandbox:
        sandbox.run("import os; tudo = repr(dict(os.environ))", "<célula 1>")
        assert "SENHA" not in sandbox.get("tudo")


def test_root_is_left_at_the_door(sandbox):
    promised(sandbox, lockdown.USER)
    sandbox.run("import os; quem = os.getuid()", "<célula 1>")
    assert sandbox.get("quem") != 0


def test_two_students_cannot_read_each_other(surveyed):
    with Sandbox(LIMITS, change_user=surveyed[0]) as one:
        promised(one, lockdown.FILES)
        one.run("open('resposta', 'w').write('42')", "<célula 1>")
        with Sandbox(LIMITS, change_user=surveyed[0]) as other:
            path = str(Path(one.folder) / "resposta")
            assert refused(other, f"open({path!r})") == "PermissionError"
            assert refused(other, f"open('/proc/{one.process.pid}/environ')") == "PermissionError"


def test_memory_is_limited_and_the_process_lives_on(sandbox):
    promised(sandbox, lockdown.MEMORY)
    assert refused(sandbox, "import numpy as np; x = np.ones(2**28)") == "MemoryError"
    sandbox.run("y = 1", "<célula 2>")
    assert sandbox.get("y") == 1


def test_shared_memory_counts_as_well(sandbox):
    with pytest.raises((StudentError, Gone)):
        sandbox.run(
            "import mmap, time\nm = mmap.mmap(-1, 2**31)\nfor i in range(0, 2**31, 4096):\n"
            "    m[i] = 1\ntime.sleep(1)", "<célula 1>",
        )


def test_a_soft_timeout_keeps_what_was_there(sandbox):
    sandbox.run("x = 5", "<célula 1>")
    assert refused(sandbox, "while True: pass") == "TimeUp"
    assert sandbox.get("x") == 5


@pytest.mark.parametrize(("source", "why"), [
    ("import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass", TOO_SLOW),
    ("import os\nos._exit(0)", DIED),
    ("i = 0\nwhile True:\n    open(f'f{i}', 'wb').write(bytes(2**23))\n    i += 1", TOO_MUCH_DISK),
    ("i = 0\nwhile True:\n    open(f'f{i}', 'w').close()\n    i += 1", TOO_MUCH_DISK),
])
def test_what_goes_too_far_is_ended(sandbox, source, why):
    with pytest.raises(Gone, match=why):
        sandbox.run(source, "<célula 1>")
    with pytest.raises(Gone):
        sandbox.get("x")
    assert not psutil.pid_exists(sandbox.process.pid)


def test_one_file_has_a_limit(sandbox):
    promised(sandbox, lockdown.WRITING)
    assert refused(sandbox, "open('a', 'wb').write(bytes(2**26))") == "OSError"


def test_nothing_it_prints_comes_out(sandbox, capfd):
    sandbox.run("import os, sys\nprint('x' * 10**8)\nos.write(1, b'oi')\nos.write(2, b'oi')\n"
                "sys.__stdout__.write('oi')\nsys.stderr.write('oi')", "<célula 1>")
    assert capfd.readouterr() == ("", "")


def test_the_folder_goes_away(surveyed):
    with Sandbox(LIMITS, change_user=surveyed[0]) as sandbox:
        folder = Path(sandbox.folder)
        sandbox.run("import os\nos.makedirs('a/b/c')\nopen('a/b/c/d', 'w').write('x')",
                    "<célula 1>")
        assert (folder / "a/b/c/d").exists()
    assert not folder.exists()
    assert not psutil.pid_exists(sandbox.process.pid)


@pytest.mark.parametrize("source", [
    "import os\nfor _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')",
    "import os\nfor _ in range(900):\n    os.mkdir('longo' * 10)\n    os.chdir('longo' * 10)",
    "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.mkdir('a/b/d', 0)",
])
def test_no_folder_is_too_deep_to_go_away(surveyed, source):
    with Sandbox(LIMITS, change_user=surveyed[0]) as sandbox:
        with contextlib.suppress(Gone, StudentError):
            sandbox.run(source, "<célula 1>")
        folder = Path(sandbox.folder)
    assert not folder.exists()


def test_the_student_dies_with_whoever_grades():
    if not lockdown.LINUX:
        pytest.skip("só o Linux avisa o filho da morte do pai")
    code = (
        "from atencao.classroom.sandbox import Sandbox, Limits\nimport os, signal, sys\n"
        "s = Sandbox(Limits(cell_seconds=100)).__enter__()\nprint(s.process.pid, s.folder)\n"
        "sys.stdout.flush()\ns.run('while True: pass', '<célula 1>')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        pid, folder = run.stdout.readline().split()
        time.sleep(0.5)
        run.kill()
    end = time.monotonic() + 10
    while psutil.pid_exists(int(pid)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not psutil.pid_exists(int(pid))
    os.rmdir(folder)


# ── Só dados atravessam ─────────────────────────────────────────────────────────────────────────


def test_values_cross_as_plain_data(sandbox):
    sandbox.run(
        "import numpy as np\nclass A(np.ndarray):\n    def __eq__(self, o): return True\n"
        "valores = [1, 2.5, 'texto', None, True, (1, [2]), {'a': 1}, np.float32(0.5), "
        "np.arange(6).reshape(2, 3), np.ones(2).view(A), 1 + 2j, ...]", "<célula 1>",
    )
    values = sandbox.get("valores")
    assert values[:7] == [1, 2.5, "texto", None, True, (1, [2]), {"a": 1}]
    assert values[7] == np.float32(0.5)
    assert type(values[7]) is np.float32
    np.testing.assert_array_equal(values[8], [[0, 1, 2], [3, 4, 5]])
    assert type(values[9]) is np.ndarray
    assert values[10:] == [1 + 2j, ...]


def test_a_function_is_called_over_there_and_its_changes_come_back(sandbox):
    sandbox.run("def dobra(x, *, mais=0):\n    x *= 2\n    return x + mais, len(x)", "<célula 1>")
    double = sandbox.get("dobra")
    assert isinstance(double, RemoteFunction)
    given = np.array([1.0, 2.0])
    result, size = double(given, mais=1)
    np.testing.assert_array_equal(result, [3, 5])
    np.testing.assert_array_equal(given, [2, 4])
    assert size == 2


def test_the_student_can_call_what_was_lent_and_only_call_it(sandbox):
    sandbox.put("soma", lambda a, b: a + b)
    sandbox.run("r = soma(2, 3)\ntem = [n for n in dir(soma) if 'code' in n or 'globals' in n]\n"
                "try:\n    soma('a', 1)\nexcept ValueError as erro:\n    texto = str(erro)",
                "<célula 1>")
    assert sandbox.get("r") == 5
    assert sandbox.get("tem") == []
    assert "TypeError" in sandbox.get("texto")


def test_a_student_exception_arrives_as_words(sandbox):
    sandbox.run("class Praga(ValueError):\n    def __reduce__(self): return (exit, ())\n"
                "def f():\n    x = 1\n    raise Praga('<b>oi</b>')", "<célula 1>")
    with pytest.raises(ValueError, match="<b>oi</b>") as error:
        sandbox.get("f")()
    assert type(error.value).__name__ == "Praga"
    assert type(error.value).__module__ != "__main__"


def test_an_abandoned_call_cannot_answer_the_next_one(sandbox):
    """Se quem espera desiste, a resposta atrasada não vale pela pergunta seguinte."""
    sandbox.run("def f():\n    return 'velha'\nx = 'nova'", "<célula 1>")
    sandbox._send(["call", 2, 0, [], {}, ""])
    sandbox.busy = True
    with pytest.raises(Gone):
        sandbox.get("x")


def test_there_is_no_reply_that_runs_here(sandbox):
    """Um processo que fala qualquer coisa no canal só consegue ser encerrado."""
    noise = ("import os\nx = 1\nfor fd in range(3, 30):\n    try: os.write(fd, os.urandom(4096))\n"
             "    except OSError: pass")
    with pytest.raises(Gone):
        sandbox.run(noise, "<célula 1>")
    assert sandbox.why_gone


def test_the_folder_of_a_dead_grader_is_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    orphan = tmp_path / f"{PREFIX}{dead.pid}-abc"
    owned = tmp_path / f"{PREFIX}{os.getpid()}-abc"
    for folder in (orphan, owned):
        (folder / "dentro").mkdir(parents=True)
    sweep()
    assert not orphan.exists()
    assert owned.exists()
