"""Conferir um ``nn.Module``: os pesos da prova são copiados numa cópia dele, e ela responde.

Assim não importa se o módulo guarda ``nn.Parameter`` (d, c) ou ``nn.Linear`` (c, d), nem como
sorteou o que guarda. O módulo do aluno não é tocado.
"""

import copy
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from atencao.checks.exercises import Exercise, Inputs

ROLES = {
    "query": {"q", "wq", "query", "queries", "consulta", "consultas"},
    "key": {"k", "wk", "key", "keys", "chave", "chaves"},
    "value": {"v", "wv", "value", "values", "valor", "valores"},
    "output": {"o", "wo", "out", "output", "proj", "projection", "saida", "saída"},
}
STACKED = {"qkv", "in", "attn"}  # query_key_value, in_proj, c_attn
HEADS = ("num_heads", "n_heads", "n_head", "heads", "h", "nhead")
LONGEST = 16  # para a classe que pede um comprimento máximo ao ser criada


class NotFound(Exception):
    """Falta no módulo algo de que a conferência precisa; a mensagem diz o quê."""


def is_module(function: object) -> bool:
    """Um ``nn.Module``, ou uma classe deles."""
    torch = sys.modules.get("torch")
    kind = getattr(getattr(torch, "nn", None), "Module", None)
    return kind is not None and (
        isinstance(function, kind) or (isinstance(function, type) and issubclass(function, kind))
    )


def has_weights(exercise: Exercise) -> bool:
    """Diz se o exercício entrega pesos, ou camadas, que num módulo moram dentro dele."""
    return bool({"w_query", "attention"} & set(exercise.pipeline.inputs))


class ModuleCall:
    """Faz de um módulo a função que o exercício espera: recebe x e os pesos, devolve o contexto."""

    sees = ("x",)  # o que o módulo recebe, de tudo o que a prova tem

    def __init__(self, module: object):
        self.module = module
        self.batched = False

    def __call__(self, x, w_query, w_key, w_value, w_output=None, num_heads=None):
        weights = {"query": w_query, "key": w_key, "value": w_value, "output": w_output}
        module = self._copy(np.shape(w_query), num_heads)
        if not list(module.parameters()):
            return _of_a_stub(self._run(module, x))
        _fill(module, {role: weight for role, weight in weights.items() if weight is not None})
        return self._run(module, x)

    def _copy(self, sizes: tuple[int, int], num_heads: int | None):
        if not isinstance(self.module, type):
            return copy.deepcopy(self.module).eval()
        arguments = [sizes[0], sizes[1] if num_heads is None else num_heads]
        required = [
            p for p in inspect.signature(self.module).parameters.values()
            if p.default is inspect.Parameter.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        return self.module(*arguments, *[LONGEST] * (len(required) - 2)).eval()

    def _run(self, module, x: np.ndarray):
        torch = sys.modules["torch"]
        kind = next((parameter.dtype for parameter in module.parameters()), torch.float32)
        x = torch.tensor(x, dtype=kind)
        with torch.no_grad():
            if not self.batched:
                try:
                    return module(x)  # (n, d)
                except (RuntimeError, ValueError, IndexError):
                    self.batched = True
            # Duas frases diferentes: se uma mexer na outra, aparece.
            result = module(torch.stack([x, x.flip(0)]))
        result = result[0] if isinstance(result, tuple) else result
        return result[0] if isinstance(result, torch.Tensor) else result


class BlockCall:
    """Liga um bloco inteiro: as camadas que o exercício entrega são as do próprio módulo."""

    sees = ("x",)
    LAYERS: Mapping[str, tuple[str, ...]] = {
        "norm_attention": ("norm_attention", "norm1", "ln1", "ln_1", "norm_1"),
        "attention": ("multi_head", "attention", "attn", "self_attn", "mha"),
        "norm_feed_forward": ("norm_feed_forward", "norm2", "ln2", "ln_2", "norm_2"),
        "feed_forward": ("feed_forward", "ffn", "mlp", "ff"),
    }

    def __init__(self, module: object):
        self.module = copy.deepcopy(module).eval()
        self.torch = sys.modules["torch"]
        generator = self.torch.Generator().manual_seed(0)
        with self.torch.no_grad():
            for parameter in self.module.parameters():
                # Ganhos 1 e deslocamentos 0 fariam de duas normas a mesma.
                parameter.copy_(self.torch.randn(parameter.shape, generator=generator) / 2)
        self.layers = {role: self._layer(role) for role in self.LAYERS}
        self.d = self.layers["norm_attention"].weight.shape[-1]

    def _layer(self, role: str):
        for name in self.LAYERS[role]:
            if hasattr(self.module, name):
                return getattr(self.module, name)
        raise NotFound(f"Não achei no módulo a camada {self.LAYERS[role][0]}.")

    def __call__(self, x, *_):
        return self._in_numpy(self.module)(x)

    def _in_numpy(self, layer) -> Callable:
        def call(x: np.ndarray) -> np.ndarray:
            given = self.torch.tensor(np.asarray(x), dtype=self.torch.float32)
            with self.torch.no_grad():
                found = layer(given[None])
                return (found[0] if isinstance(found, tuple) else found)[0].numpy()

        return call

    def inputs(self, rng: np.random.Generator, n: int) -> Inputs:
        layers = {role: self._in_numpy(layer) for role, layer in self.layers.items()}
        return {"x": rng.normal(size=(n, self.d)).round(2).astype(np.float32), **layers}


def adapt(exercise: Exercise, module: object) -> tuple[Exercise, Callable]:
    """O exercício com as medidas que o módulo aceita, e a função a conferir.

    Levanta NotFound se o módulo não disser onde estão seus pesos.
    """
    if "attention" in exercise.pipeline.inputs:
        if isinstance(module, type):
            raise NotFound("Passe um bloco já criado, e não a classe.")
        call = BlockCall(module)
        sizes = ({"n": 5}, {"n": 3})
        return replace(exercise, draw=call.inputs, sizes=sizes, square=None), call
    call = ModuleCall(module)
    if not isinstance(module, type) and not list(module.parameters()):
        return replace(exercise, square=None), call
    if "num_heads" in exercise.pipeline.inputs:
        return _with_heads(exercise, module), call
    if isinstance(module, type):
        return replace(exercise, square=None), call
    d, c = _sizes(module)
    sizes = ({"n": 5}, {"n": 3, "repeat": True}, {"n": 4, "size": 45.0, "against": True})
    sizes = tuple({**size, "d": d, "c": c} for size in sizes)
    return replace(exercise, sizes=sizes, square=None), call


def _with_heads(exercise: Exercise, module: object) -> Exercise:
    if isinstance(module, type):
        shapes = ({"d": 6, "h": 2, "c": 3}, {"d": 6, "h": 3, "c": 2}, {"d": 8, "h": 2, "c": 4})
    else:
        d, total = _sizes(module)
        heads = next((getattr(module, name) for name in HEADS if hasattr(module, name)), None)
        if not isinstance(heads, int) or total % heads:
            raise NotFound("Guarde o número de cabeças em self.num_heads, um inteiro.")
        shapes = ({"d": d, "h": heads, "c": total // heads},) * 3
    sizes = tuple({**shape, "n": n} for shape, n in zip(shapes, (5, 3, 4), strict=True))
    return replace(exercise, sizes=sizes, square=None)


def _of_a_stub(result: object) -> None:
    """Um módulo sem pesos só pode estar por fazer."""
    if result is not None and result is not ...:
        raise NotFound("Este módulo responde, mas não tem pesos: nada nele se treina.")


def _sizes(module: object) -> tuple[int, int]:
    """Larguras de entrada e de saída da projeção das consultas."""
    torch = sys.modules["torch"]
    third, parameter, across = _places(module, ["query"])["query"]
    rows, columns = parameter.shape
    if across:
        return columns, rows // 3 if third is not None else rows
    probe = torch.zeros(1, 2, rows, dtype=parameter.dtype)
    try:
        with torch.no_grad():
            copy.deepcopy(module).eval()(probe[0])
    except (RuntimeError, ValueError):
        with suppress(RuntimeError, ValueError), torch.no_grad():
            copy.deepcopy(module).eval()(torch.zeros(2, columns, dtype=parameter.dtype))
            return columns, rows  # nn.Parameter guardado como (c, d)
    return rows, columns // 3 if third is not None else columns


def _fill(module: object, weights: Mapping[str, np.ndarray]) -> None:
    torch = sys.modules["torch"]
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name.endswith("bias"):
                parameter.zero_()
        for role, (third, target, across) in _places(module, list(weights)).items():
            weight = torch.as_tensor(np.asarray(weights[role]), dtype=target.dtype)
            if third is not None:
                target = target.chunk(3, dim=0 if across else 1)[third]
            square = weight.shape[0] == weight.shape[1]
            turned = across if square else target.shape != weight.shape
            target.copy_(weight.T if turned else weight)


def _places(module: object, roles: list[str]) -> dict[str, tuple]:
    """Onde mora o peso de cada papel: o terço, se empilhado; o parâmetro; se é (saída, entrada)."""
    torch = sys.modules["torch"]
    owners = {
        f"{prefix}.{name}".lstrip("."): owner
        for prefix, owner in module.named_modules()
        for name, _ in owner.named_parameters(recurse=False)
    }
    found = {}
    for name, parameter in module.named_parameters():
        if parameter.ndim != 2:
            continue
        owner = owners[name]
        across = isinstance(owner, (torch.nn.Linear, torch.nn.MultiheadAttention))
        words = set(re.split(r"[._\d]+", name.lower()))
        named = [role for role, synonyms in ROLES.items() if words & synonyms]
        if words & STACKED or {"query", "key", "value"} <= set(named):
            for third, role in enumerate(("query", "key", "value")):
                found.setdefault(role, (third, parameter, across))
        elif named:
            found.setdefault(named[0], (None, parameter, across))
    missing = [role for role in roles if role not in found]
    if missing:
        names = ", ".join(name for name, _ in module.named_parameters()) or "nenhum"
        raise NotFound(
            f"Não achei no módulo o peso de {missing[0]}. Os parâmetros que ele tem: {names}."
        )
    return {role: found[role] for role in roles}

