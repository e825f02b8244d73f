"""Um nn.Module do aluno, visto daqui: os pesos são nossos, as contas são dele.

As conferências copiam pesos para dentro do módulo e chamam-no, ou a uma camada dele. Cada chamada
leva antes os pesos de cá para lá.
"""

from torch import nn

from atencao.classroom.proxies import RemoteFunction, asked, called
from atencao.classroom.sandbox import Sandbox


class RemoteLayer(nn.Module):
    """Uma camada do aluno: ``path`` é o nome dela dentro da raiz, "" para a própria raiz."""

    def __init__(self):
        super().__init__()

    def forward(self, *arguments: object, **named: object) -> object:
        root, path = self.__dict__["_root"], self.__dict__["_path"]
        weights = {name: value.detach() for name, value in root.named_parameters()}
        sandbox, number = root.__dict__["_sandbox"], root.__dict__["_number"]
        asked(lambda: sandbox.load(number, weights, root.training))
        return called(sandbox, number, arguments, named, path)


class _Linear(RemoteLayer, nn.Linear):
    def __init__(self):
        nn.Module.__init__(self)


class _MultiheadAttention(RemoteLayer, nn.MultiheadAttention):
    def __init__(self):
        nn.Module.__init__(self)


_KINDS = {"Linear": _Linear, "MultiheadAttention": _MultiheadAttention}


def remote_module(sandbox: Sandbox, entry: dict) -> RemoteLayer:
    """A raiz, com as mesmas camadas e os mesmos parâmetros, com os mesmos nomes."""
    layers: dict[str, RemoteLayer] = {}
    for path, kind in entry["layers"]:
        kind = _KINDS.get(kind, RemoteLayer)
        layers[path] = layer = (kind if path else type(_named(entry.get("kind")), (kind,), {}))()
        if path:
            home, _, name = path.rpartition(".")
            layers[home].add_module(name, layer)
        layer.__dict__.update(_root=layers[""], _path=path)
    for path, value in entry["weights"].items():
        home, _, name = path.rpartition(".")
        layers[home].register_parameter(name, nn.Parameter(value, requires_grad=False))
    root = layers[""]
    root.__dict__.update(_sandbox=sandbox, _number=entry["number"])
    root.train(entry.get("training") is True)
    for name, value in entry["settings"].items():
        if not hasattr(root, name) and type(value) in (int, float, bool):
            root.__dict__[name] = value
    return root


def remote_module_class(create: RemoteFunction) -> type:
    """Uma classe de nn.Module do aluno: criar um objeto dela é criá-lo lá."""
    def created(_: type, *arguments: object, **named: object) -> object:
        return create(*arguments, **named)

    here = {"__new__": created}
    if hasattr(create, "__signature__"):
        here["__signature__"] = create.__signature__
    return type(_named(create.__name__), (nn.Module,), here)


def _named(kind: object) -> str:
    """O nome que o aluno deu à classe, se der para dá-lo a uma nossa."""
    return kind if isinstance(kind, str) and kind.isidentifier() else "Module"
