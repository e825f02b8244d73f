"""A conversa entre quem corrige e o processo do aluno: dados, e só dados.

Uma mensagem é um cabeçalho em JSON e os bytes dos arrays que ele cita. Nada é desserializado em
código: do outro lado só nascem números, textos, listas, tuplas, dicionários e arrays de tipos
simples, de tamanho limitado. O que não é dado (uma função, um módulo) fica onde está e viaja como
um número, para que o outro lado peça que seja chamado.
"""

import json
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import BinaryIO

import numpy as np

MOST_HEADER = 2**22
MOST_BYTES = 2**24  # dos arrays de uma mensagem
MOST_DEPTH = 20
MOST_TEXT = 200_000
_SIZES = struct.Struct("<II")
_DTYPES = {
    "|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8",
    "<c16",
}


class Refused(Exception):
    """O que se quis mandar, ou o que chegou, não cabe no que combinamos."""


class Closed(Exception):
    """O outro lado se foi."""


@dataclass
class Codec:
    """Traduz valores em mensagens e de volta.

    ``keep(object)`` guarda deste lado o que não é dado e devolve o seu número; ``proxy(entry)``
    cria o substituto do que ficou do outro lado. Um tensor chega como tensor se ``tensors``; se
    não, como array, esteja ou não o PyTorch carregado aqui.
    """

    keep: Callable[[object], dict]
    proxy: Callable[[dict], object]
    tensors: bool = False
    arrays: list[np.ndarray] = field(default_factory=list)

    def pack(self, message: object) -> bytes:
        self.arrays = []
        try:
            header = json.dumps(self._encode(message, 0)).encode("ascii")
        except (RecursionError, ValueError, OverflowError) as error:
            raise Refused(f"valor que não se consegue enviar ({error})") from None
        body = b"".join(array.tobytes() for array in self.arrays)
        if len(header) > MOST_HEADER or len(body) > MOST_BYTES:
            raise Refused("valor grande demais: o limite é de 16 MB de números")
        return _SIZES.pack(len(header), len(body)) + header + body

    def unpack(self, header: bytes, body: bytes) -> object:
        try:
            return self._decode(json.loads(header), memoryview(body), 0)
        except Refused:
            raise
        except Exception as error:
            raise Refused(f"mensagem ilegível ({type(error).__name__})") from None

    def _encode(self, value: object, depth: int) -> object:
        if depth > MOST_DEPTH:
            raise Refused("valor aninhado demais")
        kind = type(value)
        if value is None or kind in (bool, int, float):
            return value
        if kind is str:
            return value[:MOST_TEXT]
        if value is ...:
            return {"k": "ellipsis"}
        if kind is complex:
            return {"k": "complex", "v": [value.real, value.imag]}
        if kind in (list, tuple):
            return {"k": kind.__name__, "v": [self._encode(item, depth + 1) for item in value]}
        if isinstance(value, tuple):  # tupla com nomes
            return {"k": "tuple", "v": [self._encode(item, depth + 1) for item in tuple(value)]}
        if kind is dict:
            return {"k": "dict", "v": [
                [self._encode(key, depth + 1), self._encode(item, depth + 1)]
                for key, item in value.items()
            ]}
        if isinstance(value, str):
            return str(value)[:MOST_TEXT]
        if isinstance(value, np.ndarray | np.generic):
            return self._encode_array(value)
        if isinstance(value, int):  # as subclasses, como a dos enum, viajam como o que contêm
            return int(value)
        if isinstance(value, float | Decimal):
            return float(value)
        if _is_tensor(value):
            tensor = value.detach().cpu()
            exact = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor
            return self._encode_array(exact.numpy()) | {"tensor": True}
        return {"k": "remote", "about": self._encode(self.keep(value), depth + 1)}

    def _encode_array(self, value: np.ndarray | np.generic) -> dict:
        array = np.array(value, subok=False, order="C")
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if array.dtype.str not in _DTYPES:
            raise Refused(f"array de tipo {array.dtype}: mande números")
        if array.nbytes > MOST_BYTES:
            raise Refused(f"array de {array.nbytes} bytes: o limite é de 16 MB")
        self.arrays.append(array)
        return {
            "k": "array", "dtype": array.dtype.str, "shape": list(array.shape),
            "scalar": isinstance(value, np.generic),
        }

    def _decode(self, entry: object, body: memoryview, depth: int) -> object:
        value, rest = self._decode_from(entry, body, depth)
        if len(rest):
            raise Refused("mensagem com bytes a mais")
        return value

    def _decode_from(self, entry, body: memoryview, depth: int) -> tuple[object, memoryview]:
        if depth > MOST_DEPTH:
            raise Refused("valor aninhado demais")
        if entry is None or isinstance(entry, bool | int | float | str):
            return entry, body
        kind = entry["k"]
        if kind == "array":
            return self._decode_array(entry, body)
        if kind == "remote":
            about, body = self._decode_from(entry["about"], body, depth + 1)
            return self.proxy(about), body
        if kind == "ellipsis":
            return ..., body
        if kind == "complex":
            return complex(*entry["v"]), body
        if kind == "dict":
            pairs, body = self._decode_items([x for pair in entry["v"] for x in pair], body, depth)
            return dict(zip(pairs[::2], pairs[1::2], strict=True)), body
        items, body = self._decode_items(entry["v"], body, depth)
        return {"list": list, "tuple": tuple}[kind](items), body

    def _decode_items(self, entries, body: memoryview, depth: int) -> tuple[list, memoryview]:
        items = []
        for entry in entries:
            item, body = self._decode_from(entry, body, depth + 1)
            items.append(item)
        return items, body

    def _decode_array(self, entry: dict, body: memoryview) -> tuple[object, memoryview]:
        if entry["dtype"] not in _DTYPES:
            raise Refused("array de tipo desconhecido")
        dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
        if len(shape) > 32 or not all(type(size) is int and size >= 0 for size in shape):
            raise Refused("array de forma impossível")
        size = dtype.itemsize
        for axis in shape:
            size *= axis
        if size > len(body):
            raise Refused("array maior que a mensagem")
        array = np.frombuffer(body[:size], dtype=dtype).reshape(shape).copy()
        value = array[()] if entry.get("scalar") is True and not shape else array
        if entry.get("tensor") is True and self.tensors and "torch" in sys.modules:
            value = sys.modules["torch"].from_numpy(array)
        return value, body[size:]


def _is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def read(stream: BinaryIO) -> tuple[bytes, bytes]:
    """A próxima mensagem: cabeçalho e bytes, ainda por decifrar."""
    header_size, body_size = _SIZES.unpack(_exactly(stream, _SIZES.size))
    if header_size > MOST_HEADER or body_size > MOST_BYTES:
        raise Refused("mensagem grande demais")
    return _exactly(stream, header_size), _exactly(stream, body_size)


def write(stream: BinaryIO, message: bytes) -> None:
    try:
        stream.write(message)
        stream.flush()
    except (OSError, ValueError):
        raise Closed from None


def _exactly(stream: BinaryIO, size: int) -> bytes:
    try:
        data = stream.read(size)
    except (OSError, ValueError):
        raise Closed from None
    if len(data) < size:
        raise Closed
    return data
