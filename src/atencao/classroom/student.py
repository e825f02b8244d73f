"""O processo do aluno: fecha as trancas, roda as células dele e responde ao que lhe pedem.

    python -I -m atencao.classroom.student '{"folder": …, "memory": …}'

Pedidos entram por stdin e respostas saem por stdout; o código do aluno não vê nenhum dos dois. O
que ele fizer com este processo é problema dele: quem corrige só lê daqui dados, e os julga lá.
"""

import builtins
import contextlib
import importlib.util
import inspect
import io
import json
import linecache
import os
import random
import signal
import sys
import types
import warnings

import numpy as np

import atencao
from atencao.classroom import lockdown, wire

MOST_MESSAGE = 500


class TimeUp(BaseException):
    """Acabou o tempo desta célula ou desta chamada; as outras ainda podem rodar."""


class Student:
    """O espaço de nomes do aluno e os objetos dele que alguém lá fora conhece por número."""

    def __init__(self, requests, replies):
        self.requests, self.replies = requests, replies
        self.module = types.ModuleType("__main__")
        self.names = vars(self.module)
        self.objects: list[object] = []
        self.codec = wire.Codec(self.keep, self.borrowed, tensors=True)
        self.commands = {
            "run": self.run, "get": self.get, "put": self.put, "call": self.call,
            "attribute": self.attribute, "load": self.load,
        }

    def serve(self) -> None:
        while True:
            command, seconds, *arguments = self.receive()
            self.send(self.guarded(lambda: self.commands[command](*arguments), seconds))  # noqa: B023

    def receive(self) -> object:
        return self.codec.unpack(*wire.read(self.requests))

    def send(self, reply: dict) -> None:
        try:
            message = self.codec.pack(reply)
        except BaseException as error:
            message = self.codec.pack({"error": described(error)})
        wire.write(self.replies, message)

    def guarded(self, action, seconds: float) -> dict:
        """O que ``action`` devolve, ou a exceção dela, descrita; com o tempo contado."""
        try:
            try:
                _alarm(seconds)
                return action()
            finally:
                _alarm(0)
        except wire.Closed:
            raise
        except BaseException as error:
            _alarm(0)  # a exceção pode ter sido o próprio alarme, no meio do finally
            return {"error": described(error)}

    # ── o que se pede ──

    def run(self, source: str, name: str) -> dict:
        """Roda uma célula. O texto dela fica onde o traceback e o inspect o procuram."""
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        sys.modules["__main__"] = self.module
        with silence():
            exec(compile(source, name, "exec"), self.names)
        return {}

    def get(self, name: str) -> dict:
        return {"found": name in self.names, "value": self.names.get(name)}

    def put(self, name: str, value: object) -> dict:
        self.names[name] = value
        return {}

    def attribute(self, number: int, name: str) -> dict:
        return {"value": getattr(self.objects[number], name)}

    def load(self, number: int, values: dict, training: bool) -> dict:
        """Põe outros pesos num nn.Module."""
        torch, module = sys.modules["torch"], self.objects[number]
        module.train(training)
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.copy_(torch.as_tensor(values[name]))
        return {}

    def call(self, number: int, arguments: list, named: dict, path: str) -> dict:
        """Chama um objeto do aluno e conta também em que argumentos ele mexeu.

        ``path``: a camada de um nn.Module; "" é o próprio objeto.
        """
        function = self.objects[number]
        if path:
            function = function.get_submodule(path)
        before = [snapshot(argument) for argument in arguments]
        with silence():
            value = function(*arguments, **named)
        changed = [
            [i, argument] for i, argument in enumerate(arguments)
            if before[i] is not None and snapshot(argument) != before[i]
        ]
        return {"value": value, "changed": changed}

    # ── o que não é dado ──

    def keep(self, value: object) -> dict:
        if isinstance(value, Borrowed):
            return {"yours": value._number}
        self.objects.append(value)
        return {"number": len(self.objects) - 1, **portrait(value)}

    def borrowed(self, entry: dict) -> object:
        if "yours" in entry:
            return self.objects[entry["yours"]]
        return Borrowed(self, entry["number"])


class Borrowed:
    """Uma função de quem corrige: chamá-la pede a conta lá e espera o resultado."""

    def __init__(self, student: Student, number: int):
        self._student, self._number = student, number

    def __call__(self, *arguments, **named):
        wire.write(self._student.replies, self._student.codec.pack(
            {"callback": self._number, "arguments": list(arguments), "named": named}
        ))
        reply = self._student.receive()
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["value"]


def portrait(value: object) -> dict:
    """O que se pode contar de um objeto sem mandá-lo: como se chama, o que recebe, o que guarda."""
    code = getattr(value, "__code__", None)
    about = {
        "callable": callable(value),
        "kind": type(value).__name__[:80],
        "name": str(getattr(value, "__name__", ""))[:80],
    }
    with contextlib.suppress(Exception):
        about["parameters"] = [
            [p.name, int(p.kind), p.default is not inspect.Parameter.empty]
            for p in inspect.signature(value).parameters.values()
        ][:50]
    if isinstance(code, types.CodeType):
        about["code"] = {
            "file": code.co_filename, "line": code.co_firstlineno,
            "works": bool(code.co_names or len(code.co_varnames) > code.co_argcount),
            "unfinished": any(constant is ... for constant in code.co_consts),
        }
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        about["weights"] = {
            name: parameter.detach() for name, parameter in value.named_parameters()
        }
        about["layers"] = [[path, layer_kind(layer)] for path, layer in value.named_modules()]
        about["training"] = value.training
        about["settings"] = {
            name: setting for name, setting in vars(value).items()
            if not name.startswith("_") and type(setting) in (int, float, bool)
        }
    elif torch is not None and isinstance(value, type) and issubclass(value, torch.nn.Module):
        about["creates"] = "module"
    return about


def layer_kind(layer: object) -> str:
    nn = sys.modules["torch"].nn
    return next((kind for kind in ("Linear", "MultiheadAttention")
                 if isinstance(layer, getattr(nn, kind))), "")


def snapshot(value: object) -> object:
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, list):
        return repr(value)
    if wire._is_tensor(value):
        return snapshot(value.detach().numpy())
    return None


def described(error: BaseException) -> dict:
    """A exceção em dados: o tipo, a mensagem e por que linhas do aluno ela passou."""
    try:
        message = str(error)[:MOST_MESSAGE]
    except BaseException:
        message = ""
    trace, frames = error.__traceback__, []
    while trace is not None and len(frames) < 50:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith("<célula"):
            frames.append([code.co_filename, trace.tb_lineno, code.co_name, code.co_firstlineno])
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        frames = [[str(error.filename), int(error.lineno or 1), "<module>", 1]]
        message = str(error.msg)[:MOST_MESSAGE]
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    return {
        "type": type(error).__name__[:80], "builtin": "TimeUp" if isinstance(error, TimeUp)
        else kinds[0] if kinds else "Exception",
        "message": message, "frames": frames,
    }


@contextlib.contextmanager
def silence():
    """O que o aluno imprime não vai a lugar nenhum, por mais que imprima."""
    with (
        contextlib.redirect_stdout(Nowhere()), contextlib.redirect_stderr(Nowhere()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


class Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)

    def writable(self) -> bool:
        return True


class Notebook:
    """O get_ipython() de um processo sem IPython: aceita tudo e não faz nada."""

    def __getattr__(self, name: str):
        return lambda *arguments, **named: None


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _ring)
        # Repete: a primeira exceção pode cair num except do aluno.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.2 if seconds else 0)


def _ring(*_: object) -> None:
    raise TimeUp


def _private_streams():
    """Tira a conversa de stdin e stdout, que passam a não dar em nada."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return requests, replies


def _checks_when_asked() -> None:
    """Deixa ``atencao.checks`` para quando alguém o usar: o aluno costuma só importá-lo."""
    spec = importlib.util.find_spec("atencao.checks")
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["atencao.checks"] = atencao.checks = module
    spec.loader.exec_module(module)


def main() -> None:
    settings = json.loads(sys.argv[1])
    student = Student(*_private_streams())
    for name in settings["imports"]:  # o que demora entra antes das trancas e do relógio
        with contextlib.suppress(Exception):
            __import__(name)
    _checks_when_asked()
    closed = lockdown.close_all(
        settings["folder"], seconds=settings["seconds"], memory=settings["memory"],
        change_user=settings["change_user"],
    )
    sys.argv = [""]
    builtins.input = lambda *_: ""
    builtins.display = lambda *_, **__: None
    builtins.get_ipython = Notebook
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    student.send({"closed": closed})
    with contextlib.suppress(wire.Closed):
        student.serve()
    os._exit(0)


if __name__ == "__main__":
    main()
