"""Cada explorador na página do livro, com mouse, dedo e teclado, contra os números do Python."""

import contextlib
import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import browsing
import on_screen
from atencao.functional import split_heads

PAGES = {
    "dot-product": "book/02-produto-escalar",
    "projection": "book/03-projecoes-qkv",
    "scale": "book/04-escala",
    "five-products": "book/06-cinco-produtos",
    "mask": "book/07-causal",
    "multi-head": "book/09-multiplas-cabecas",
}
every_kind = pytest.mark.parametrize("kind", PAGES)


class Stage:
    """Um explorador aberto numa página, e o mesmo estado numa instância em Python."""

    def __init__(self, context, site, kind):
        self.page = context.new_page()
        self.watch = browsing.Watch(self.page)
        self.page.goto(f"{site}/{PAGES[kind]}.html")
        place = self.page.locator(f"[data-atencao-explorer={kind}]")
        self.root = place.locator(".explorer")
        self.fallback = place.locator(".explorer-fallback")
        self.root.scroll_into_view_if_needed()
        self.first = json.loads(place.locator("script").first.text_content())
        self.python = on_screen.CLASSES[kind](**self.first)
        self.voice = self.root.locator(".explorer-voice")
        self.notice = self.root.get_by_role("alert")
        self.next = self.button("Próximo")

    def renew(self):
        """Volta ao começo, para o teste seguinte; abrir a página outra vez demoraria mais."""
        self.watch.errors.clear()
        self.page.bring_to_front()  # uma aba de trás só se redesenha uma vez por segundo
        self.page.emulate_media(media="null", reduced_motion="null")
        self.page.mouse.move(0, 0)
        self.page.evaluate("document.activeElement.blur()")
        self.button("Recomeçar").evaluate("(button) => button.click()")
        self.voice.evaluate("(voice) => { voice.textContent = ''; }")
        self.root.scroll_into_view_if_needed()
        self.python = on_screen.CLASSES[self.python.kind](**self.first)

    def agrees(self, **state):
        """Põe o estado no Python e confere que a tela mostra os mesmos números."""
        with self.python.hold_trait_notifications():
            for name, value in state.items():
                setattr(self.python, name, value)
        # O clique que nasce de um toque chega alguns quadros depois dele.
        for _ in range(100):
            with contextlib.suppress(AssertionError):
                return on_screen.assert_agree(self.root, self.python)
            self.page.evaluate("new Promise(requestAnimationFrame)")
        return on_screen.assert_agree(self.root, self.python)

    def button(self, name):
        return self.root.get_by_role("button", name=name, exact=True)

    def option(self, name):
        return self.root.get_by_role("radio", name=name, exact=True)

    def field(self, label):
        return self.root.get_by_role("textbox", name=label, exact=True).first

    def handle(self, name):
        return self.root.get_by_role("slider", name=name, exact=True)

    def type(self, label, text):
        self.field(label).fill(text)
        self.field(label).press("Enter")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def met(self):
        """Quais desafios estão cumpridos."""
        return self.root.locator(".explorer-goals li").evaluate_all(
            "(goals) => goals.map((goal) => goal.classList.contains('is-met'))"
        )

    def on_plane(self, x, y):
        """Onde fica, na janela, o ponto (x, y) do plano do produto escalar."""
        left, top, width = self.box(".explorer-plane")
        unit = width / 460
        return left + (230 + 150 * x) * unit, top + (180 - 150 * y) * unit

    def box(self, selector):
        """Esquerda, topo e largura, depois que a página parou de se mexer."""
        part = self.root.locator(selector)
        part.hover(position={"x": 3, "y": 3})
        box = part.bounding_box()
        return box["x"], box["y"], box["width"]

    def vectors(self):
        """Os quatro vetores do produto escalar, como estão escritos nos campos."""
        texts = self.root.locator(".explorer-number").evaluate_all(
            "(fields) => fields.map((field) => field.value)"
        )
        numbers = [number for text in texts for number, _ in on_screen.written(text)]
        return {"query": numbers[:2], "key": np.reshape(numbers[2:], (3, 2))}

    def drag(self, start, end):
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=4)
        mouse.up()

    def swipe(self, start, end):
        """O mesmo, com o dedo, que para antes de se levantar: o embalo comeria o próximo toque."""
        session = self.page.context.new_cdp_session(self.page)
        middle = [(a + b) / 2 for a, b in zip(start, end, strict=True)]
        for event, *points in (
            ("touchStart", start), ("touchMove", middle), ("touchMove", end), ("touchMove", end),
            ("touchEnd",),
        ):
            session.send("Input.dispatchTouchEvent", {
                "type": event, "touchPoints": [{"x": x, "y": y} for x, y in points],
            })
            self.page.wait_for_timeout(60)
        session.detach()


@pytest.fixture(scope="module")
def stages(contexts, site):
    """Cada explorador aberto uma vez em cada jeito de ver as páginas."""
    seen = {}

    def stage(kind, view):
        if (kind, view) in seen:
            seen[kind, view].renew()
        else:
            seen[kind, view] = Stage(contexts[view], site, kind)
        return seen[kind, view]

    return stage


@pytest.fixture
def opened(stages):
    """Abre um explorador no começo; ao fim do teste, o console precisa estar sem erros."""
    used = []

    def opened_stage(kind, view="claro"):
        used.append(stages(kind, view))
        return used[-1]

    yield opened_stage
    for stage in used:
        assert stage.watch.errors == []


# ---------- o que vale para todos ----------

# Uma mudança qualquer, pelo teclado, e o estado em que ela deixa o explorador.
CHANGES = {
    "dot-product": (lambda stage: stage.type("consulta, formato", "-0,3"), {"query": [-0.3, 0.8]}),
    "projection": (
        lambda stage: stage.root.get_by_label("Palavra seguida").select_option("Maria"),
        {"chosen": "Maria"},
    ),
    "scale": (lambda stage: stage.type("c exato, de 1 a 1024", "300"), {"c": 300}),
    "five-products": (
        lambda stage: stage.type("Wv, linha 1, coluna 2", "-2,5"),
        {"W_value": [[1, -2.5], [2, 0], [0, 0], [0, 2]]},
    ),
    "mask": (lambda stage: stage.option("nenhuma").press("Space"), {"mask": "none"}),
    "multi-head": (lambda stage: stage.handle("Tokens, n").press("ArrowRight"), {"n": 5}),
}


@every_kind
def test_the_page_starts_with_the_numbers_python_wrote(opened, kind):
    stage = opened(kind)
    stage.agrees()
    assert stage.met() == [False] * 3
    assert not stage.fallback.is_visible()


@every_kind
def test_a_step_by_step_for_the_keyboard(opened, kind):
    stage = opened(kind)
    count, text = (stage.root.locator(f".explorer-step-{part}") for part in ("count", "text"))
    total = int(count.text_content().split(" de ")[1])
    assert total >= 5
    seen = [text.text_content()]
    stage.next.focus()
    for step in range(1, total + 1):
        stage.press("Enter")
        assert count.text_content() == f"{step} de {total}"
        seen.append(text.text_content())
    assert len(set(seen)) == total + 1
    # No último passo o botão se desliga, e quem usa o teclado continua nos botões.
    assert stage.next.is_disabled()
    expect(stage.button("Anterior")).to_be_focused()
    for step in reversed(range(total)):
        stage.press("Enter")
        assert count.text_content() == f"{step} de {total}"
        assert text.text_content() == seen[step]
    expect(stage.next).to_be_focused()


@every_kind
def test_walking_the_steps_does_not_change_the_numbers(opened, kind):
    stage = opened(kind)
    while stage.next.is_enabled():
        stage.next.click()
    # Nas múltiplas cabeças, andar é levar o tensor de etapa em etapa.
    stage.agrees(**({"stage": "project"} if kind == "multi-head" else {}))
    while stage.button("Anterior").is_enabled():
        stage.button("Anterior").click()
    stage.agrees(**stage.first)


@every_kind
def test_starting_over_brings_the_first_state_back(opened, kind):
    stage = opened(kind)
    before = stage.python.state()
    change, state = CHANGES[kind]
    change(stage)
    stage.agrees(**state)
    stage.next.click()
    stage.button("Recomeçar").click()
    stage.agrees(**before)
    assert stage.root.locator(".explorer-step-count").text_content().startswith("0 de")
    assert stage.met() == [False] * 3


@every_kind
def test_the_live_region_speaks_after_the_change(opened, kind):
    stage = opened(kind)
    expect(stage.voice).to_have_text(re.compile(r"\d"))
    assert stage.voice.get_attribute("aria-live") == "polite"
    before = stage.voice.text_content()
    CHANGES[kind][0](stage)
    expect(stage.voice).not_to_have_text(before)
    stage.next.click()
    expect(stage.voice).to_have_text(stage.root.locator(".explorer-step-text").text_content())


@every_kind
def test_the_tab_key_reaches_every_control(opened, kind):
    stage = opened(kind)
    controls = stage.root.evaluate("""(root) => {
        const all = [...root.querySelectorAll("button, input, select, [tabindex]")]
            .filter((node) => !node.disabled && node.tabIndex >= 0 && node.checkVisibility());
        // De um grupo de rádio, o Tab só alcança o marcado.
        const reached = all.filter((node) => node.type !== "radio" || node.checked);
        reached.forEach((node, i) => { node.dataset.order = i; });
        return reached.length;
    }""")
    stage.root.locator("[data-order='0']").focus()
    seen = set()
    for _ in range(controls):
        seen.add(stage.page.evaluate("document.activeElement.dataset.order"))
        stage.press("Tab")
    assert seen == {str(i) for i in range(controls)}


@every_kind
def test_nothing_slides_for_those_who_ask_for_less_motion(opened, kind):
    stage = opened(kind)
    stage.page.emulate_media(reduced_motion="reduce")
    CHANGES[kind][0](stage)
    stage.next.click()
    assert stage.root.evaluate("""(root) => [...root.querySelectorAll("*")].flatMap((node) => {
        const { transitionDuration, animationName } = getComputedStyle(node);
        const still = /^0s(, 0s)*$/.test(transitionDuration) && animationName === "none";
        return still ? [] : [node.outerHTML.slice(0, 80), transitionDuration, animationName];
    })""") == []
    assert stage.root.evaluate("(root) => root.getAnimations({ subtree: true }).length") == 0


@every_kind
def test_paper_gets_the_table(opened, kind):
    stage = opened(kind)
    stage.page.emulate_media(media="print")
    assert stage.fallback.is_visible()
    assert not stage.root.is_visible()
    printed = stage.fallback.locator("td").all_text_contents()
    assert printed == [cell for table in stage.python.tables() for row in table.rows
                       for cell in row[1:]]


REFUSALS = {
    "dot-product": [("consulta, formato", "abc"), ("chave de LLM, assunto", "1,5")],
    "projection": [("linha age, coluna 2", "muito"), ("linha age, coluna 2", "2,1")],
    "scale": [("c exato, de 1 a 1024", ""), ("c exato, de 1 a 1024", "1025"),
              ("c exato, de 1 a 1024", "2,5"), ("sorteio, de 0 a 9999", "-1")],
    "five-products": [("X, linha artigo, coluna 1", "NaN"), ("Wk, linha 1, coluna 1", "10,01")],
}


@pytest.mark.parametrize(("kind", "label", "text"), [
    (kind, *refusal) for kind, refusals in REFUSALS.items() for refusal in refusals
])
def test_what_does_not_fit_is_refused_and_the_state_stays(opened, kind, label, text):
    stage = opened(kind)
    stage.type(label, text)
    expect(stage.notice).to_have_text(re.compile("não é um número|precisa ser|vão de"))
    stage.agrees()
    stage.type(label, "1")  # um valor bom apaga o aviso
    expect(stage.notice).to_be_hidden()


# ---------- produto escalar ----------

def test_dot_product_by_mouse(opened):
    stage = opened("dot-product")
    for name, start, end in (
        ("query", (0.9, 0.8), (-0.5, 0.6)), ("key", (-0.8, -0.1), (0.4, -0.7)),
    ):
        stage.drag(stage.on_plane(*start), stage.on_plane(*end))
        moved = stage.vectors()
        np.testing.assert_allclose(np.atleast_2d(moved[name])[-1], end, atol=0.02)
        stage.agrees(**moved)
    assert stage.root.locator(".explorer-shadow").is_visible()
    stage.drag(stage.on_plane(*stage.vectors()["query"]), stage.on_plane(-1.4, 1.1))
    stage.agrees(query=[-1, 1])
    for option, state in (
        ("à mão", {"by_hand": True}), ("10× mais longos", {"stretch": 10}),
        ("exata", {"by_hand": False}),
    ):
        stage.option(option).check()
        stage.agrees(**state)
    stage.root.get_by_label("dividir por √c").click()
    stage.agrees(scaled=not stage.python.scaled)


def test_dot_product_by_touch(opened):
    stage = opened("dot-product", "celular")
    places = stage.on_plane(0.9, 0.8), stage.on_plane(-0.2, -0.6)
    scrolled = stage.page.evaluate("scrollY")
    stage.swipe(*places)
    moved = stage.vectors()
    np.testing.assert_allclose(moved["query"], (-0.2, -0.6), atol=0.02)
    stage.agrees(**moved)
    assert stage.page.evaluate("scrollY") == scrolled
    stage.option("à mão").tap()
    stage.agrees(by_hand=True)


def test_dot_product_by_keyboard(opened):
    stage = opened("dot-product")
    stage.handle("consulta de artigo").focus()
    scrolled = stage.page.evaluate("scrollY")
    stage.press("ArrowLeft", "ArrowLeft", "ArrowDown")
    stage.agrees(query=[0.8, 0.75])
    stage.press(*["ArrowUp"] * 6)
    stage.agrees(query=[0.8, 1])
    handle = stage.handle("chave de LLM")
    handle.focus()
    stage.press("ArrowRight")
    stage.agrees(key=[[0.9, 0.7], [0.25, 0.9], [-0.8, -0.1]])
    assert handle.get_attribute("aria-valuetext") == "formato 0,25, assunto 0,90"
    assert stage.page.evaluate("scrollY") == scrolled
    stage.type("chave de encontro, assunto", "0.5")
    stage.agrees(key=[[0.9, 0.7], [0.25, 0.9], [-0.8, 0.5]])


def test_dot_product_challenges(opened):
    stage = opened("dot-product")
    for label, text in (("consulta, formato", "0,2"), ("consulta, assunto", "0,7")):
        stage.type(label, text)
    stage.agrees(query=[0.2, 0.7])
    assert stage.met() == [True, False, False]
    stage.option("10× mais longos").check()
    stage.agrees(stretch=10)
    assert stage.met() == [True, False, True]
    for label, text in (
        ("consulta, formato", "-0,9"), ("consulta, assunto", "-0,8"),
        ("chave de encontro, formato", "0,8"),
    ):
        stage.type(label, text)
    stage.agrees(query=[-0.9, -0.8], key=[[0.9, 0.7], [0.2, 0.9], [0.8, -0.1]])
    assert stage.python.numbers()["scores"].max() < 0
    assert stage.met() == [True, True, True]
    assert stage.root.locator(".explorer-goal-why").first.is_visible()


# ---------- projeção ----------

def test_projection_by_mouse(opened):
    stage = opened("projection")
    left, top, _ = stage.box(".explorer-projection-space")
    corner = left + 12, top + 12
    stage.drag(corner, (corner[0] + 60, corner[1] + 20))
    assert stage.handle("Girar a nuvem").get_attribute("aria-valuenow") == "-5"
    stage.agrees(angles=[-5, 30])
    stage.option("Wv").check()
    stage.agrees(role="value")
    chuva = stage.root.locator(".explorer-projection-plane g:has(> title:text-is('chuva'))")
    chuva.locator("path").click()
    stage.agrees(chosen="chuva")
    stage.root.get_by_label("linha vive, coluna 1, deslizante").click()  # no meio: zero
    stage.agrees(w_value=[[0, 0], [0, 1], [0, 0]])


def test_projection_by_touch(opened):
    stage = opened("projection", "celular")
    stage.option("Wk").tap()
    stage.agrees(role="key")
    left, top, _ = stage.box(".explorer-projection-space")
    corner = left + 12, top + 12
    stage.swipe(corner, (corner[0] + 40, corner[1] - 10))
    assert stage.handle("Girar a nuvem").get_attribute("aria-valuenow") == "-15"
    maria = stage.root.locator(".explorer-projection-plane g:has(> title:text-is('Maria'))")
    maria.locator("path").tap()
    stage.agrees(chosen="Maria")


def test_projection_by_keyboard(opened):
    stage = opened("projection")
    grip = stage.handle("Girar a nuvem")
    grip.focus()
    stage.press("ArrowRight", "ArrowRight", "ArrowDown")
    assert grip.get_attribute("aria-valuetext") == "giro −25 graus, inclinação 15 graus"
    stage.option("Wq").focus()
    stage.press("ArrowRight")
    stage.agrees(role="key")
    stage.root.get_by_label("linha nomeia, coluna 1, deslizante").focus()
    stage.press("ArrowRight", "ArrowRight")
    stage.agrees(w_key=[[1.2, -0.5], [-0.5, 1], [0.5, 0]])
    stage.type("linha age, coluna 2", "−1,75")
    stage.agrees(w_key=[[1.2, -0.5], [-0.5, -1.75], [0.5, 0]])
    stage.root.get_by_label("Palavra seguida").select_option("corre")
    stage.agrees(chosen="corre")


def test_projection_challenges(opened):
    stage = opened("projection")
    for axis in ("nomeia", "age", "vive"):
        stage.type(f"linha {axis}, coluna 2", "0")
    stage.agrees(w_query=[[-0.5, 0], [1, 0], [0.5, 0]])
    assert stage.met()[:2] == [True, False]
    stage.button("Recomeçar").click()
    stage.type("linha vive, coluna 1", "1")
    stage.type("linha vive, coluna 2", "0")
    assert stage.met() == [False, False, True]
    stage.option("Wk").check()
    stage.type("linha vive, coluna 1", "0")
    assert stage.met() == [False, True, True]


# ---------- escala ----------

def test_scale_by_mouse(opened):
    stage = opened("scale")
    stage.option("÷ √c").check()
    stage.agrees(divisor="sqrt(c)")
    box = stage.handle("c").bounding_box()
    stage.page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    stage.agrees(c=1024)
    stage.drag((box["x"] + box["width"] - 9, box["y"] + box["height"] / 2),
               (box["x"] + 1, box["y"] + box["height"] / 2))
    stage.agrees(c=1)
    stage.button("Sortear de novo").click()
    stage.agrees(seed=45)


def test_scale_by_touch(opened):
    stage = opened("scale", "celular")
    stage.option("÷ c").tap()
    stage.agrees(divisor="c")
    width = stage.handle("c")
    box = width.bounding_box()
    width.tap(position={"x": box["width"] - 2, "y": box["height"] / 2})
    stage.agrees(c=1024)
    stage.button("Sortear de novo").tap()
    stage.agrees(seed=45)


def test_scale_by_keyboard(opened):
    stage = opened("scale")
    stage.handle("c").focus()
    stage.press("ArrowRight")
    stage.agrees(c=17)
    stage.press("End")
    stage.agrees(c=1024)
    stage.option("sem escala").focus()
    stage.press("ArrowRight", "ArrowRight")
    stage.agrees(divisor="c")
    stage.type("sorteio, de 0 a 9999", "9999")
    stage.agrees(seed=9999)
    stage.button("Sortear de novo").press("Enter")
    stage.agrees(seed=0)
    stage.type("c exato, de 1 a 1024", "777")
    stage.agrees(c=777)
    assert stage.handle("c").get_attribute("aria-valuetext") == "c = 777"


def test_scale_challenges(opened):
    stage = opened("scale")
    stage.type("c exato, de 1 a 1024", "29")
    assert stage.met() == [False] * 3
    stage.type("c exato, de 1 a 1024", "28")
    assert stage.met() == [True, False, False]
    stage.handle("c").press("End")
    stage.option("÷ √c").check()
    assert stage.met() == [True, True, False]
    stage.option("÷ c").check()
    assert stage.met() == [True, True, True]


# ---------- cinco produtos ----------

def test_five_products_by_mouse(opened):
    stage = opened("five-products")
    stage.root.get_by_role("gridcell", name="Ω, linha llm, coluna biblioteca").click()
    stage.agrees(cell=["scores", 1, 2])
    lit = stage.root.locator(".five-matrix:not([aria-hidden]) td.is-row")
    expect(lit).to_have_count(4)  # a consulta de llm, em Q, e a chave de biblioteca, em K
    stage.field("X, linha artigo, coluna 1").click()
    stage.page.keyboard.type("3,5")
    stage.page.mouse.click(5, 5)
    changed = [list(row) for row in stage.python.X]
    changed[0][0] = 3.5
    stage.agrees(X=changed)
    expect(stage.root.locator(".five-note")).to_contain_text("Mudaram:")


def test_five_products_by_touch(opened):
    stage = opened("five-products", "celular")
    stage.root.get_by_role("gridcell", name="A, linha artigo, coluna llm").tap()
    stage.agrees(cell=["weights", 0, 1])
    stage.next.tap()
    stage.button("Recomeçar").tap()
    stage.agrees(cell=["context", 0, 1])


def test_five_products_by_keyboard(opened):
    stage = opened("five-products")
    stage.root.get_by_role("gridcell", name="C, linha artigo, coluna 2").focus()
    stage.press("ArrowDown", "ArrowLeft")
    stage.agrees(cell=["context", 1, 0])
    field = stage.field("Wq, linha 1, coluna 1")
    field.focus()
    stage.press("ArrowDown")
    expect(stage.field("Wq, linha 2, coluna 1")).to_be_focused()
    stage.page.keyboard.type("1")
    stage.press("Enter")
    stage.agrees(W_query=[[2, 1], [1, 1], [0, 0], [1, 0]])


def test_five_products_shows_only_what_is_done_so_far(opened):
    stage = opened("five-products")
    for products, name in ((0, "given"), (1, "query"), (2, "key"), (3, "value"), (3, "flip")):
        stage.next.click()
        counter = stage.root.locator(".five-counter strong").first
        assert counter.text_content() == str(products), name
    assert stage.root.locator('table[aria-label^="C, "] td').all_text_contents() == [""] * 6
    for _ in range(3):
        stage.next.click()
    stage.agrees()


def test_five_products_challenges(opened):
    stage = opened("five-products")
    for label, text in (
        ("Wk, linha 1, coluna 1", "10"), ("Wk, linha 1, coluna 2", "-10"),
        ("Wk, linha 4, coluna 2", "-10"), ("Wq, linha 4, coluna 2", "-10"),
    ):
        stage.type(label, text)
    stage.agrees(
        W_key=[[10, -10], [2, 0], [1, 0], [0, -10]], W_query=[[2, 1], [0, 1], [0, 0], [1, -10]],
    )
    assert stage.met()[0]
    stage.button("Recomeçar").click()
    for matrix in ("Wq", "Wk"):
        stage.type(f"{matrix}, linha 1, coluna 1", "10")
    assert stage.met() == [False, True, False]
    stage.button("Recomeçar").click()
    for column in (1, 2, 4):
        stage.type(f"X, linha artigo, coluna {column}", "0")
    assert stage.met() == [False, False, True]


# ---------- máscara ----------

def test_mask_by_mouse(opened):
    stage = opened("mask")
    stage.root.locator(".mask-table").first.locator("tbody tr").nth(3).click()
    stage.agrees(row=3)
    for mask, name in (("none", "nenhuma"), ("padding", "preenchimento"), ("both", "as duas")):
        stage.option(name).check()
        stage.agrees(mask=mask)
    for order, name in (
        ("zero", "0 antes do softmax"), ("after", "× 0 depois do softmax"),
    ):
        stage.option(name).check()
        stage.agrees(order=order)
    stage.root.get_by_label("mude o último token").check()
    stage.agrees(changed=True)
    expect(stage.root.locator(".mask-lamp")).to_contain_text("Acesa")
    stage.option("−∞ antes do softmax").check()
    stage.agrees(order="before")
    expect(stage.root.locator(".mask-lamp")).to_contain_text("Apagada")
    assert stage.root.locator(".mask-moved").all_text_contents() == [
        row[-1] for row in stage.python.tables()[0].rows
    ]


def test_mask_by_touch(opened):
    stage = opened("mask", "celular")
    stage.root.get_by_role("radio", name="biblioteca").tap()
    stage.agrees(row=4)
    stage.option("× 0 depois do softmax").tap()
    stage.agrees(order="after")
    amount = stage.handle("Preenchimento")
    box = amount.bounding_box()
    amount.tap(position={"x": box["width"] / 2, "y": box["height"] / 2})
    stage.agrees(padding=2)
    stage.option("à esquerda").tap()
    stage.agrees(side="left")


def test_mask_by_keyboard(opened):
    stage = opened("mask")
    stage.root.get_by_role("radio", name="artigo").focus()
    stage.press("ArrowDown", "ArrowDown")
    stage.agrees(row=3)
    stage.option("causal").focus()
    stage.press("ArrowRight", "ArrowRight")
    stage.agrees(mask="both")
    stage.handle("Preenchimento").focus()
    stage.press("ArrowRight", "ArrowRight")
    stage.agrees(padding=2)
    stage.option("à direita").focus()
    stage.press("ArrowDown")
    stage.agrees(side="left")
    stage.root.get_by_label("mude o último token").press("Space")
    stage.agrees(changed=True)


def test_mask_challenges(opened):
    stage = opened("mask")
    stage.root.locator(".mask-table").first.get_by_role("radio").first.check()
    assert stage.met() == [False, False, True]
    stage.option("× 0 depois do softmax").check()
    assert stage.met() == [False, True, True]
    stage.root.get_by_label("mude o último token").check()
    for mask in ("nenhuma", "causal", "preenchimento", "as duas"):
        stage.option(mask).check()
        for order in ("−∞ antes do softmax", "0 antes do softmax", "× 0 depois do softmax"):
            stage.option(order).check()
    assert stage.met() == [True, True, True]
    assert stage.root.locator(".mask-diary td").all_text_contents() == [
        *["sim"] * 3, *["não", "sim", "sim"], *["sim"] * 3, *["não", "sim", "sim"],
    ]


# ---------- múltiplas cabeças ----------

STAGES = ["início", "view", "transpose", "atenção", "2º transpose", "concatenar", "vezes W_o"]


def test_multi_head_by_mouse(opened):
    stage = opened("multi-head")
    for path, name in (
        ("transpose", "repartir certo"), ("reshape", "só reshape"),
        ("half", "sem transpor na volta"),
    ):
        stage.option(name).check()
        for value, label in zip(stage.python.traits()["stage"].options, STAGES, strict=True):
            shown = "reshape" if (path, value) == ("reshape", "transpose") else label
            stage.option(shown).check()
            stage.agrees(path=path, stage=value)
    stage.option("olhar uma frase").check()
    stage.root.get_by_role("radiogroup", name="Token que pergunta").get_by_text("ela").click()
    stage.agrees(mode="look", token=5)
    stage.root.locator(".heads-option").nth(2).click()
    stage.agrees(head=2)
    stage.root.get_by_role("group", name="Comparar com").get_by_text("cabeça 4").click()
    stage.agrees(other=3)


def test_multi_head_by_touch(opened):
    stage = opened("multi-head", "celular")
    stage.option("2").tap()
    stage.agrees(num_heads=2)
    cell = stage.root.get_by_role("button", name="célula 7,")
    cell.tap()
    assert cell.get_attribute("aria-pressed") == "true"
    stage.agrees(picked=[7])
    stage.option("atenção").tap()
    stage.agrees(stage="attend")
    stage.option("olhar uma frase").tap()
    stage.agrees(mode="look")


def test_multi_head_by_keyboard(opened):
    stage = opened("multi-head")
    stage.root.get_by_role("button", name="célula 0,").focus()
    stage.press("ArrowDown", "ArrowRight", "Space")
    assert stage.root.locator(".heads-cell[aria-pressed=true]").all_text_contents() == ["7"]
    stage.press("Enter")
    expect(stage.root.locator(".heads-cell[aria-pressed=true]")).to_have_count(0)
    stage.handle("Tokens, n").focus()
    stage.press("ArrowRight")
    stage.agrees(n=5)
    stage.option("início").focus()
    stage.press("ArrowDown", "ArrowDown", "ArrowDown")
    stage.agrees(stage="attend")
    stage.option("repartir o tensor").focus()
    stage.press("ArrowRight")
    asking = stage.root.get_by_role("radiogroup", name="Token que pergunta")
    asking.get_by_role("radio").last.focus()
    stage.press("ArrowUp")
    stage.agrees(mode="look", token=7)


def test_multi_head_challenges(opened):
    stage = opened("multi-head")
    second = np.ravel(split_heads(np.arange(24).reshape(4, 6), 3)[1])
    for cell in second[:-1]:
        stage.root.get_by_role("button", name=f"célula {cell},").click()
    stage.button("Conferir").click()
    expect(stage.root.locator(".heads-answer")).to_contain_text("falta 1")
    assert stage.met() == [False] * 3
    stage.root.get_by_role("button", name=f"célula {second[-1]},").click()
    stage.button("Conferir").click()
    expect(stage.root.locator(".heads-answer")).to_contain_text("Certo")
    assert stage.met() == [True, False, False]
    stage.option("só reshape").check()
    stage.option("2").check()
    stage.option("reshape").check()
    assert stage.met() == [True, True, False]
    stage.option("olhar uma frase").check()
    stage.root.get_by_role("radiogroup", name="Token que pergunta").get_by_text("ela").click()
    stage.root.locator(".heads-option").nth(1).click()
    assert stage.met() == [True, True, True]
