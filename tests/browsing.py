"""O navegador dos testes, o servidor que lhe dá as páginas e o que ele tem a dizer delas."""

import contextlib
import functools
import http.server
import os
import threading
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from chromium import HOW_TO, path_of_chromium

HERE = "127.0.0.1"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # Nenhum nome se resolve: o que uma página pedir a outra máquina falha, mesmo com rede.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
LEFT_OUT = f"os testes de navegador ficaram de fora: {HOW_TO}"
VIEWS = {
    "claro": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "escuro": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "celular": {
        "viewport": {"width": 360, "height": 740}, "color_scheme": "light", "has_touch": True,
    },
}


def leave_out():
    """Sem navegador, os testes ficam de fora; na integração contínua, isso é um erro."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(LEFT_OUT)


@contextlib.contextmanager
def launched():
    with sync_playwright() as playwright:
        path = path_of_chromium(playwright.chromium.executable_path)
        if path is None:
            leave_out()
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *args):
        """O navegador fechou a página no meio de uma resposta: nada a dizer."""


@contextlib.contextmanager
def served(folder):
    """Serve uma pasta enquanto durar o bloco; devolve o endereço."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with Server((HERE, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://{HERE}:{server.server_port}"
        server.shutdown()
        thread.join()


class Watch:
    """O que uma página pede a outra máquina, o que lhe falta e de que erros ela se queixa."""

    def __init__(self, page):
        self.outside, self.missing, self.errors = [], [], []
        page.on("request", self._asked)
        page.on("requestfailed", lambda request: self.missing.append(request.url))
        page.on("response", self._answered)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _asked(self, request):
        address = urlsplit(request.url)
        if address.scheme.startswith(("http", "ws")) and address.hostname != HERE:
            self.outside.append(request.url)

    def _answered(self, response):
        if response.status >= 400:
            self.missing.append(f"{response.status} {response.url}")

    def _said(self, message):
        if message.type == "error":
            self.errors.append(message.text)
