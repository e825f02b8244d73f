"""A conversa entre os processos: o que vai volta igual, e o que é forjado é recusado."""

import json
import struct
from io import BytesIO

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from atencao.classroom import wire


def codec() -> wire.Codec:
    return wire.Codec(lambda value: {"number": 1}, lambda entry: ("substituto", entry))


def there_and_back(value):
    return codec().unpack(*wire.read(BytesIO(codec().pack(value))))


def test_a_tensor_is_a_tensor_only_where_the_assignment_has_them():
    """Senão a nota mudaria com o que este processo corrigiu antes."""
    message = codec().pack(torch.ones(2))
    assert type(codec().unpack(*wire.read(BytesIO(message)))) is np.ndarray
    asked = wire.Codec(lambda value: {}, lambda entry: None, tensors=True)
    assert torch.equal(asked.unpack(*wire.read(BytesIO(message))), torch.ones(2))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner)
    | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(plain)
def test_data_comes_back_equal(value):
    assert there_and_back(value) == value


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?", "c16", ">f8", "u1"])
def test_arrays_come_back_equal(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    first, second = there_and_back([array, array.T])
    np.testing.assert_array_equal(first, array)
    np.testing.assert_array_equal(second, array.T)
    first[0, 0] = 1  # e são nossos, para mexer


@pytest.mark.parametrize("value", [
    np.array([object()]), np.array(["texto"]), np.zeros(2**22), [[]] * 2**19,
    pytest.param(10**5000, id="inteiro enorme"), np.zeros(2, dtype=[("a", "f8")]),
])
def test_what_is_not_small_data_is_refused(value):
    with pytest.raises(wire.Refused):
        codec().pack(value)


def test_depth_is_refused():
    value = []
    for _ in range(100):
        value = [value]
    with pytest.raises(wire.Refused):
        codec().pack(value)


def test_objects_do_not_travel():
    assert there_and_back([object()]) == [("substituto", {"number": 1})]


@given(st.binary(max_size=200), st.binary(max_size=50))
def test_garbage_is_refused(header, body):
    try:
        value = codec().unpack(header, body)
    except wire.Refused:
        return
    assert isinstance(value, (int, float, str, type(None)))


@pytest.mark.parametrize("entry", [
    {"k": "array", "dtype": "|O", "shape": [1]},
    {"k": "array", "dtype": "<f8", "shape": [2**40]},
    {"k": "array", "dtype": "<f8", "shape": [-1]},
    {"k": "array", "dtype": "<f8", "shape": [1.5]},
    {"k": "array", "dtype": "<f8", "shape": [True]},
    {"k": "eval", "v": []},
    {"k": "list", "v": [{"k": "list"}]},
    {"k": "dict", "v": [[[], 1]]},
    {"k": "dict", "v": [[{"k": "list", "v": []}, 1]]},
    [1, 2],
])
def test_forged_headers_are_refused(entry):
    with pytest.raises(wire.Refused):
        codec().unpack(json.dumps(entry).encode(), bytes(16))


def test_a_message_cannot_announce_too_much():
    with pytest.raises(wire.Refused):
        wire.read(BytesIO(struct.pack("<II", 2**31, 0)))
    with pytest.raises(wire.Closed):
        wire.read(BytesIO(struct.pack("<II", 100, 0) + b"{}"))
