"""O caderno que chegou: lê-lo como vier, consertar o que der e dizer o que foi feito.

Daqui sai um plano: que células rodar, em que ordem, e em que momento corrigir cada questão. Testes
e preparos são sempre os da fonte; do aluno, vem o que ele escreveu.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from atencao.classroom.assignment import (
    GIVEN,
    MANUAL,
    NOTHING,
    PROSE,
    SOLUTION,
    TEST,
    Assignment,
    SourceCell,
    bound,
    heading,
    short,
    syntax,
)

MOST_CELLS = 1_000
MOST_SOURCE = 200_000  # caracteres de uma célula
MOST_HEADING = 60
MOST_SHOWN = 2_000_000  # caracteres das saídas de uma célula
PNG, TEXT = "image/png", "text/plain"
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")


@dataclass
class Cell:
    """Uma célula do aluno; ``number`` conta de 1, e ``where`` diz onde ele a acha."""

    number: int
    is_code: bool
    source: str
    grade_id: str = ""
    shown: list[tuple[str, str]] = field(default_factory=list)  # o que ele viu ao rodá-la
    where: str = "célula"


@dataclass(frozen=True)
class Step:
    """Rodar uma célula (``source``) ou corrigir uma questão (``grade_id``)."""

    name: str = ""
    source: str = ""
    grade_id: str = ""
    own: bool = False  # escrita pelo aluno
    place: str = ""  # o grade_id da célula em que ele a escreveu
    where: str = ""  # onde o aluno acha a célula


@dataclass
class Plan:
    steps: list[Step] = field(default_factory=list)
    answers: dict[str, Cell] = field(default_factory=dict)  # questões à mão
    notes: list[str] = field(default_factory=list)
    problem: str = ""  # por que não há o que corrigir

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    @property
    def own_code(self) -> str:
        return "\n\n".join(step.source for step in self.steps if step.own)


# ── Ler ─────────────────────────────────────────────────────────────────────────────────────────


def read(data: bytes, plan: Plan) -> list[Cell]:
    """As células do caderno; nenhuma, se não há o que salvar."""
    content = _parsed(_text(data, plan), plan)
    if not isinstance(content, dict):
        plan.note("O arquivo não é um caderno Jupyter que eu consiga ler. Baixe-o de novo como "
                  ".ipynb e entregue outra vez.")
        return []
    _note_kernel(content, plan)
    raw = _raw_cells(content, plan)
    cells = [cell for cell in map(_cell, raw[: MOST_CELLS + 1]) if cell is not None]
    if not cells:
        plan.note("O caderno não tem células. Confira se as suas respostas estão no arquivo e "
                  "entregue outra vez.")
    if len(cells) > MOST_CELLS:
        plan.note(f"O caderno tem {len(raw)} células; só as {MOST_CELLS} primeiras foram lidas.")
    for number, cell in enumerate(cells[:MOST_CELLS], 1):
        cell.number = number
    return cells[:MOST_CELLS]


def _text(data: bytes, plan: Plan) -> str:
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else (
        "utf-8-sig",
    ):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    plan.note("O arquivo não está em UTF-8; os acentos podem ter se estragado.")
    return data.decode("cp1252", errors="replace")


def _parsed(text: str, plan: Plan) -> object:
    for attempt in (json.loads, _first_value, _without_spare_commas, _whole_cells):
        try:
            content = attempt(text)
        except (ValueError, RecursionError):
            continue
        if attempt is not json.loads:
            plan.note("O arquivo estava corrompido (JSON incompleto ou inválido). Recuperei as "
                      "células que estavam inteiras.")
        return content
    return None


def _first_value(text: str) -> object:
    content, _ = json.JSONDecoder().raw_decode(text.lstrip())
    if not isinstance(content, dict) or not {"cells", "worksheets"} & content.keys():
        raise ValueError
    return content


def _without_spare_commas(text: str) -> object:
    return json.loads(re.sub(r",(\s*[\]}])", r"\1", text))


def _whole_cells(text: str) -> dict:
    """Célula por célula, até onde o arquivo se deixa ler."""
    start = re.search(r'"cells"\s*:\s*\[', text)
    if not start:
        raise ValueError
    decoder, place, cells, wasted = json.JSONDecoder(), start.end(), [], 0
    while (opening := text.find("{", place)) >= 0:
        try:
            cell, place = decoder.raw_decode(text, opening)
        except ValueError as error:
            wasted += getattr(error, "pos", len(text)) - opening
            place = _next_cell(text, opening)
            if place < 0 or wasted > 4 * len(text):
                break
            continue
        if isinstance(cell, dict) and "cell_type" in cell:
            cells.append(cell)
    if not cells:
        raise ValueError
    return {"cells": cells}


def _next_cell(text: str, after: int) -> int:
    found = re.compile(r'\{\s*"cell_type"').search(text, after + 1)
    return found.start() if found else -1


def _note_kernel(content: dict, plan: Plan) -> None:
    kernel = content.get("metadata")
    kernel = kernel.get("kernelspec") if isinstance(kernel, dict) else None
    if not isinstance(kernel, dict):
        return
    language = kernel.get("language") or kernel.get("name") or "python"
    if not str(language).lower().startswith(("python", "conda", "venv", "base")):
        plan.note(f"O caderno foi salvo com outro núcleo ({str(language)[:40]}). Rodei-o em "
                  "Python.")


def _raw_cells(content: dict, plan: Plan) -> list:
    if isinstance(content.get("worksheets"), list):
        plan.note("O caderno está num formato antigo (nbformat 3); converti-o.")
        sheets = [sheet for sheet in content["worksheets"] if isinstance(sheet, dict)]
        return [cell for sheet in sheets for cell in _list(sheet.get("cells"))]
    return _list(content.get("cells"))


def _list(value: object) -> list:
    return value if isinstance(value, list) else []


def _cell(raw: object) -> Cell | None:
    if not isinstance(raw, dict):
        return None
    source = raw.get("source", raw.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return None
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    about = raw.get("metadata")
    about = about.get("nbgrader") if isinstance(about, dict) else None
    grade_id = about.get("grade_id") if isinstance(about, dict) else ""
    return Cell(0, raw.get("cell_type") == "code", source.lstrip("\ufeff")[:MOST_SOURCE],
                grade_id if isinstance(grade_id, str) else "", _shown(raw.get("outputs")))


def _shown(outputs: object) -> list[tuple[str, str]]:
    """Os textos e as figuras que o aluno deixou na célula, até onde cabem."""
    kept, room = [], MOST_SHOWN
    for kind, content in _contents(outputs):
        if len(content) <= room:
            kept.append((kind, content))
            room -= len(content)
    return kept


def _contents(outputs: object) -> Iterator[tuple[str, str]]:
    """Só texto e PNG: HTML e scripts de um aluno não chegam à tela do professor."""
    for output in _list(outputs):
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        found = data if isinstance(data, dict) else {TEXT: output.get("text")}
        for kind in (PNG, TEXT):
            content = found.get(kind)
            if isinstance(content, list):
                content = "".join(line for line in content if isinstance(line, str))
            if isinstance(content, str) and (kind == TEXT or _BASE64.fullmatch(content)):
                yield kind, content


# ── Planejar ────────────────────────────────────────────────────────────────────────────────────


def plan(assignment: Assignment, data: bytes) -> Plan:
    made = Plan()
    cells = read(data, made)
    if not cells:
        made.problem = made.notes[-1]
        return made
    if other := _other_assignment(assignment, cells):
        made.problem = f'O caderno parece ser de outra tarefa: "{other}".'
        made.note(made.problem)
        made.note(f'Confira qual arquivo você entregou e entregue o de "{assignment.title}".')
        return made
    matched = _match(assignment, cells, made)
    _find_places(matched)
    _note_repeated(assignment, matched, made)
    last = {source.grade_id: cell.number for cell, source in matched if source}
    for cell, source in _with_missing(assignment, matched, made):
        _plan_cell(assignment, cell, source, made, last)
    graded = {step.grade_id for step in made.steps}
    for question in assignment.questions:
        if not question.manual and question.id not in graded:
            made.note(f"Faltava a célula que confere a {short(question.title)}. Usei a original.")
            made.steps.append(Step(grade_id=question.id))
    return made


def _other_assignment(assignment: Assignment, cells: list[Cell]) -> str:
    """O título de um caderno que não é desta tarefa; "" se é.

    Não ter dela nem o título nem um teste não basta, que há quem os mude: é de outra o caderno que,
    além disso, não tem metade dos nomes que ela pede.
    """
    names = {name for cell in cells if cell.is_code for name in bound(cell.source)}
    ours = 2 * len(names & assignment.student_names) >= len(assignment.student_names)
    return "" if ours or _shows(assignment, cells) else _title(cells)


def _shows(assignment: Assignment, cells: list[Cell]) -> bool:
    """Se o caderno tem o título ou um teste da tarefa."""
    tests = {_bare(cell.visible) for cell in assignment.cells if cell.role == TEST}
    return _title(cells) == assignment.title or any(_bare(cell.source) in tests for cell in cells)


def _title(cells: list[Cell]) -> str:
    return next((found for cell in cells if not cell.is_code
                 if (found := heading(cell.source))), "")


def assignment_of(known: Sequence[Assignment], data: bytes) -> str:
    """O nome da primeira das tarefas de que o caderno tem algo; "" se não é de nenhuma.

    Não lê código nenhum: isto acontece no processo que coordena, para cada caderno a mais.
    """
    cells = read(data, Plan())
    return next((each.name for each in known if _shows(each, cells)), "")


# ── Onde fica cada célula ───────────────────────────────────────────────────────────────────────


def places(cells: Sequence[tuple[str, bool, str]]) -> list[str]:
    """Onde o aluno acha cada célula (texto, se é de código, grade_id): pelo título acima dela.

    O Jupyter não mostra números de célula; contam-se as de código debaixo de cada título.
    """
    section, sections = "", []
    first = next((found for source, is_code, _ in cells
                  if not is_code and (found := heading(source))), "")
    for source, is_code, _ in cells:
        if not is_code:
            section = heading(source) or section
        sections.append(_section(section if section != first or _is_question(first) else ""))
    total = Counter(name for name, cell in zip(sections, cells, strict=True) if cell[1])
    seen: Counter[str] = Counter()
    found = []
    for name, (_, is_code, grade_id) in zip(sections, cells, strict=True):
        seen[name] += is_code
        if not is_code:
            found.append(f"célula de texto {name}")
        elif grade_id.endswith("dados"):
            found.append(f"célula de dados {name}")
        elif total[name] == 1:
            found.append(f"célula {name}")
        else:
            found.append(f"{seen[name]}ª célula de código {name}")
    return found


def _section(title: str) -> str:
    if not title:
        return "do começo do caderno"
    if _is_question(title):
        return f"da {short(title)[:MOST_HEADING]}"
    return f'da parte "{title[:MOST_HEADING]}"'


def _is_question(title: str) -> bool:
    return title.startswith("Questão")


def _find_places(matched: list[tuple[Cell, SourceCell | None]]) -> None:
    found = places([(cell.source, cell.is_code, source.grade_id if source else "")
                    for cell, source in matched])
    for (cell, _), where in zip(matched, found, strict=True):
        cell.where = where


def source_places(assignment: Assignment) -> dict[str, str]:
    """Onde cada célula da fonte estava no caderno que o aluno recebeu, pelo grade_id."""
    found = places([(cell.source, cell.is_code, cell.grade_id) for cell in assignment.cells])
    return {cell.grade_id: where for cell, where in zip(assignment.cells, found, strict=True)}


def _match(
    assignment: Assignment, cells: list[Cell], made: Plan
) -> list[tuple[Cell, SourceCell | None]]:
    """A célula da fonte a que cada uma corresponde: pelo grade_id ou, sem ele, pelo texto."""
    by_text = {
        _bare(cell.visible): cell for cell in assignment.cells
        if cell.role in (TEST, GIVEN) and cell.grade_id and _bare(cell.visible)
    }
    found = [
        (cell, assignment.by_id.get(cell.grade_id) or by_text.get(_bare(cell.source)))
        for cell in cells
    ]
    if not any(cell.grade_id in assignment.by_id for cell in cells):
        made.note("O caderno perdeu as marcas das questões (ou é de outra tarefa). Procurei as "
                  "respostas pelos nomes.")
    return found


def _bare(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _note_repeated(assignment: Assignment, matched, made: Plan) -> None:
    where = source_places(assignment)
    count = Counter(source.grade_id for _, source in matched if source and source.role != PROSE)
    for grade_id, times in sorted(count.items()):
        if times > 1:
            rule = ("Rodei todas, na ordem; o que vale é o que ficou por último."
                    if assignment.by_id[grade_id].is_code else "Li a primeira que tem resposta.")
            made.note(f"A {where[grade_id]} aparece {times} vezes. {rule}")


def _with_missing(assignment: Assignment, matched, made: Plan) -> Iterator:
    """As células do aluno, com os preparos apagados de volta ao lugar."""
    present = {source.grade_id for _, source in matched if source}
    where = source_places(assignment)
    after: dict[str, list[SourceCell]] = {"": []}
    previous = ""
    for source in assignment.cells:
        if source.grade_id in present:
            previous = source.grade_id
        elif source.role == GIVEN and source.grade_id:
            after.setdefault(previous, []).append(source)
            made.note(f"A {where[source.grade_id]}, que vem pronta, não estava no caderno. "
                      "Recoloquei-a.")
    for source in after.pop(""):
        yield None, source
    for cell, source in matched:
        yield cell, source
        for missing in after.pop(source.grade_id, ()) if source else ():
            yield None, missing


def _plan_cell(
    assignment: Assignment, cell: Cell | None, source: SourceCell | None, made: Plan, last: dict
) -> None:
    name = f"<célula {cell.number}>" if cell else ""
    role = source.role if source else (PROSE if not cell.is_code else "")
    if role == GIVEN:
        if cell and _bare(cell.source) != _bare(source.visible):
            made.note(f"A {cell.where}, que vem pronta, foi mudada. Rodei a original.")
        if not any(step.name == f"<preparo {source.grade_id}>" for step in made.steps):
            where = cell.where if cell else source_places(assignment)[source.grade_id]
            made.steps.append(Step(f"<preparo {source.grade_id}>", source.source, where=where))
    elif role == TEST:
        if _bare(cell.source) != _bare(source.visible):
            made.note(f"A {cell.where}, que confere a resposta, foi mudada. Usei a original.")
            if bound(cell.source) & assignment.student_names:
                made.note(f"Havia uma resposta dentro da {cell.where}; rodei-a também.")
                _add_own(cell, name, made)
        if last[source.grade_id] == cell.number:
            made.steps.append(Step(grade_id=source.grade_id))
    elif role == MANUAL:
        before = made.answers.get(source.grade_id)
        if before is None or source.is_blank(before.source):
            made.answers[source.grade_id] = cell
        if cell.is_code and source.is_code:
            _add_own(cell, name, made)
    elif role == SOLUTION and not cell.is_code:
        if bound(cell.source):
            made.note(f"A {cell.where} devia ser de código. Rodei-a.")
            _add_own(cell, name, made)
    elif cell.is_code:
        _add_own(cell, name, made)


def _add_own(cell: Cell, name: str, made: Plan) -> None:
    source = runnable(cell, made)
    if source.strip():
        made.steps.append(Step(name, source, own=True, place=cell.grade_id, where=cell.where))


# ── Consertar uma célula ────────────────────────────────────────────────────────────────────────

_TRANSPARENT = ("time", "timeit", "capture", "prun")  # rodam o resto da célula
_MAGIC_LINE = re.compile(
    r"^(\s*+)(\w[\w.,\s]*+=\s*+)?"
    r"(?:%(?:time|timeit)\s++(?P<rest>[^-\s].*)|[!%]\s*+[^\s\d(].*)$"
)
_HELP_LINE = re.compile(r"^(\s*)(\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")


def runnable(cell: Cell, made: Plan) -> str:
    """O código da célula sem o que só existe no Jupyter, linha por linha no mesmo lugar."""
    source = cell.source
    if syntax(source) is NOTHING:
        source = _without_magic(cell, made)
    if _calls_input(source):
        made.note(f"A {cell.where} usa input(); não há quem responda, e ele devolveu um "
                  "texto vazio.")
    return source


def _without_magic(cell: Cell, made: Plan) -> str:
    source = cell.source
    first = source.lstrip().split("\n", 1)[0]
    if first.startswith("%%"):
        magic = first[2:].split()[0] if first[2:].split() else ""
        made.note(f"A {cell.where} começa por %%{magic[:30]}, que só existe no Jupyter.")
        if magic not in _TRANSPARENT:
            return ""
        source = source.replace(first, "", 1)
    return "\n".join(_plain_line(line, cell, made) for line in source.split("\n"))


def _plain_line(line: str, cell: Cell, made: Plan) -> str:
    if magic := _MAGIC_LINE.match(line):
        made.note(f"A {cell.where} usa comandos do Jupyter (! ou %). Pulei essas linhas: "
                  "nada se instala durante a correção.")
        return f"{magic[1]}{magic[2] or ''}{magic['rest'] or 'None'}"
    if asked := _HELP_LINE.match(line):
        return f"{asked[1]}None"
    return line


def _calls_input(source: str) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "input"
        for node in ast.walk(syntax(source))
    )
