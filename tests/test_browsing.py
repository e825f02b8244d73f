"""Sem navegador, os testes ficam de fora e dizem como voltar; na integração contínua, falham."""

import pytest

import browsing
import chromium


def test_without_a_browser_the_tests_are_left_out_and_say_so(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/não/existe")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"ficaram de fora.*playwright install"), \
            browsing.launched():
        pass
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="ficaram de fora"), browsing.launched():
        pass


def test_the_browser_is_the_one_asked_for_or_the_first_found(monkeypatch, tmp_path):
    ours, theirs = tmp_path / "chromium", tmp_path / "outro"
    theirs.touch()
    monkeypatch.setenv("CHROMIUM", str(ours))
    assert chromium.path_of_chromium(str(theirs)) is None
    ours.touch()
    assert chromium.path_of_chromium(str(theirs)) == str(ours)
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setattr(chromium, "DEBIANS_OWN", str(tmp_path / "não há"))
    assert chromium.path_of_chromium(str(theirs)) == str(theirs)
