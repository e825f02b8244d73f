"""Recolher o que a escola entregou: pastas por aluno, a árvore do nbgrader, o zip do Moodle.

Nada é extraído para o disco, nenhum atalho é seguido, nada grande demais é lido. O que não se sabe
de quem é fica numa lista, com o motivo.
"""

import contextlib
import os
import re
import stat
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from pathlib import Path, PurePosixPath

MOST_NOTEBOOK = 20 * 2**20
MOST_ZIP = 2**30
MOST_INNER_ZIP = 50 * 2**20
MOST_INNER_ZIPS = 500 * 2**20  # a soma dos que há dentro de um zip
MOST_DEPTH = 50
MOST_ENTRIES = 50_000
_IGNORED = re.compile(r"^(\.|__MACOSX$|Thumbs\.db$|desktop\.ini$)")
_MOODLE = re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?")
_COPY = re.compile(r"\s*\((\d+)\)\s*(?=\.ipynb$|$)", re.IGNORECASE)
_COPY_WORDS = re.compile(r"^(c[óo]pia de|copy of|copia de)\s+|[-_ ]+c[óo]pia$", re.IGNORECASE)


@dataclass(frozen=True)
class Submission:
    """A entrega de um aluno. ``load()`` lê o arquivo na hora de corrigir."""

    student: str
    identifier: str
    file: str
    load: Callable[[], bytes] = field(compare=False)
    notes: tuple[str, ...] = ()

    def read(self) -> tuple[bytes, tuple[str, ...]]:
        """O caderno e o que há a dizer dele; ilegível, vem vazio, e a turma segue."""
        try:
            return self.load(), self.notes
        except TooBig:
            return b"", (*self.notes, "O arquivo passa de 20 MB. Apague as saídas e entregue outra "
                                      "vez.")
        except Exception:
            return b"", (*self.notes, "Não consegui abrir o arquivo.")

    @property
    def slug(self) -> str:
        """Um nome de arquivo que serve em todo sistema e não confunde dois alunos."""
        plain = unicodedata.normalize("NFKD", self.student).encode("ascii", "ignore").decode()
        plain = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:40] or "aluno"
        who = f"{_key(self.student)}\0{self.identifier}"
        return f"{plain}-{blake2b(who.encode(), digest_size=4).hexdigest()}"


@dataclass
class Collection:
    """As entregas, em ordem, o que ficou de fora, (arquivo, motivo), e quantos são de outra tarefa.

    Os de outras tarefas do curso, na pasta do mesmo aluno, são o arranjo natural de um semestre.
    """

    submissions: list[Submission] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    of_others: int = 0


@dataclass(frozen=True)
class Wanted:
    """A tarefa que se recolhe, as outras do curso, e de qual delas, pelas células, é um caderno."""

    name: str
    others: tuple[str, ...] = ()
    recognise: Callable[[bytes], str] = lambda data: ""


@dataclass(frozen=True)
class _Entry:
    parts: tuple[str, ...]
    load: Callable[[], bytes]

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def is_notebook(self) -> bool:
        return self.parts[-1].lower().endswith(".ipynb")


class TooBig(Exception):
    """O arquivo passa do que se lê."""


def collect(place: Path, wanted: Wanted, skip: Path | None = None) -> Collection:
    """As entregas de uma tarefa que estão numa pasta ou num zip; ``skip`` é a dos resultados.

    Levanta FileNotFoundError se não há nada em ``place``; ValueError se não é pasta nem zip.
    """
    if not place.exists():
        raise FileNotFoundError(f"não há nada em {place}.")
    collection = Collection()
    leave = collection.left_out.append
    if place.is_dir():
        entries = list(_folder(place, (), leave, skip and skip.resolve()))
    elif zipfile.is_zipfile(place):
        entries = list(_zip(place, (), leave))
    else:
        raise ValueError(f"{place} não é uma pasta nem um arquivo zip.")
    owned: dict[tuple[str, str], list[_Entry]] = {}
    names: dict[tuple[str, str], str] = {}
    for entry in _without_wrapper(entries, wanted.name):
        who = _owner(entry, wanted.name)
        nobody = who is None or entry.parts[0] in wanted.others
        if nobody and _is_of_another(entry, wanted):
            collection.of_others += 1
            continue
        if who is None:
            leave((entry.path, "não sei de que aluno é. Ponha-o numa pasta com o nome do aluno"))
            continue
        key = _key(who[0]), who[1]
        names[key] = min(names.get(key, who[0]), who[0])
        owned.setdefault(key, []).append(entry)
    for key, files in sorted(owned.items(), key=lambda item: (_alphabetical(item[0][0]), item[0])):
        _choose(names[key], key[1], files, wanted, collection)
    collection.left_out.sort()
    return collection


# ── Achar os arquivos ───────────────────────────────────────────────────────────────────────────


def _folder(
    folder: Path, parts: tuple[str, ...], leave, skip: Path | None = None
) -> Iterator[_Entry]:
    if len(parts) > MOST_DEPTH:
        leave(("/".join(parts[:3]) + "/…", "há pastas demais umas dentro das outras"))
        return
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        leave(("/".join(parts) or str(folder), "não consegui abrir a pasta"))
        return
    for item in found:
        name = _nfc(item.name)
        inside = (*parts, name)
        if _IGNORED.match(name):
            continue
        if item.is_symlink():
            leave(("/".join(inside), "é um atalho, e atalhos não são seguidos"))
        elif item.is_dir(follow_symlinks=False):
            if Path(item.path).resolve() != skip:
                yield from _folder(Path(item.path), inside, leave, skip)
        elif not item.is_file(follow_symlinks=False):
            leave(("/".join(inside), "não é um arquivo comum"))
        elif name.lower().endswith(".zip"):
            yield from _zip(Path(item.path), _inside_zip(inside), leave)
        else:
            yield _Entry(inside, _file_reader(Path(item.path)))


def _inside_zip(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Um zip solto vale por uma pasta com o nome dele; na pasta do aluno, vale pela pasta."""
    return parts[:-1] if len(parts) > 1 else (parts[0][: -len(".zip")],)


def _file_reader(path: Path) -> Callable[[], bytes]:
    def load() -> bytes:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            return _bounded(file.read(MOST_NOTEBOOK + 1), MOST_NOTEBOOK)

    return load


def _bounded(data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise TooBig
    return data


def _zip(source: Path | BytesIO, parts: tuple[str, ...], leave, deep: bool = True):
    where = "/".join(parts)
    try:
        archive = zipfile.ZipFile(source)
        members = archive.infolist()
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError):
        leave((where or str(source), "o zip está corrompido"))
        return
    if len(members) > MOST_ENTRIES:
        leave((where or str(source), f"o zip tem {len(members)} arquivos, e isso não é uma turma"))
        return
    opened: list[int] = []
    for member in members:
        yield from _member(archive, member, parts, leave, opened if deep else None)


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, parts, leave, opened: list[int] | None
):
    """``opened``: os tamanhos dos zips de dentro que já se abriram; None se aqui não se abrem."""
    name = _member_name(member)
    inside = (*parts, *(part for part in name.split("/") if part not in ("", ".")))
    path = "/".join(inside)
    if member.is_dir():
        return
    if ".." in inside or PurePosixPath(name).is_absolute() or "\\" in name or ":" in name:
        leave((path, "o caminho dentro do zip aponta para fora dele"))
    elif any(_IGNORED.match(part) for part in inside):
        return
    elif any(len(part) > 255 for part in inside):  # nenhum sistema de arquivos o teria
        leave((f"{path[:80]}…", "o nome é comprido demais"))
    elif stat.S_ISLNK(member.external_attr >> 16):
        leave((path, "é um atalho, e atalhos não são seguidos"))
    elif member.flag_bits & 1:
        leave((path, "está protegido por senha"))
    elif name.lower().endswith(".zip") and opened is not None:
        try:
            data = _read_member(
                archive, member, min(MOST_INNER_ZIP, MOST_INNER_ZIPS - sum(opened))
            )
        except TooBig:
            leave((path, "é um zip grande demais"))
        except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError):
            leave((path, "o zip está corrompido"))
        else:
            opened.append(len(data))
            yield from _zip(BytesIO(data), _inside_zip(inside), leave, deep=False)
    else:
        yield _Entry(inside, lambda: _read_member(archive, member, MOST_NOTEBOOK))


def _member_name(member: zipfile.ZipInfo) -> str:
    """Sem a marca de UTF-8, o Python lê o nome em cp437; quem gravou quase sempre quis UTF-8."""
    name = member.filename
    if not member.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return _nfc(name)


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """Descomprime até o limite, diga o zip o que disser do tamanho."""
    with archive.open(member) as file:
        return _bounded(file.read(most + 1), most)


# ── De quem é cada um ───────────────────────────────────────────────────────────────────────────


def _without_wrapper(entries: list[_Entry], assignment: str) -> list[_Entry]:
    """Tira a pasta que embrulha a turma inteira, se há uma."""
    while entries and all(len(entry.parts) > 2 for entry in entries):
        first = {entry.parts[0] for entry in entries}
        wrapper = first.pop()
        if first or _MOODLE.match(wrapper) or all(
            entry.parts[1] == assignment for entry in entries
        ):
            break
        entries = [_Entry(entry.parts[1:], entry.load) for entry in entries]
    return entries


def _owner(entry: _Entry, assignment: str) -> tuple[str, str] | None:
    """(nome, identificador do Moodle ou "") de quem entregou."""
    *folders, file = entry.parts
    if folders[:1] == ["submitted"] and len(folders) > 1:  # a árvore do nbgrader
        folders = folders[1:]
    # Só a pasta de fora diz de quem é: as de dentro, quem escreve é o aluno.
    if moodle := _MOODLE.match((folders or [file])[0]):
        return _person(moodle["name"]), moodle["id"]
    if folders and folders[0] != assignment:
        return _person(folders[0]), ""
    name = _from_file_name(file, assignment) if entry.is_notebook else ""
    return (name, "") if name else None


def _from_file_name(file: str, assignment: str) -> str:
    """O que sobra do nome do arquivo, tirados o da tarefa e as marcas de cópia."""
    name = _bare_name(file)
    if assignment.lower() not in name.lower():
        return ""
    name = re.sub(re.escape(assignment), " ", name, flags=re.IGNORECASE)
    return _person(_COPY_WORDS.sub("", name.strip(" -_")))


def _bare_name(file: str) -> str:
    name = re.sub(r"\.ipynb$", "", file, flags=re.IGNORECASE)
    return _COPY_WORDS.sub("", _COPY.sub("", name))


def _person(name: str) -> str:
    return re.sub(r"[\s_]+", " ", _nfc(name)).strip(" -")


def _key(name: str) -> str:
    return _nfc(name).casefold()


def _alphabetical(name: str) -> str:
    """Sem acentos: Íris vem antes de Zeca."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()


def _nfc(text: str) -> str:
    """NFC; um nome que não é UTF-8, de um zip antigo do Windows, lê-se em cp1252."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = os.fsencode(text).decode("cp1252", errors="replace")
    return unicodedata.normalize("NFC", text)


# ── Que arquivo vale ────────────────────────────────────────────────────────────────────────────

_OTHER, _UNKNOWN, _FOLDER, _NAME, _CELLS, _CELLS_AND_NAME = range(6)  # quem diz de que tarefa é
_OPENED = 20  # cadernos de um aluno que se abrem para saber de que tarefa são
_LISTED = 5


def _choose(
    student: str, identifier: str, files: list[_Entry], wanted: Wanted, collection: Collection
) -> None:
    """Um caderno por aluno: o que é desta tarefa e, entre cópias, a de número mais alto."""
    notebooks = sorted((e for e in files if e.is_notebook), key=lambda entry: entry.path)
    if not notebooks:
        listed = ", ".join(entry.parts[-1] for entry in files[:3])
        collection.left_out.append((student, f"não entregou caderno .ipynb, e sim {listed}"))
        return
    found = dict.fromkeys(notebooks, _UNKNOWN)
    if len(notebooks) > 1:
        found = {entry: _kind(entry, wanted, opens=i < _OPENED)
                 for i, entry in enumerate(notebooks)}
    chosen = max(notebooks, key=lambda entry: (found[entry], *_claim(entry)))
    rest = [entry for entry in notebooks if entry is not chosen]
    copies = [entry for entry in rest if found[entry] != _OTHER]
    collection.of_others += len(rest) - len(copies)
    times = Counter(entry.parts[-1] for entry in notebooks)
    shown = {entry: entry.path if times[entry.parts[-1]] > 1 else entry.parts[-1]
             for entry in notebooks}
    kept = shown[chosen]
    for copy in copies:
        collection.left_out.append((copy.path, f"{student} tem outro caderno, que corrigi: {kept}"))
    notes = ()
    if copies:
        listed = ", ".join(shown[copy] for copy in copies[:_LISTED])
        more = f" e mais {len(copies) - _LISTED}" if len(copies) > _LISTED else ""
        notes = (f"Havia mais de um caderno seu. Corrigi {kept}, e não {listed}{more}.",)
    collection.submissions.append(
        Submission(student, identifier, chosen.path, chosen.load, notes)
    )


def _kind(entry: _Entry, wanted: Wanted, opens: bool) -> int:
    """De que tarefa é um caderno. Dizem-no as células; se não bastam, o nome e, enfim, a pasta."""
    name = _bare_name(entry.parts[-1]).lower()
    named = wanted.name.lower() in name
    inside = _inside(entry, wanted) if opens else ""
    if inside == wanted.name:
        return _CELLS_AND_NAME if named else _CELLS
    if inside in wanted.others:
        return _OTHER
    if named:
        return _NAME
    if wanted.name in entry.parts:
        return _FOLDER
    is_other = any(name == other.lower() or other in entry.parts for other in wanted.others)
    return _OTHER if is_other else _UNKNOWN


def _inside(entry: _Entry, wanted: Wanted) -> str:
    """A tarefa que as células mostram; "" se não se sabe, ou se o caderno é ilegível."""
    try:
        return wanted.recognise(entry.load())
    except Exception:
        return ""


def _is_of_another(entry: _Entry, wanted: Wanted) -> bool:
    return (
        entry.is_notebook and _is_named(entry, wanted.others)
        and not _is_named(entry, (wanted.name,)) and _inside(entry, wanted) != wanted.name
    )


def _is_named(entry: _Entry, names: tuple[str, ...]) -> bool:
    file = entry.parts[-1].lower()
    return any(name.lower() in file or name in entry.parts for name in names)


def _claim(entry: _Entry) -> tuple:
    copy = _COPY.search(entry.parts[-1])
    return int(copy[1]) if copy else 0, -len(entry.parts), entry.path
