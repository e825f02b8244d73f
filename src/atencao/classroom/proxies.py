"""Os substitutos, do lado de cá, do que ficou no processo do aluno.

Uma função do aluno vira um objeto chamável: os argumentos vão como dados, o resultado volta como
dados, e a exceção volta como uma exceção nossa, com a mensagem e as linhas da dele. Assim as
conferências dizem o mesmo que diriam em aula.
"""

import builtins
import inspect
import sys
from functools import partial
from types import SimpleNamespace

from atencao.checks import guard
from atencao.classroom.sandbox import Gone, Sandbox, StudentError

HARMLESS = {
    name: kind for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
    # Estas pedem mais que um texto para nascer.
    and not issubclass(kind, UnicodeError | BaseExceptionGroup)
} | {"SystemExit": SystemExit, "KeyboardInterrupt": KeyboardInterrupt}


class Remote:
    """Um objeto do aluno que não é dado. Atributos públicos podem ser lidos."""

    def __init__(self, sandbox: Sandbox, entry: dict):
        self._sandbox, self._number = sandbox, entry["number"]
        self._kind = entry.get("kind")

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return asked(lambda: self._sandbox.attribute(self._number, name))

    def __repr__(self) -> str:
        return f"<{self._kind} do aluno>"


class RemoteFunction(Remote):
    """O que o aluno entregou e se pode chamar."""

    def __init__(self, sandbox: Sandbox, entry: dict):
        super().__init__(sandbox, entry)
        self.__name__ = str(entry.get("name") or entry.get("kind"))
        signature = _signature(entry.get("parameters"))
        if signature is not None:
            self.__signature__ = signature
        about = entry.get("code")
        if isinstance(about, dict):
            self.__code__ = _portrait_of_code(about)

    def __call__(self, *arguments: object, **named: object) -> object:
        return called(self._sandbox, self._number, arguments, named)


def proxy(sandbox: Sandbox, entry: dict) -> object:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(entry.get("weights"), dict):
        from atencao.classroom.torch_proxy import remote_module

        return remote_module(sandbox, entry)
    if torch is not None and entry.get("creates") == "module":
        from atencao.classroom.torch_proxy import remote_module_class

        return remote_module_class(RemoteFunction(sandbox, entry))
    return (RemoteFunction if entry.get("callable") is True else Remote)(sandbox, entry)


def number_of(remote: Remote) -> int:
    return vars(remote)["_number"]


def called(
    sandbox: Sandbox, number: int, arguments: tuple, named: dict, path: str = ""
) -> object:
    """O resultado de uma chamada lá, com os argumentos daqui mexidos como os de lá."""
    reply = asked(lambda: sandbox.call(number, list(arguments), named, path))
    for change in reply.get("changed") or ():
        _repeat_change(arguments, change)
    return reply.get("value")


def _repeat_change(arguments: tuple, change: list) -> None:
    """O aluno mexeu no argumento dele, que é uma cópia; a nossa fica igual à dele."""
    place, value = change
    ours = arguments[place]
    if isinstance(ours, list) and isinstance(value, list):
        ours[:] = value
    elif getattr(ours, "shape", None) == getattr(value, "shape", ()):
        ours[...] = value


def asked(action):
    """O que o aluno respondeu; a exceção dele, ou o silêncio, como as conferências os leem."""
    try:
        return action()
    except Gone as gone:
        raise guard.TimeUp(str(gone)) from None
    except StudentError as error:
        raise as_exception(error) from None


def as_exception(error: StudentError) -> BaseException:
    """Uma exceção daqui, com o traceback nas linhas do aluno."""
    kind = guard.TimeUp if error.builtin == "TimeUp" else HARMLESS.get(error.builtin, Exception)
    if error.kind != error.builtin and issubclass(kind, Exception):
        kind = type(error.kind if error.kind.isidentifier() else "Exception", (kind,), {})
    raised = kind(error.message)
    raised.of_student = True
    return _raised_at(raised, error.frames)


def _raised_at(error: BaseException, frames: tuple) -> BaseException:
    """A exceção como se tivesse passado pelas linhas do aluno, da de fora à mais funda."""
    raise_it = _raiser(error)
    for file, line, name, start in reversed(frames):
        source = "\n" * max(line - start, 0) + "raise_it()"
        code = compile(source, file, "exec").replace(co_name=name, co_firstlineno=max(start, 1))
        raise_it = partial(exec, code, {"raise_it": raise_it})
    try:
        raise_it()
    except BaseException as raised:
        return raised


def _raiser(error: BaseException):
    def raise_it():
        raise error

    return raise_it


def _signature(parameters: object) -> inspect.Signature | None:
    try:
        return inspect.Signature([
            inspect.Parameter(
                name, inspect._ParameterKind(kind),
                default=None if optional is True else inspect.Parameter.empty,
            )
            for name, kind, optional in parameters
        ])
    except Exception:
        return None


def _portrait_of_code(about: dict) -> SimpleNamespace:
    """O que as conferências leem de ``__code__``, sem código nenhum."""
    works = about.get("works") is True
    return SimpleNamespace(
        co_filename=str(about.get("file"))[:100],
        co_firstlineno=about.get("line") if type(about.get("line")) is int else 1,
        co_names=("conta",) if works else (), co_varnames=(), co_argcount=0,
        co_consts=(...,) if about.get("unfinished") is True else (),
    )
