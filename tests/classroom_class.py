"""Uma tarefa pequena e uma turma gerada: honestos, enganados, quebrados e hostis.

Cada ``Pupil`` diz o que entrega e que pontos merece; ``class_of`` completa a turma com honestos.
"""

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NAME = "prova"
FULL = (2.0, 3.0, 1.0)
HEADER = {
    "nbformat": 4, "nbformat_minor": 5,
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python",
                                "name": "python3"}, "language_info": {"name": "python"}},
}
SECRET = "0.78"  # só aparece no teste escondido


def cell(kind: str, grade_id: str, source: str, *, points=None, solution=False) -> dict:
    about = {
        "grade": points is not None, "grade_id": grade_id, "locked": not solution,
        "schema_version": 3, "solution": solution, "task": False, "cell_type": kind,
    }
    if points is not None:
        about["points"] = points
    made = {"cell_type": kind, "id": grade_id, "metadata": {"nbgrader": about}, "source": source}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


SOURCE = {**HEADER, "cells": [
    cell("markdown", "abertura", "# Tarefa de prova"),
    cell("code", "preparo", "import numpy as np\nfrom atencao import checks\n"
         "X = np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 1.0]])"),
    cell("markdown", "q1", "## Questão 1: as pontuações"),
    cell("code", "q1-solucao", "def pontuacoes(query, key):\n    ### BEGIN SOLUTION\n"
         "    return query @ key.swapaxes(-1, -2)\n    ### END SOLUTION", solution=True),
    cell("code", "q1-teste", "resultado = checks.attention_scores(pontuacoes)\nprint(resultado)\n"
         "float(2 * resultado.score)", points=2),
    cell("markdown", "q2", "## Questão 2: os pesos"),
    cell("code", "q2-solucao", "def pesos(query, key):\n    ### BEGIN SOLUTION\n"
         "    omega = pontuacoes(query, key) / np.sqrt(query.shape[-1])\n"
         "    omega = np.exp(omega - omega.max(axis=-1, keepdims=True))\n"
         "    return omega / omega.sum(axis=-1, keepdims=True)\n    ### END SOLUTION",
         solution=True),
    cell("code", "q2-teste", "resultado = checks.attention_weights(pesos)\nprint(resultado)\n"
         "### BEGIN HIDDEN TESTS\nassert resultado\n"
         "assert np.allclose(pesos(X, X).sum(axis=-1), 1), 'As linhas não somam 1.'\n"
         "### END HIDDEN TESTS", points=3),
    cell("markdown", "q3", "## Questão 3: um palpite"),
    cell("code", "q3-solucao", "palpite = None\n### BEGIN SOLUTION\n"
         "palpite = round(float(pesos(X, X)[1].max()), 2)\n### END SOLUTION", solution=True),
    cell("code", "q3-teste", "# Confere o seu palpite.\n### BEGIN HIDDEN TESTS\n"
         "assert palpite is not None, 'Faltou o palpite.'\n"
         f"assert abs(palpite - {SECRET}) < 0.02, 'Seu palpite está longe.'\n"
         "### END HIDDEN TESTS", points=1),
    cell("markdown", "q4", "## Questão 4: em palavras"),
    cell("markdown", "q4-texto", "Sem a escala, o softmax satura.", points=2, solution=True),
]}

RIGHT_SCORES = "def pontuacoes(query, key):\n    return query @ key.T"
RIGHT_WEIGHTS = """\
def pesos(query, key):
    scores = pontuacoes(query, key) / query.shape[1] ** 0.5
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)"""
RIGHT_GUESS = f"palpite = {SECRET}"
RIGHT = (RIGHT_SCORES, RIGHT_WEIGHTS, RIGHT_GUESS)


def released() -> dict:
    """O que o aluno recebe."""
    notebook = copy.deepcopy(SOURCE)
    for made in notebook["cells"]:
        source = re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS\n?", "", made["source"],
                        flags=re.DOTALL)
        made["source"] = re.sub(r"### BEGIN SOLUTION.*?### END SOLUTION", "...", source,
                                flags=re.DOTALL).rstrip("\n")
    at(notebook, "q4-texto")["source"] = "Escreva aqui a sua resposta."
    return notebook


def answered(scores: str, weights: str, guess: str, essay: str = "Porque √c cresce.") -> dict:
    notebook = released()
    for made in notebook["cells"]:
        made["source"] = {
            "q1-solucao": scores, "q2-solucao": weights, "q3-solucao": guess, "q4-texto": essay,
        }.get(made["id"], made["source"])
    return notebook


def at(notebook: dict, grade_id: str) -> dict:
    return next(made for made in notebook["cells"] if made["id"] == grade_id)


def extra(source: str, kind: str = "code") -> dict:
    made = {"cell_type": kind, "metadata": {}, "source": source}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


@dataclass(frozen=True)
class Pupil:
    """points: o que merece em (q1, q2, q3); None, se o estrago que fez em si mesmo varia com o
    sistema. says: trechos que a página dele precisa ter.
    """

    name: str
    data: bytes
    points: tuple[float, float, float] | None
    says: tuple[str, ...] = ()


def dumped(notebook: dict) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def pupil(name: str, answers=RIGHT, points=FULL, says=(), change: Callable | None = None) -> Pupil:
    notebook = answered(*answers)
    if change is not None:
        notebook = change(notebook) or notebook
    return Pupil(name, dumped(notebook), points, tuple(says))


def with_first(source: str) -> Callable:
    """Uma célula a mais, antes de todas."""
    return lambda notebook: notebook["cells"].insert(0, extra(source))


def with_after_setup(source: str) -> Callable:
    return lambda notebook: notebook["cells"].insert(2, extra(source))


def only_weights(body: str) -> tuple[str, str, str]:
    return RIGHT_SCORES, f"def pesos(query, key):\n{body}", RIGHT_GUESS


# ── Honestos ────────────────────────────────────────────────────────────────────────────────────

STYLES = (
    RIGHT,
    ("def pontuacoes(query, key):\n    return np.einsum('ic,jc->ij', query, key)",
     RIGHT_WEIGHTS, RIGHT_GUESS),
    ("def pontuacoes(query, key):\n    return [[sum(a * b for a, b in zip(q, k)) for k in key] "
     "for q in query]",
     "def pesos(query, key):\n    import math\n    rows = []\n"
     "    for row in pontuacoes(query, key):\n"
     "        row = [s / math.sqrt(len(query[0])) for s in row]\n        top = max(row)\n"
     "        row = [math.exp(s - top) for s in row]\n"
     "        rows.append([p / sum(row) for p in row])\n    return np.array(rows)",
     "palpite = 0.785"),
    ("pontuacoes = lambda query, key: np.dot(query, np.transpose(key))", RIGHT_WEIGHTS,
     "palpite = float(pesos(X, X)[1].max())"),
    ("class Pontuador:\n    def __call__(self, query, key):\n        return query.dot(key.T)\n"
     "pontuacoes = Pontuador()", RIGHT_WEIGHTS, "palpite = np.float64(0.78)"),
    ("from atencao import attention_scores as pontuacoes",
     "from atencao import attention_weights as pesos", "palpite = np.float32(0.78)"),
)

# ── Enganados: cada um com o nome do engano que a página precisa dizer ──────────────────────────

MISTAKEN = (
    pupil("Sem Escala", only_weights(
        "    s = query @ key.T\n    s = np.exp(s - s.max(-1, keepdims=True))\n"
        "    return s / s.sum(-1, keepdims=True)"), (2, 0, 1), ["Faltou a escala"]),
    pupil("Escala Por C", only_weights(
        "    s = query @ key.T / query.shape[1]\n    s = np.exp(s - s.max(-1, keepdims=True))\n"
        "    return s / s.sum(-1, keepdims=True)"), (2, 0, 1),
          ["Dividido por c, e não pela raiz."]),
    pupil("Por Coluna", only_weights(
        "    s = query @ key.T / query.shape[1] ** 0.5\n    s = np.exp(s - s.max(0))\n"
        "    return s / s.sum(0)"), (2, 0, 1), ["Softmax no eixo errado."]),
    pupil("Sem Transpor", ("def pontuacoes(query, key):\n    return query @ key", RIGHT_WEIGHTS,
                           RIGHT_GUESS), (0, 3, 1),
          ["ValueError", "Corrigi esta com a nossa versão no lugar", "pontuacoes"]),
    pupil("Papeis Trocados", ("def pontuacoes(query, key):\n    return key @ query.T",
                              RIGHT_WEIGHTS, RIGHT_GUESS), (0, 3, 1),
          ["Consulta e chave trocadas."]),
    pupil("Palpite Longe", (RIGHT_SCORES, RIGHT_WEIGHTS, "palpite = 0.5"), (2, 3, 0),
          ["Você respondeu <strong>0,5</strong>.", "Seu palpite está longe."]),
    pupil("Palpite Texto", (RIGHT_SCORES, RIGHT_WEIGHTS, "palpite = 'muito'"), (2, 3, 0),
          ["Você respondeu <strong>“muito”</strong>.",
           "O teste não conseguiu usar a sua resposta"]),
    pupil("Em Branco", ("def pontuacoes(query, key):\n    ...", "def pesos(query, key):\n    ...",
                        "palpite = None\n..."), (0, 0, 0),
          ["ainda por fazer.</strong> Escreva a função.</p>", "Faltou o palpite"]),
    pupil("Erro De Sintaxe", (RIGHT_SCORES, "def pesos(query, key)\n    return 1", RIGHT_GUESS),
          (2, 0, 1), ["Na 1ª célula de código da Questão 2, linha 1: SyntaxError",
                            "Não encontrei <code>pesos</code>"]),
    pupil("Nome Errado", (RIGHT_SCORES, RIGHT_WEIGHTS.replace("pesos", "peso"), RIGHT_GUESS),
          (2, 0, 1), ["Não encontrei <code>pesos</code>"]),
)

# ── Cadernos que passaram por maus bocados ──────────────────────────────────────────────────────


def _duplicated(notebook: dict) -> None:
    for grade_id in ("q1-solucao", "q1-teste", "preparo"):
        made = at(notebook, grade_id)
        notebook["cells"].insert(notebook["cells"].index(made), copy.deepcopy(made))


def _without(*grade_ids: str) -> Callable:
    def change(notebook: dict) -> None:
        notebook["cells"] = [m for m in notebook["cells"] if m["id"] not in grade_ids]

    return change


def _edited_tests(notebook: dict) -> None:
    at(notebook, "q1-teste")["source"] = "2.0"
    at(notebook, "q2-teste")["source"] = "pass"
    at(notebook, "q2-teste")["metadata"]["nbgrader"]["points"] = 1000
    at(notebook, "preparo")["source"] += "\nX = X * 100"


def _answer_in_test(notebook: dict) -> None:
    at(notebook, "q2-solucao")["source"] = ""
    test = at(notebook, "q2-teste")
    test["source"] = RIGHT_WEIGHTS + "\n" + test["source"]


def _moved(notebook: dict) -> None:
    made = at(notebook, "q2-solucao")
    notebook["cells"].remove(made)
    made.pop("metadata")
    notebook["cells"].append(made)


def _without_marks(notebook: dict) -> None:
    for made in notebook["cells"]:
        made["metadata"] = {}


def _version_3(notebook: dict) -> dict:
    cells = [
        {"cell_type": "code", "language": "python", "metadata": made["metadata"], "outputs": [],
         "input": made["source"].splitlines(keepends=True), "collapsed": False}
        if made["cell_type"] == "code" else made for made in notebook["cells"]
    ]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""},
            "worksheets": [{"cells": cells, "metadata": {}}]}


def _version_4_0(notebook: dict) -> dict:
    for made in notebook["cells"]:
        made["id_"] = made.pop("id")
    return notebook | {"nbformat_minor": 0}


def _other_kernel(notebook: dict) -> None:
    notebook["metadata"]["kernelspec"] = {"name": "ir", "language": "R", "display_name": "R"}


def _as_markdown(notebook: dict) -> None:
    made = at(notebook, "q1-solucao")
    made["cell_type"] = "markdown"


def _odd_cells(notebook: dict) -> None:
    notebook["cells"] += [None, 7, {"cell_type": "code", "source": 3}, {"cell_type": []},
                          {"cell_type": "code", "source": ["a = 1\n", None], "metadata": "x"}]


_GOOD = dumped(answered(*RIGHT))
BROKEN = (
    pupil("Celulas Repetidas", change=_duplicated, says=[
        "A 1ª célula de código da Questão 1 aparece 2 vezes."]),
    pupil("Testes Apagados", change=_without("q1-teste", "q2-teste", "q3-teste"),
          says=["Faltava a célula que confere a Questão 2. Usei a original."]),
    pupil("Preparo Apagado", change=_without("preparo"), says=[
        "A célula do começo do caderno, que vem pronta, não estava no caderno. Recoloquei-a."]),
    pupil("Tudo Apagado", change=_without(*(m["id"] for m in SOURCE["cells"])), points=(0, 0, 0),
          says=["não tem células"]),
    pupil("Testes Mudados", only_weights("    return query @ key.T"), (2, 0, 1),
          ["A 2ª célula de código da Questão 1, que confere a resposta, foi mudada. Usei a "
           "original.",
           "A célula do começo do caderno, que vem pronta, foi mudada. Rodei a original"],
          _edited_tests),
    pupil("Resposta No Teste", change=_answer_in_test, says=[
        "Havia uma resposta dentro da 2ª célula de código da Questão 2"]),
    pupil("Resposta No Fim", change=_moved, says=["numa célula depois do teste"]),
    pupil("Sem Marcas", change=_without_marks, says=["perdeu as marcas"]),
    pupil("Formato Tres", change=_version_3, says=["nbformat 3"]),
    pupil("Formato Quatro Zero", change=_version_4_0),
    pupil("Outro Nucleo", change=_other_kernel, says=["outro núcleo"]),
    pupil("Codigo Como Texto", change=_as_markdown, says=[
        "A célula de texto da Questão 1 devia ser de código."]),
    pupil("Celulas Estranhas", change=_odd_cells),
    pupil("Comandos Do Jupyter", change=with_first(
        "!pip install nada\n%matplotlib inline\nx = !ls\nnp?\nfim = 1"),
        says=["nada se instala durante a correção"]),
    pupil("Celula Magica", change=with_first("%%bash\nrm -rf ~"), says=["%%bash"]),
    pupil("Celula Cronometrada", (RIGHT_SCORES, "%%time\n" + RIGHT_WEIGHTS, RIGHT_GUESS),
          says=["%%time"]),
    pupil("Pergunta Ao Vento", change=with_first("nome = input('Seu nome? ')"), says=["input()"]),
    Pupil("Json Truncado", _GOOD[: _GOOD.index(b"q3-teste") + 40], FULL, ("corrompido",)),
    Pupil("Json Com Virgula", _GOOD.replace(b"\n ]", b",\n ]", 1), FULL, ("corrompido",)),
    Pupil("Json Com Sobra", _GOOD + b"\n<<<<<<< HEAD\n", FULL, ("corrompido",)),
    Pupil("Fim De Linha Do Windows", b"\xef\xbb\xbf" + _GOOD.replace(b"\n", b"\r\n").replace(
        b"\\n", b"\\r\\n"), FULL),
    Pupil("Outra Codificacao", _GOOD.decode().encode("cp1252", "replace"), FULL, ("UTF-8",)),
    Pupil("Arquivo Vazio", b"", (0, 0, 0), ("não é um caderno",)),
    Pupil("Lixo", bytes(range(256)) * 50, (0, 0, 0), ("não é um caderno",)),
    Pupil("Json Fundo", b'{"cells": ' + b"[" * 100_000, (0, 0, 0), ("não é um caderno",)),
)


# ── Hostis ──────────────────────────────────────────────────────────────────────────────────────

WRONG_WEIGHTS = only_weights("    return query @ key.T")


def hostile(forbidden: Path, course: Path, others: Path) -> tuple[Pupil, ...]:
    """Cada um ataca uma promessa. ``forbidden`` é um arquivo que ninguém pode ler nem apagar."""
    steal = (
        "import os, pathlib, glob\nachado = ''\n"
        f"for lugar in [{str(course)!r}, {str(others)!r}, {str(forbidden.parent)!r}, '/root', "
        "'/home', '/etc', '/proc/1']:\n"
        "    try:\n        for base, _, nomes in os.walk(lugar):\n            for nome in nomes:\n"
        "                achado += pathlib.Path(base, nome).read_text()\n"
        "    except Exception as erro:\n        pass\n"
        f"for arquivo in [{str(forbidden)!r}, {str(course / NAME / (NAME + '.ipynb'))!r}]:\n"
        "    try:\n        achado += open(arquivo).read()\n    except Exception:\n        pass\n"
    )
    return (
        pupil("Troca O Allclose", WRONG_WEIGHTS, (2, 0, 1), [], with_after_setup(
            "np.allclose = lambda *a, **k: True\nnp.abs = lambda x: 0\n"
            "import builtins\nbuiltins.abs = lambda x: 0")),
        pupil("Troca As Conferencias", WRONG_WEIGHTS, (2, 0, 1), [], with_after_setup(
            "class Certo:\n    score = 1.0\n    passed = True\n"
            "    def __bool__(self): return True\n"
            "for nome in checks.__all__:\n    setattr(checks, nome, lambda *a, **k: Certo())\n"
            "import atencao.checks.check, atencao.functional\n"
            "atencao.checks.check.check = lambda *a, **k: Certo()\n"
            "atencao.functional.softmax = lambda x, axis=-1: x")),
        pupil("Igual A Tudo", (
            "class Igual(np.ndarray):\n    def __eq__(self, o): return True\n"
            "    def __abs__(self): return 0\n    def __sub__(self, o): return 0\n"
            "    def __lt__(self, o): return True\n    def __array__(self, *a, **k): return self\n"
            "def pontuacoes(query, key):\n    return np.zeros((2, 2)).view(Igual)",
            "def pesos(query, key):\n    return np.zeros((2, 2)).view(Igual)",
            "class Palpite(float):\n    def __sub__(self, o): return 0.0\n"
            "    __rsub__ = __sub__\n    def __abs__(self): return 0.0\npalpite = Palpite(3)"),
            (0, 0, 0)),
        pupil("Sai Na Celula", change=with_after_setup("import os\nos._exit(0)"),
              says=["acabou sozinho"]),
        pupil("Sai Na Funcao", only_weights("    import os\n    os._exit(0)"), (2, 0, 1),
              ["acabou sozinho"]),
        pupil("Pede Para Sair", change=with_after_setup("import sys\nsys.exit(1)"),
              says=["Na 2ª célula de código do começo do caderno, linha 2: SystemExit"]),
        pupil("Laco Na Celula", change=with_after_setup("while True:\n    pass"),
              says=["A 2ª célula de código do começo do caderno passou dos 2 segundos que cada "
                    "célula tem. Só por isso, não se perdem pontos."]),
        pupil("Laco Na Funcao", only_weights("    while True:\n        pass"), (2, 0, 1),
              ["não terminou"]),
        pupil("Laco Teimoso", change=with_after_setup(
            "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n"
            "    try:\n        while True: pass\n    except BaseException:\n        pass"),
            says=["A 2ª célula de código do começo do caderno passou dos 2 segundos que cada "
                  "célula tem."]),
        pupil("Dorme", change=with_after_setup("import time\ntime.sleep(10**6)"),
              says=["A 2ª célula de código do começo do caderno passou dos 2 segundos que cada "
                    "célula tem. Só por isso, não se perdem pontos."]),
        pupil("Bomba De Processos", change=with_after_setup(
            "import os\ndef bomba():\n    while True:\n        os.fork()\nbomba()"),
            says=["PermissionError"]),
        pupil("Processo Fugitivo", change=with_after_setup(
            "import os, subprocess, sys\ntry:\n    if os.fork() == 0:\n        os.setsid()\n"
            "        if os.fork() == 0:\n            import time\n            time.sleep(600)\n"
            "        os._exit(0)\nexcept OSError:\n    pass\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], "
            "start_new_session=True, env={})")),
        pupil("Muitas Linhas De Execucao", change=with_after_setup(
            "import threading, time\nfor i in range(3000):\n"
            "    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()"),
            points=None),
        pupil("Vinte Gigas", change=with_after_setup(
            "tudo = np.ones(20 * 2**27)\ntudo += 1"), says=["MemoryError"]),
        pupil("Memoria Aos Poucos", only_weights(
            "    tudo = []\n    while True:\n        tudo.append(np.ones(2**23))"), (2, 0, 1),
            ["emória"]),
        pupil("Um Giga De Prints", change=with_after_setup(
            "import os\nfor i in range(64):\n    print('x' * 2**24)\n"
            "    os.write(1, b'x' * 2**20)\n    os.write(2, b'x' * 2**20)")),
        pupil("Enche O Disco", change=with_after_setup(
            "for i in range(10**5):\n    open(f'lixo{i}', 'wb').write(b'x' * 2**23)")),
        pupil("Pasta Sem Fundo", change=with_after_setup(
            "import os\nfor _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')")),
        pupil("Mil Arquivos", change=with_after_setup(
            "for i in range(10**6):\n    open(f'a{i}', 'w').close()")),
        pupil("Le As Respostas", (RIGHT_SCORES, WRONG_WEIGHTS[1], steal +
              f"palpite = {SECRET} if 'SEGREDO' in achado or 'HIDDEN' in achado else 0.0"),
              (2, 0, 0)),
        pupil("Apaga O Curso", change=with_after_setup(
            f"import shutil, os\nfor lugar in [{str(course)!r}, {str(forbidden)!r}, "
            f"{str(others)!r}]:\n"
            "    shutil.rmtree(lugar, ignore_errors=True)\n    for acao in (os.remove, "
            "lambda p: os.chmod(p, 0), lambda p: open(p, 'w').write('mudei'), "
            "lambda p: os.rename(p, p + 'x'), lambda p: os.truncate(p, 0), "
            "lambda p: os.utime(p, (0, 0))):\n"
            "        try: acao(lugar)\n        except OSError: pass")),
        pupil("Usa A Rede", (RIGHT_SCORES, RIGHT_WEIGHTS,
              "import socket\npalpite = 0.0\nfor familia in (socket.AF_INET, socket.AF_UNIX, "
              "socket.AF_INET6):\n    try:\n        socket.socket(familia, socket.SOCK_DGRAM)\n"
              f"        palpite = {SECRET}\n    except OSError:\n        pass"), (2, 3, 0)),
        pupil("Mata O Corretor", change=with_after_setup(
            "import os, signal\nfor quem in (os.getppid(), -1, 0):\n"
            "    try: os.kill(quem, signal.SIGKILL)\n    except OSError: pass\n"
            "try: os.killpg(os.getppid(), 9)\nexcept OSError: pass")),
        pupil("Falsifica A Conversa", WRONG_WEIGHTS, (2, 0, 1), [], with_after_setup(
            "import os, json, struct, threading, time\n"
            "falso = json.dumps({'k': 'dict', 'v': []}).encode()\n"
            "def fala():\n    while True:\n        time.sleep(0.01)\n"
            "        for fd in range(3, 20):\n            try:\n"
            "                os.write(fd, struct.pack('<II', len(falso), 0) + falso)\n"
            "            except OSError: pass\n"
            "import sys\nquadro = sys._getframe()\nwhile quadro.f_back: quadro = quadro.f_back\n"
            "for nome, valor in list(quadro.f_locals.items()):\n"
            "    if hasattr(valor, 'codec'):\n"
            "        valor.send = lambda r: None\n")),
        pupil("Derruba O Python", change=with_after_setup(
            "import ctypes\nctypes.string_at(0)"), says=["acabou sozinho"]),
        pupil("Recursao Sem Fim", only_weights("    return pesos(query, key)"), (2, 0, 1),
              ["RecursionError"]),
        pupil("Script Na Pagina", (RIGHT_SCORES,
              "def pesos(query, key):\n    raise ValueError('<script>alert(1)</script>')",
              RIGHT_GUESS), (2, 0, 1), ["&lt;script&gt;"],
              with_after_setup("raise KeyError('<img src=x onerror=alert(1)>')")),
        pupil("Devolve Demais", only_weights("    return np.ones((5000, 5000))"), (2, 0, 1)),
        pupil("Devolve Codigo", only_weights(
            "    class Praga:\n        def __reduce__(self): return (eval, ('1/0',))\n"
            "    return Praga()"), (2, 0, 1)),
        pupil("Byte Nulo", (RIGHT_SCORES, "pesos = '\x00'\nx = '\ud800'".encode(
            "utf-8", "replace").decode() + "\x00", RIGHT_GUESS), (2, 0, 1)),
        pupil("Parenteses Sem Fim", change=with_after_setup("x = " + "(" * 5000 + ")" * 5000)),
        pupil("Sinais Sem Fim", change=with_after_setup("x = " + "-" * 50_000 + "1")),
    )


def class_of(size: int, forbidden: Path, course: Path, others: Path) -> list[Pupil]:
    """Todos os de cima, e honestos até completar a turma."""
    special = [*MISTAKEN, *BROKEN, *hostile(forbidden, course, others)]
    honest = [
        pupil(f"Aluna {i:03d}", STYLES[i % len(STYLES)]) for i in range(max(size - len(special), 0))
    ]
    return [*special, *honest]


def honest_class(size: int) -> list[Pupil]:
    """Só honestos e enganados, para medir e para comparar com o nbgrader."""
    wanted = [pupil(f"Aluna {i:03d}", STYLES[i % len(STYLES)]) for i in range(size)]
    mistaken = MISTAKEN[: size // 4]
    return [*mistaken, *wanted[len(mistaken):]]


def hand_in(pupils: list[Pupil], folder: Path) -> None:
    for one in pupils:
        place = folder / one.name / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(one.data)


def hand_out(folder: Path) -> Path:
    """Escreve a fonte como num curso; devolve o caminho dela."""
    place = folder / NAME / f"{NAME}.ipynb"
    place.parent.mkdir(parents=True)
    place.write_bytes(dumped(SOURCE))
    return place
