"""A ponta de cá do processo do aluno: criá-lo, falar com ele, e matá-lo quando passa da conta.

O que chega de lá é um valor, uma exceção descrita ou o silêncio; nada disso roda aqui.
"""

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from atencao.checks import guard
from atencao.classroom import lockdown, wire

SECONDS_TO_START = 60.0
GRACE = 1.0  # entre a célula ser avisada de que o tempo acabou e o processo ser morto
WATCH_EVERY = 0.05
MOST_DISK = 2**26
MOST_FILES = 2_000
MARK = "ATENCAO_ALUNO"
PREFIX = "atencao-aluno-"  # e o número de quem criou a pasta, para saber quando ficou sem dono

DIED, TOO_SLOW, TOO_MUCH_MEMORY, TOO_MANY_THREADS, TOO_MUCH_DISK, NOISE = (
    "o processo acabou sozinho", "o tempo acabou", "pediu memória demais",
    "criou linhas de execução demais", "gravou arquivos demais", "mandou uma resposta ilegível",
)


@dataclass(frozen=True)
class Limits:
    """Quanto cada aluno pode gastar."""

    cell_seconds: float = 10.0
    call_seconds: float = 3.0
    total_seconds: float = 60.0
    memory: int = 2**31


NORMAL = Limits()


@dataclass(frozen=True)
class StudentError(Exception):
    """Uma exceção que o código do aluno levantou, como ele a descreve: só texto."""

    kind: str
    builtin: str
    message: str
    frames: tuple[tuple[str, int, str, int], ...] = ()


class Missing(StudentError):
    """O aluno não ligou esse nome (``message``) em nenhuma célula que tenha rodado."""


class Gone(Exception):
    """O processo do aluno acabou; o texto diz por quê."""


@dataclass
class Sandbox:
    """Um processo do aluno. Use com ``with``: ao sair, não sobra processo nem arquivo."""

    limits: Limits = NORMAL
    imports: tuple[str, ...] = ()
    change_user: bool = True
    expires: float = float("inf")
    closed: tuple[str, ...] = ()
    why_gone: str = ""
    busy: bool = False
    _lent: list[Callable] = field(default_factory=list)

    def __enter__(self) -> "Sandbox":
        self.folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
        self.mark = os.path.basename(self.folder)
        settings = {
            "folder": self.folder, "memory": self.limits.memory,
            "seconds": int(self.limits.total_seconds) + 30, "imports": self.imports,
            "change_user": self.change_user,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-m", "atencao.classroom.student",
             json.dumps(settings)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=self.folder, env=_environment(self.folder, self.mark), start_new_session=True,
        )
        self.codec = wire.Codec(self._lend, self._proxy, "torch" in self.imports)
        self.deadline = time.monotonic() + SECONDS_TO_START
        self.ended = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        try:
            hello = self._receive()
            self.closed = tuple(hello["closed"])
        except BaseException:
            self.__exit__()
            raise
        self.deadline = float("inf")
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._kill()
        self.watcher.join()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        _remove(self.folder)

    def __deepcopy__(self, _: dict) -> "Sandbox":
        """A cópia de um substituto fala com o mesmo processo."""
        return self

    def run(self, source: str, name: str) -> None:
        self._ask("run", self.limits.cell_seconds, source, name)

    def get(self, name: str) -> object:
        """O valor de um nome do aluno: dados, ou um substituto do que não é dado."""
        reply = self._ask("get", self.limits.call_seconds, name)
        if reply.get("found") is not True:
            raise Missing("NameError", "NameError", name)
        return reply.get("value")

    def put(self, name: str, value: object) -> None:
        self._ask("put", self.limits.call_seconds, name, value)

    def call(
        self, number: int, arguments: list, named: Mapping[str, object], path: str = ""
    ) -> dict:
        return self._ask(
            "call", self.limits.call_seconds, number, arguments, dict(named), path
        )

    def attribute(self, number: int, name: str) -> object:
        return self._ask("attribute", self.limits.call_seconds, number, name).get("value")

    def load(self, number: int, values: Mapping[str, object], training: bool) -> None:
        self._ask("load", self.limits.call_seconds, number, dict(values), training)

    # ── a conversa ──

    def _ask(self, command: str, seconds: float, *arguments: object) -> dict:
        if self.why_gone:
            raise Gone(self.why_gone)
        if self.busy:  # alguém desistiu de esperar a resposta anterior, que ainda pode chegar
            self._give_up(TOO_SLOW)
        self.busy = True
        seconds = min(seconds, max(self.expires - time.monotonic(), 0.01))
        self.deadline = time.monotonic() + seconds + GRACE
        self._send([command, seconds, *arguments])
        reply = self._receive()
        while "callback" in reply:
            self._send(self._answer(reply))
            reply = self._receive()
        self.deadline = float("inf")
        self.busy = False
        if "error" in reply:
            raise _student_error(reply["error"])
        return reply

    def _send(self, message: object) -> None:
        try:
            wire.write(self.process.stdin, self.codec.pack(message))
        except wire.Closed:
            self._give_up(DIED)

    def _receive(self) -> dict:
        try:
            reply = self.codec.unpack(*wire.read(self.process.stdout))
        except wire.Closed:
            self._give_up(DIED)
        except wire.Refused:
            self._give_up(NOISE)
        if not isinstance(reply, dict):
            self._give_up(NOISE)
        return reply

    def _give_up(self, why: str) -> None:
        self.why_gone = self.why_gone or why
        self._kill()
        raise Gone(self.why_gone) from None

    def _answer(self, request: dict) -> dict:
        """O aluno chamou uma função que lhe demos; os argumentos são dele, e a rede, nossa."""
        outcome = guard.run(
            lambda: self._lent[request["callback"]](*request["arguments"], **request["named"]),
            self.limits.call_seconds,
        )
        if outcome.error is not None:
            return {"error": f"{type(outcome.error).__name__}: {outcome.error}"[:500]}
        return {"value": outcome.value}

    def _lend(self, value: object) -> dict:
        from atencao.classroom.proxies import Remote, number_of

        if isinstance(value, Remote):
            return {"yours": number_of(value)}
        if not callable(value):
            raise wire.Refused(f"não sei mandar ao aluno um {type(value).__name__}")
        self._lent.append(value)
        return {"number": len(self._lent) - 1}

    def _proxy(self, entry: dict) -> object:
        from atencao.classroom.proxies import proxy

        if "yours" in entry:
            return self._lent[entry["yours"]]
        return proxy(self, entry)

    # ── a vigia ──

    def _watch(self) -> None:
        """Olha o relógio, a memória e a pasta; o que passa da conta acaba aqui."""
        process = psutil.Process(self.process.pid)
        while not self.ended.wait(WATCH_EVERY):
            if time.monotonic() > self.deadline:
                return self._end(TOO_SLOW)
            try:
                if process.memory_info().rss > self.limits.memory + 2**28:
                    return self._end(TOO_MUCH_MEMORY)
                if process.num_threads() > 2 * lockdown.MOST_THREADS:
                    return self._end(TOO_MANY_THREADS)
            except psutil.Error:
                return None
            if _is_full(self.folder):
                return self._end(TOO_MUCH_DISK)
        return None

    def _end(self, why: str) -> None:
        self.why_gone = self.why_gone or why
        self._kill()

    def _kill(self) -> None:
        descendants = [] if lockdown.SYSCALLS in self.closed else _descendants(self)
        with contextlib.suppress(OSError, ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.process.kill()
        for process in descendants:
            with contextlib.suppress(psutil.Error):
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)


def _descendants(sandbox: Sandbox) -> list[psutil.Process]:
    """Filhos, netos e quem fugiu do grupo, reconhecido pela marca no ambiente."""
    found = []
    with contextlib.suppress(psutil.Error):
        found = psutil.Process(sandbox.process.pid).children(recursive=True)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == sandbox.mark and process.pid != os.getpid():
                found.append(process)
    return found


def _environment(folder: str, mark: str) -> dict[str, str]:
    """Nada do ambiente de quem corrige chega ao aluno, a não ser o que o sistema exige."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "WINDIR") if name in os.environ}
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return kept | dict.fromkeys(threads, "1") | {
        MARK: mark, "HOME": folder, "TMPDIR": folder, "TEMP": folder, "TMP": folder,
        "MPLCONFIGDIR": folder, "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0", "LANG": "C.UTF-8",
        "PATH": "",
    }


def _is_full(folder: str) -> bool:
    size = count = 0
    pending = [folder]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
                    if count > MOST_FILES or size > MOST_DISK:
                        return True
        except FileNotFoundError:
            continue
        except OSError:  # trancada, ou funda demais para ter um nome
            return True
    return False


def _remove(folder: str) -> None:
    """Apaga a pasta descartável, por mais fundo que o aluno tenha ido.

    Sem recursão: o que está dentro de uma subpasta sobe para a raiz, até que não haja subpastas.
    """
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
        while inside := list(os.scandir(folder)):
            for entry in inside:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                os.chmod(entry.path, 0o700)
                for inner in list(os.scandir(entry.path)):
                    if inner.is_dir(follow_symlinks=False):
                        os.chmod(inner.path, 0o700)
                    os.rename(inner.path, os.path.join(folder, secrets.token_hex(16)))
                os.rmdir(entry.path)
        os.rmdir(folder)


def _student_error(described: object) -> StudentError:
    """Só textos e números entram na exceção, sejam quais forem os que vieram."""
    if not isinstance(described, dict):
        described = {}

    def text(name: str, size: int) -> str:
        value = described.get(name)
        return value[:size] if isinstance(value, str) else ""

    frames = []
    for frame in described.get("frames") or []:
        if isinstance(frame, list) and [type(part) for part in frame] == [str, int, str, int]:
            line, start = (min(max(number, 1), 10**5) for number in (frame[1], frame[3]))
            frames.append((frame[0][:100], line, frame[2][:80], start))
    return StudentError(text("type", 80) or "Exception", text("builtin", 80),
                        without_addresses(text("message", 500)), tuple(frames[:50]))


def without_addresses(text: str) -> str:
    """Sem o endereço de memória que o Python mostra de um objeto: muda de uma vez para outra."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def sweep() -> None:
    """Apaga as pastas descartáveis cujo dono morreu sem tempo de apagá-las."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)) and not folder.is_symlink():
            _remove(str(folder))


def survey(limits: Limits = NORMAL) -> tuple[bool, tuple[str, ...]]:
    """Experimenta o que este sistema sabe trancar: (vale trocar de usuário?, o que não trancou)."""
    sweep()
    for change_user in (True, False):
        try:
            with Sandbox(limits, change_user=change_user) as sandbox:
                return change_user, tuple(
                    name for name in lockdown.ALL if name not in sandbox.closed
                )
        except (Gone, OSError):
            continue
    raise RuntimeError(
        "não consegui rodar um processo de aluno neste sistema. O pacote atencao está instalado "
        f"em {sys.executable}? Rode: pip install \".[classroom]\""
    )
