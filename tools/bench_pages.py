"""Mede a página de um capítulo, ao lado da mesma feita do jeito de fábrica, e os exploradores.

Peso: bytes que chegam pela rede, comprimidos, sem cache. Espera: do pedido até o explorador
responder (na página de fábrica, até o evento load), em 3G simulado (1,6 Mbit/s, 150 ms) e com o
processador quatro vezes mais lento. A de fábrica é um jupyter-book build sem configuração do mesmo
caderno; o que ela pede a outros endereços não chega aqui e fica fora da conta, a favor dela.

Uso: make bench (precisa do Chromium; veja CONTRIBUTING.md).
"""

import gzip
import json
import mimetypes
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from atencao.explorers import Mask, MultiHead
from atencao.explorers.base import STATIC
from chromium import HOW_TO, path_of_chromium

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "05-artigo-llm-encontro"
TEXT = {".html", ".js", ".css", ".svg", ".json"}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
BUDGET_KB, BUDGET_MS, REPAINT_MS = 350, 2500, 8


class CompressedFiles(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", mimetypes.guess_type(path.name)[0] or "text/plain")
        if path.suffix in TEXT:
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def build(source, *options):
    command = [Path(sys.executable).parent / "jupyter-book", "build", source, "-q", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def build_ours(folder):
    build(ROOT, "--path-output", folder)
    return folder / "_build/html", f"book/{CHAPTER}.html"


def build_stock(folder):
    """O mesmo caderno, sem nada do que o livro configura; só o que o impediria de construir."""
    shutil.copy(ROOT / f"book/{CHAPTER}.ipynb", folder)
    (folder / "_config.yml").write_text("title: De fábrica\nexecute: {execute_notebooks: 'off'}\n")
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: {CHAPTER}\n")
    build(folder)
    return folder / "_build/html", f"{CHAPTER}.html"


def serve(folder):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(CompressedFiles, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"


def visit(browser, folder, page_path, ready):
    """(KB na rede, ms até ficar pronta, pedidos a outros endereços)."""
    server, base = serve(folder)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("Network.enable")
    cdp.send("Network.emulateNetworkConditions", SLOW)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    sizes, outside = [], []
    cdp.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))

    def gate(route):
        if route.request.url.startswith((base, "data:", "blob:")):
            return route.continue_()
        outside.append(route.request.url)
        return route.abort()

    page.route("**/*", gate)
    page.goto(f"{base}/{page_path}", wait_until="load", timeout=120_000)
    wait = page.evaluate(ready)
    page.wait_for_timeout(1500)
    context.close()
    server.shutdown()
    return sum(sizes) / 1024, wait, len(outside)


def report_pages(browser):
    awake = "() => performance.getEntriesByName('explorador-pronto')[0].startTime"
    loaded = "() => performance.getEntriesByType('navigation')[0].loadEventStart"
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as stock:
        rounds = [
            (visit(browser, *mine, awake), visit(browser, *theirs, loaded))
            for mine, theirs in [(build_ours(Path(ours)), build_stock(Path(stock)))]
            for _ in range(5)
        ]
    for name, place, budget in (("peso, KB", 0, BUDGET_KB), ("espera, ms", 1, BUDGET_MS)):
        mine = statistics.median(ours[place] for ours, _ in rounds)
        ratio = statistics.median(ours[place] / stock[place] for ours, stock in rounds)
        print(f"  {name:12}{mine:7.0f}  (no máximo {budget})   ÷ de fábrica: {ratio:.2f}")
    ours, stock = rounds[0]
    print(f"  pedidos a outros endereços: {ours[2]} no livro, {stock[2]} na de fábrica")


def large_explorers():
    """64 tokens e 8 cabeças, o maior caso que os exploradores prometem."""
    rng = np.random.default_rng(0)
    n, heads, c = 64, 8, 8
    tokens = [f"t{i}" for i in range(n)]
    many = MultiHead(mode="look")
    with many.hold_trait_notifications():
        many.tokens = tokens
        many.query, many.key = rng.normal(size=(2, heads, n, c)).tolist()
    mask = Mask()
    with mask.hold_trait_notifications():
        mask.tokens = tokens
        mask.query, mask.key, mask.value = (rng.normal(size=(n, w)).tolist() for w in (2, 2, 3))
    return {"múltiplas cabeças": many, "máscara": mask}


def report_explorers(browser):
    for name, explorer in large_explorers().items():
        bundle = STATIC / "pages" / explorer.kind
        script, style = (bundle.with_suffix(x).read_text("utf-8") for x in (".js", ".css"))
        page = browser.new_page(viewport={"width": 760, "height": 900})
        page.set_content(
            f"<!doctype html><meta charset=utf-8><style>{style}</style><main>"
            f"{explorer.as_html()}</main><script>{script}</script>"
        )
        times = page.evaluate("""() => {
            const radios = [...document.querySelectorAll(
                ".heads-sentence input, .mask-rows tbody input[type=radio]")];
            return radios.flatMap((radio) => {
                const start = performance.now();
                radio.click();
                document.querySelector(".explorer").getBoundingClientRect();
                return performance.now() - start;
            }).slice(4);
        }""")
        print(f"  {name}, 64 tokens: {statistics.median(times):.1f} ms por mudança, mediana de "
              f"{len(times)} (no máximo {REPAINT_MS})")
        page.close()


def main():
    with sync_playwright() as playwright:
        path = path_of_chromium(playwright.chromium.executable_path)
        if path is None:
            sys.exit(f"As páginas não foram medidas: {HOW_TO}")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        print(f"\nA página do capítulo {json.dumps(CHAPTER)}, em 3G simulado")
        report_pages(browser)
        print("\nRecalcular e redesenhar um explorador")
        report_explorers(browser)
        browser.close()


if __name__ == "__main__":
    main()
