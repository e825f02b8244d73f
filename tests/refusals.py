"""Um erro é nosso se um ``raise`` do pacote o levantou; nunca a linha em que NumPy desistiu."""

import traceback
from pathlib import Path

import pytest

import atencao

PACKAGE = Path(atencao.__file__).parent


def assert_refused(function, *args, errors=(TypeError, ValueError), **kwargs) -> str:
    """Chama function, exige que recuse com um erro nosso e devolve a mensagem."""
    with pytest.raises(errors) as caught:
        function(*args, **kwargs)
    last = traceback.extract_tb(caught.tb)[-1]
    assert PACKAGE in Path(last.filename).parents, f"veio de {last.filename}: {caught.value}"
    assert last.line.startswith("raise "), f"veio de “{last.line}”: {caught.value}"
    return str(caught.value)
