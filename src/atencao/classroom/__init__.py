"""Correção de uma turma: ``atencao-grade`` recolhe, roda, corrige e conta o que achou.

Instale com ``pip install ".[classroom]"``. Nada daqui é importado pelo curso.
"""

import sys


def main() -> int:
    """O comando ``atencao-grade``. Se falta instalar algo, diz o quê e como."""
    try:
        from atencao.classroom import cli

        return cli.main()
    except ModuleNotFoundError as missing:
        sys.exit(f"atencao-grade: falta o pacote {missing.name}. Na pasta do curso, rode: "
                 'pip install ".[classroom]"')
