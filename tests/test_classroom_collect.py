"""Recolher o que as escolas têm: pastas, nbgrader, Moodle, Colab; e o que não se deixa recolher."""

import os
import stat
import unicodedata
import zipfile

import pytest

from atencao.classroom import collect as module
from atencao.classroom.collect import Wanted, collect

T = "t1-produto-escalar"
NB = f"{T}.ipynb"
ALONE = Wanted(T)
COURSE = Wanted(T, ("t2-projecoes-e-escala", "projeto"), lambda data: data.decode())


def place(folder, *paths, data=b"{}"):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def students(found):
    return [(one.student, one.identifier) for one in found.submissions]


def zipped(path, *names, data=b"{}"):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return path


def test_a_folder_for_each_student(tmp_path):
    found = collect(place(tmp_path, f"Ana Luz/{NB}", f"Zé/{NB}", f"Bia_Sá/outro/{NB}"), ALONE)
    assert students(found) == [("Ana Luz", ""), ("Bia Sá", ""), ("Zé", "")]
    assert found.left_out == []


def test_a_folder_around_the_class_is_not_a_student(tmp_path):
    found = collect(place(tmp_path, f"turma/Ana/{NB}", f"turma/Bia/{NB}"), ALONE)
    assert students(found) == [("Ana", ""), ("Bia", "")]


def test_nbgraders_tree(tmp_path):
    place(tmp_path, f"ana/{T}/{NB}", f"bia/{T}/{NB}", f"ana/{T}/timestamp.txt")
    assert students(collect(tmp_path, ALONE)) == [("ana", ""), ("bia", "")]
    place(tmp_path / "curso", f"submitted/ana/{T}/{NB}", f"submitted/bia/{T}/{NB}")
    assert students(collect(tmp_path / "curso", ALONE)) == [("ana", ""), ("bia", "")]


def test_moodles_zip_and_its_folder_names(tmp_path):
    path = zipped(
        tmp_path / "entregas.zip", f"Ana Luz_12345_assignsubmission_file_/{NB}",
        f"João da Silva_678_assignsubmission_file_/pasta/{NB}",
        f"Bia Sá_9_assignsubmission_file_{NB}",
    )
    assert students(collect(path, ALONE)) == [
        ("Ana Luz", "12345"), ("Bia Sá", "9"), ("João da Silva", "678"),
    ]


def test_two_people_with_the_same_name(tmp_path):
    place(tmp_path, f"Ana_1_assignsubmission_file_/{NB}", f"Ana_2_assignsubmission_file_/{NB}")
    found = collect(tmp_path, ALONE)
    assert students(found) == [("Ana", "1"), ("Ana", "2")]
    assert len({one.slug for one in found.submissions}) == 2


def test_accents_composed_or_not_are_the_same_person(tmp_path):
    place(tmp_path, unicodedata.normalize("NFD", f"João/{NB}"),
          unicodedata.normalize("NFC", f"João/{T} (1).ipynb"))
    found = collect(tmp_path, ALONE)
    assert students(found) == [(unicodedata.normalize("NFC", "João"), "")]


def test_an_old_zip_with_utf8_names_and_no_mark(tmp_path):
    path = tmp_path / "velho.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("Jo.o/x.ipynb"), b"{}")
    path.write_bytes(path.read_bytes().replace(b"Jo.o/x", "Joã/x".encode()))
    assert students(collect(path, ALONE)) == [("Joã", "")]


def test_colab_names_in_one_folder(tmp_path):
    place(tmp_path, f"Cópia de {T} - Ana Luz.ipynb", f"{T}_Bia (1).ipynb", f"{T}_Bia.ipynb",
          f"{T} (2).ipynb", "sem nome.ipynb")
    found = collect(tmp_path, ALONE)
    assert students(found) == [("Ana Luz", ""), ("Bia", "")]
    assert [file for file, _ in found.left_out] == ["sem nome.ipynb", f"{T} (2).ipynb",
                                                    f"{T}_Bia.ipynb"]
    assert found.submissions[1].file.endswith("(1).ipynb")


def test_of_several_notebooks_the_one_of_this_assignment(tmp_path):
    place(tmp_path, f"Ana/{NB}", "Ana/rascunho.ipynb", f"Ana/{T} (1).ipynb", f"Ana/{T} (10).ipynb")
    (one,) = collect(tmp_path, ALONE).submissions
    assert one.file == f"Ana/{T} (10).ipynb"
    (note,) = one.notes
    assert note.startswith(f"Havia mais de um caderno seu. Corrigi {T} (10).ipynb, e não ")
    assert all(name in note for name in (NB, "rascunho.ipynb", f"{T} (1).ipynb"))
    found = collect(tmp_path, ALONE)
    assert len(found.left_out) == 3
    assert all("tem outro caderno" in reason for _, reason in found.left_out)


def test_a_folder_with_the_whole_term_is_worth_no_word(tmp_path):
    place(tmp_path, *(f"{who}/{name}.ipynb" for who in ("Ana", "Bia")
                      for name in (T, *COURSE.others)))
    place(tmp_path, "Bia/Cópia de projeto (2).ipynb", f"Caio/t2-projecoes-e-escala/{NB}")
    found = collect(tmp_path, COURSE)
    assert [(one.file, one.notes) for one in found.submissions] == [
        (f"Ana/{NB}", ()), (f"Bia/{NB}", ()), (f"Caio/t2-projecoes-e-escala/{NB}", ()),
    ]
    assert (found.left_out, found.of_others) == ([], 5)


def test_the_other_assignments_in_folders_or_with_the_students_name(tmp_path):
    place(tmp_path, f"{T} - Ana.ipynb", "projeto - Ana.ipynb", "projeto/Bia.ipynb",
          "sem dono.ipynb")
    found = collect(tmp_path, COURSE)
    assert students(found) == [("Ana", "")]
    assert [file for file, _ in found.left_out] == ["sem dono.ipynb"]
    assert found.of_others == 2


def test_a_name_that_says_nothing_is_settled_by_the_cells(tmp_path):
    place(tmp_path, "Ana/Untitled.ipynb", data=T.encode())
    place(tmp_path, "Ana/Untitled1.ipynb", data=b"projeto")
    place(tmp_path, "Ana/rascunho.ipynb", data=b"")
    place(tmp_path, "Ana/torto.ipynb", data=b"\xff")
    found = collect(tmp_path, COURSE)
    assert found.submissions[0].file == "Ana/Untitled.ipynb"
    assert [file for file, _ in found.left_out] == ["Ana/rascunho.ipynb", "Ana/torto.ipynb"]
    assert found.of_others == 1


@pytest.mark.parametrize("others", [
    "Ana/t1-produto-escalar/t2-projecoes-e-escala.ipynb", "Ana/t1-produto-escalar-v2 (3).ipynb",
    "Ana/projeto.ipynb",
])
def test_the_cells_are_worth_more_than_a_name(tmp_path, others):
    """O caderno da tarefa, com nome de qualquer outra, diante de outro que só parece ser dela."""
    place(tmp_path, "Ana/entrega.ipynb", data=T.encode())
    place(tmp_path, others, data=b"projeto")
    found = collect(tmp_path, COURSE)
    assert [one.file for one in found.submissions] == ["Ana/entrega.ipynb"]
    assert (found.left_out, found.of_others) == ([], 1)


def test_nobody_vanishes_for_being_called_like_another_assignment(tmp_path):
    place(tmp_path, "projeto/entrega.ipynb", "Ana, projeto, tarefa 1.ipynb", data=T.encode())
    place(tmp_path, f"Bia/{NB}")
    found = collect(tmp_path, COURSE)
    assert students(found) == [("Bia", ""), ("projeto", "")]
    assert [file for file, _ in found.left_out] == ["Ana, projeto, tarefa 1.ipynb"]
    assert found.of_others == 0


def test_of_many_notebooks_only_some_are_opened_and_named(tmp_path):
    opened = []

    def recognise(data):
        opened.append(data)
        return ""

    place(tmp_path, *(f"Ana/{T} ({i}).ipynb" for i in range(1, 40)))
    (one,) = collect(tmp_path, Wanted(T, ("projeto",), recognise)).submissions
    assert one.file == f"Ana/{T} (39).ipynb"
    assert len(opened) <= 20
    assert one.notes[0].endswith(" e mais 33.")


def test_the_order_inside_a_zip_changes_nothing(tmp_path):
    names = [f"Ana/{NB}", "Ana/r2.ipynb", "Ana/r1.ipynb"]
    one = collect(zipped(tmp_path / "a.zip", *names), ALONE)
    other = collect(zipped(tmp_path / "b.zip", *reversed(names)), ALONE)
    assert one.submissions[0].notes == other.submissions[0].notes
    assert one.left_out == other.left_out


@pytest.mark.parametrize("name", [f"{T} ({'9' * 5_000})", f"{T}{' ' * 60_000}x"])
def test_a_name_no_disk_would_take_is_left_out(tmp_path, name):
    found = collect(zipped(tmp_path / "t.zip", f"Ana/{name}.ipynb", f"Bia/{NB}"), ALONE)
    assert students(found) == [("Bia", "")]
    assert found.left_out[0][1] == "o nome é comprido demais"


def test_a_second_copy_of_this_one_is_still_said(tmp_path):
    place(tmp_path, f"Ana/{NB}", f"Ana/novo/{NB}", "Ana/projeto.ipynb")
    found = collect(tmp_path, COURSE)
    assert found.submissions[0].notes == (
        f"Havia mais de um caderno seu. Corrigi Ana/{NB}, e não Ana/novo/{NB}.",
    )
    assert [file for file, _ in found.left_out] == [f"Ana/novo/{NB}"]
    assert found.of_others == 1


def test_who_only_has_other_assignments_is_still_in_the_class(tmp_path):
    found = collect(place(tmp_path, "Ana/projeto.ipynb", "Ana/t2-projecoes-e-escala.ipynb"), COURSE)
    assert [(one.student, one.notes) for one in found.submissions] == [("Ana", ())]
    assert (found.left_out, found.of_others) == ([], 1)


def test_what_has_no_owner_or_no_notebook_is_said(tmp_path):
    place(tmp_path, "x.ipynb", "leia.txt", "Ana/trabalho.pdf", f"Bia/{NB}",
          "Bia/.ipynb_checkpoints/a.ipynb", "__MACOSX/Bia/._a.ipynb")
    found = collect(tmp_path, ALONE)
    assert students(found) == [("Bia", "")]
    assert [file for file, _ in found.left_out] == ["Ana", "leia.txt", "x.ipynb"]
    assert "trabalho.pdf" in found.left_out[0][1]


def test_each_students_own_zip(tmp_path):
    (tmp_path / "Ana").mkdir()
    zipped(tmp_path / "Ana" / "entrega.zip", f"pasta/{NB}")
    zipped(tmp_path / "Bia.zip", NB)
    assert students(collect(tmp_path, ALONE)) == [("Ana", ""), ("Bia", "")]
    inner = zipped(tmp_path / "dentro.zip", NB).read_bytes()
    with zipfile.ZipFile(tmp_path / "tudo.zip", "w") as archive:
        archive.writestr("Cida_7_assignsubmission_file_/entrega.zip", inner)
    assert students(collect(tmp_path / "tudo.zip", ALONE)) == [("Cida", "7")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="o sistema não tem atalhos nem filas")
def test_links_and_pipes_are_not_followed(tmp_path):
    secret = place(tmp_path / "fora", NB)
    folder = place(tmp_path / "turma", f"Ana/{NB}")
    (folder / "Bia").symlink_to(secret, target_is_directory=True)
    (folder / "Ana" / "b.ipynb").symlink_to(secret / NB)
    os.mkfifo(folder / "Ana" / "fila.ipynb")
    found = collect(folder, ALONE)
    assert students(found) == [("Ana", "")]
    assert [file for file, _ in found.left_out] == ["Ana/b.ipynb", "Ana/fila.ipynb", "Bia"]


@pytest.mark.parametrize("name", ["../fora.ipynb", "Ana/../../fora.ipynb", "/etc/fora.ipynb",
                                  "Ana/..\\..\\fora.ipynb", "C:/fora.ipynb"])
def test_a_zip_cannot_point_outside_itself(tmp_path, name):
    path = zipped(tmp_path / "turma.zip", name, f"Bia/{NB}")
    before = sorted(tmp_path.rglob("*"))
    found = collect(path, ALONE)
    assert students(found) == [("Bia", "")]
    assert "aponta para fora" in found.left_out[0][1]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_inside_a_zip(tmp_path):
    path = tmp_path / "turma.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("Ana/x.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert "atalho" in collect(path, ALONE).left_out[0][1]


def test_a_zip_bomb_is_read_only_up_to_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_NOTEBOOK", 2**16)
    monkeypatch.setattr(module, "MOST_INNER_ZIP", 2**10)
    path = tmp_path / "turma.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"Ana/{NB}", bytes(2**24))
        archive.writestr("Bia/b.zip", bytes(2**24))
    found = collect(path, ALONE)
    (ana,) = found.submissions
    data, notes = ana.read()
    assert data == b""
    assert "passa de 20 MB" in notes[0]
    assert found.left_out == [("Bia/b.zip", "é um zip grande demais")]


def test_too_many_entries_are_not_a_class(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_ENTRIES", 3)
    path = zipped(tmp_path / "turma.zip", *(f"A{i}/{NB}" for i in range(4)))
    assert "não é uma turma" in collect(path, ALONE).left_out[0][1]


def test_a_corrupt_zip_is_said_and_the_class_goes_on(tmp_path):
    place(tmp_path, f"Ana/{NB}")
    place(tmp_path, "Bia/entrega.zip", data=b"PK lixo")
    found = collect(tmp_path, ALONE)
    assert students(found) == [("Ana", "")]
    assert found.left_out == [("Bia", "o zip está corrompido")]


def test_what_vanishes_meanwhile_is_an_empty_notebook(tmp_path):
    found = collect(place(tmp_path, f"Ana/{NB}"), ALONE)
    (tmp_path / "Ana" / NB).unlink()
    data, notes = found.submissions[0].read()
    assert (data, notes) == (b"", ("Não consegui abrir o arquivo.",))


def test_neither_a_folder_nor_a_zip(tmp_path):
    with pytest.raises(FileNotFoundError, match="não há nada"):
        collect(tmp_path / "nada", ALONE)
    with pytest.raises(ValueError, match="não é uma pasta nem"):
        collect(place(tmp_path, "a.txt") / "a.txt", ALONE)


def test_what_a_student_puts_in_a_zip_is_that_students(tmp_path):
    """Pastas de dentro não dizem de quem é: senão, bastaria dar a uma delas o nome do colega."""
    place(tmp_path, f"Ana Silva/{NB}")
    (tmp_path / "Eva").mkdir()
    zipped(tmp_path / "Eva/entrega.zip", f"Ana Silva/{T}/{T} (9).ipynb",
           f"Ana Silva_77_assignsubmission_file_/{NB}")
    found = collect(tmp_path, ALONE)
    assert students(found) == [("Ana Silva", ""), ("Eva", "")]
    assert found.submissions[0].file == f"Ana Silva/{NB}"


def test_zips_inside_a_zip_have_a_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_INNER_ZIPS", 1500)
    inner = zipped(tmp_path / "dentro.zip", NB, data=b"{}" * 400).read_bytes()
    (tmp_path / "turma").mkdir()
    with zipfile.ZipFile(tmp_path / "turma/Eva.zip", "w") as archive:
        for i in range(3):
            archive.writestr(f"{i}.zip", inner)
    found = collect(tmp_path / "turma", ALONE)
    assert [reason for _, reason in found.left_out if "grande demais" in reason]


@pytest.mark.skipif(os.name == "nt", reason="lá os nomes são sempre Unicode")
def test_a_name_that_is_not_utf8_is_read_as_windows_wrote_it(tmp_path):
    folder = os.fsencode(tmp_path) + b"/" + "João".encode("latin-1")
    os.mkdir(folder)
    with open(folder + b"/" + NB.encode(), "wb") as file:
        file.write(b"{}")
    assert students(collect(tmp_path, ALONE)) == [("João", "")]


def test_a_bottomless_folder_is_left_out(tmp_path):
    place(tmp_path, f"Ana/{NB}", "Eva/" + "d/" * 60 + NB)
    found = collect(tmp_path, ALONE)
    assert students(found) == [("Ana", "")]
    assert "pastas demais" in found.left_out[0][1]
