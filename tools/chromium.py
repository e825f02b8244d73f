"""Onde está o Chromium: o mesmo para os testes e para as medidas."""

import os
from pathlib import Path

DEBIANS_OWN = "/usr/bin/chromium"
HOW_TO = (
    "não achei o Chromium. Instale-o com `playwright install chromium`, ou diga onde ele está: "
    "CHROMIUM=/caminho/do/chromium"
)


def path_of_chromium(playwrights_own):
    """O da variável CHROMIUM; sem ela, o do Debian ou o do Playwright. None se não houver."""
    wanted = os.environ.get("CHROMIUM")
    candidates = [wanted] if wanted else [DEBIANS_OWN, playwrights_own]
    return next((path for path in candidates if Path(path).is_file()), None)
