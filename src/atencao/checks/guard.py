"""Roda código alheio sem que ele quebre a conferência nem a sessão.

O código do aluno recebe cópias, tem tempo e memória contados, imprime num caderno à parte e, seja
o que for que tenha mexido (NumPy, sorteios, pasta, avisos), ao sair tudo volta ao que era. Não é
uma prisão: quem quiser mesmo trapacear consegue. É uma rede para enganos de boa-fé.
"""

import builtins
import ctypes
import gc
import io
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from types import ModuleType, TracebackType

import numpy as np

try:
    import resource
except ImportError:  # o Windows não tem
    resource = None

SECONDS = 5.0
MEMORY = 2**30  # bytes que a função pode pedir além do que o processo já usa
MOST_PRINTED = 2_000  # caracteres guardados do que ela imprime


@dataclass(frozen=True)
class Outcome:
    """O que sobrou de uma chamada: um valor ou uma exceção, e o que ela imprimiu."""

    value: object = None
    error: BaseException | None = None
    printed: str = ""


class TimeUp(BaseException):
    """Acabou o tempo. Deriva de BaseException para atravessar um ``except Exception``."""


def run(action: Callable[[], object], seconds: float) -> Outcome:
    """Chama ``action()`` com a rede toda armada. Nunca levanta exceção."""
    heard = _Ear()
    alarm = _Alarm(seconds)
    value = error = None
    with ExitStack() as stack:
        for protection in (_session_restored, _exits_closed, _memory_limited, _gc_unwatched):
            stack.enter_context(protection())
        stack.enter_context(redirect_stdout(heard))
        stack.enter_context(redirect_stderr(heard))
        try:
            try:
                alarm.start()
                value = action()
            finally:
                alarm.stop()
        except BaseException as raised:
            error = raised
        alarm.stop()  # o alarme pode ter tocado no meio do stop anterior
    if alarm.rang:  # mesmo que a função tenha engolido a exceção
        trace = error.__traceback__ if error else None
        error = TimeUp().with_traceback(trace)
    return Outcome(None if error else value, error, heard.getvalue())


def words(error: BaseException) -> str:
    """A mensagem de uma exceção; vazia se nem ela se deixa ler."""
    return " ".join(str(run(lambda: str(error), 1.0).value or "").split())


@contextmanager
def pristine() -> Iterator[None]:
    """Dentro do bloco, NumPy e este pacote são os de quando foram importados."""
    found = _differences(_ORIGINALS)
    _put_back(_ORIGINALS)
    try:
        yield
    finally:
        for module, name, value in found:
            setattr(module, name, value)


class _Ear(io.StringIO):
    """Ouve o que se imprime, até um limite."""

    def write(self, text: str) -> int:
        room = MOST_PRINTED - self.tell()
        if room > 0:
            super().write(str(text)[:room])
        return len(text)


class _Alarm:
    """Levanta TimeUp na linha de execução que o criou, e repete até que ela pare.

    Na principal, quem toca é o sistema, que acorda até um ``sleep``; nas outras, e se a função
    mexer nos sinais, quem toca é uma linha de execução à parte.
    """

    AGAIN = 0.05
    LATE = 0.5

    def __init__(self, seconds: float):
        self.seconds = max(seconds, 0.001)
        self.rang = self.sent = False
        self.armed = False
        self.thread = threading.get_ident()
        self.signals = (
            hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        )
        self.cancelled = threading.Event()
        self.lock = threading.Lock()
        self.previous = None

    def start(self) -> None:
        self.armed = True
        threading.Thread(target=self._watch, daemon=True).start()
        if self.signals:
            self.previous = signal.signal(signal.SIGALRM, self._ring), signal.getitimer(
                signal.ITIMER_REAL
            )
            signal.setitimer(signal.ITIMER_REAL, self.seconds, self.AGAIN)

    def stop(self) -> None:
        self.armed = False
        self.cancelled.set()
        if self.signals and self.previous:
            handler, timer = self.previous
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, *timer)
            self.previous = None
        with self.lock:
            sent, self.sent = self.sent, False
        if sent:
            with suppress(TimeUp):  # recebe aqui o que ainda estivesse a caminho
                for _ in range(1000):
                    pass

    def _ring(self, *_: object) -> None:
        if self.armed:
            self.rang = True
            raise TimeUp

    def _watch(self) -> None:
        wait = self.seconds + (self.LATE if self.signals else 0)
        while not self.cancelled.wait(wait):
            with self.lock:
                if self.armed:
                    self.rang = self.sent = True
                    _raise_in(self.thread, TimeUp)
            wait = self.AGAIN


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


@contextmanager
def _memory_limited() -> Iterator[None]:
    limits = _memory_limits()
    if limits is None:
        yield
        return
    (soft, hard), wanted = limits
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _memory_limits() -> tuple[tuple[int, int], int] | None:
    """O limite de agora e o que queremos; None onde o sistema não sabe limitar."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    except (OSError, AttributeError, ValueError):
        return None
    wanted = used + MEMORY
    tighter = [limit for limit in (soft, hard) if limit not in (-1, resource.RLIM_INFINITY)]
    return (soft, hard), min([wanted, *tighter])


@contextmanager
def _exits_closed() -> Iterator[None]:
    """Fecha as portas que encerrariam o processo sem exceção: vira SystemExit."""

    def leave(*_: object) -> None:
        raise SystemExit

    doors = [(os, "_exit"), (os, "abort")]
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        doors.append((shell, "ask_exit"))
    open_doors = [getattr(place, name) for place, name in doors]
    for place, name in doors:
        setattr(place, name, leave)
    try:
        yield
    finally:
        for (place, name), door in zip(doors, open_doors, strict=True):
            setattr(place, name, door)


@contextmanager
def _gc_unwatched() -> Iterator[None]:
    """Sem as funções de ``gc.callbacks``: o alarme que tocasse dentro de uma delas se perderia."""
    watching = gc.callbacks[:]
    gc.callbacks.clear()
    try:
        yield
    finally:
        gc.callbacks[:] = watching


@contextmanager
def _session_restored() -> Iterator[None]:
    before = _snapshot()
    legacy, python = np.random.get_state(), random.getstate()  # noqa: NPY002
    folder, environment = os.getcwd(), dict(os.environ)
    depth, loaded = sys.getrecursionlimit(), dict(sys.modules)
    trace, profile = sys.gettrace(), sys.getprofile()
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate())
        stack.enter_context(np.printoptions())
        stack.enter_context(_torch_restored())
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            _put_back(before)
            np.random.set_state(legacy)  # noqa: NPY002
            random.setstate(python)
            sys.setrecursionlimit(depth)
            if sys.gettrace() is not trace:
                sys.settrace(trace)
            if sys.getprofile() is not profile:
                sys.setprofile(profile)
            for name in loaded.keys() - sys.modules.keys():
                sys.modules[name] = loaded[name]
            if dict(os.environ) != environment:
                os.environ.clear()
                os.environ.update(environment)
            with suppress(OSError):
                os.chdir(folder)


@contextmanager
def _torch_restored() -> Iterator[None]:
    torch = sys.modules.get("torch")
    if not hasattr(torch, "get_rng_state"):
        yield
        return
    sorts, gradients = torch.get_rng_state(), torch.is_grad_enabled()
    kind, threads = torch.get_default_dtype(), torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_rng_state(sorts)
        torch.set_grad_enabled(gradients)
        torch.set_default_dtype(kind)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)


def _watched() -> list[ModuleType]:
    """Os módulos em que se confia na hora de julgar: os nossos, o NumPy e os da casa."""
    ours = [module for name, module in sorted(sys.modules.items()) if name.startswith("atencao")]
    methods = sys.modules.get("numpy._core._methods")
    return [*ours, np, np.linalg, *([methods] if methods else []), builtins, sys.modules["math"]]


def _snapshot() -> list[tuple[ModuleType, dict]]:
    return [(module, dict(vars(module))) for module in _watched()]


def _differences(snapshot: list[tuple[ModuleType, dict]]) -> list[tuple[ModuleType, str, object]]:
    return [
        (module, name, vars(module)[name])
        for module, names in snapshot
        for name, value in names.items()
        if name in vars(module) and vars(module)[name] is not value and name not in _LIVE
    ]


def _put_back(snapshot: list[tuple[ModuleType, dict]]) -> None:
    for module, names in snapshot:
        now = vars(module)
        for name, value in names.items():
            if name not in _LIVE and (name not in now or now[name] is not value):
                setattr(module, name, value)


_LIVE = {"_", "__builtins__", "__warningregistry__", "_ORIGINALS"}
_ORIGINALS: list[tuple[ModuleType, dict]] = []


def remember() -> None:
    """Guarda o NumPy e o pacote de agora como os originais. Chamado ao fim da importação."""
    _ORIGINALS[:] = _snapshot()


def frames(trace: TracebackType | None) -> list[tuple[str, int, str, int]]:
    """As linhas por onde a exceção passou: arquivo, linha, função e onde a função começa."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append((code.co_filename, trace.tb_lineno, code.co_name, code.co_firstlineno))
        trace = trace.tb_next
    return found
