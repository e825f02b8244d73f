"""A autoavaliação como o leitor a usa: mouse, teclado, andamento guardado, sem scripts."""

import json
import re

import pytest

import book
import book_quiz
import browsing
from test_browser_pages import complaints

QUESTIONS = book_quiz.read((book.BOOK / "perguntas.md").read_text(encoding="utf-8"))
READY = "performance.getEntriesByName('perguntas-prontas').length"
KEY = "atencao-perguntas"
KEPT = f"localStorage.getItem('{KEY}')"
FORBIDDEN = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("proibido", "SecurityError"); },
});"""


@pytest.fixture
def visit(chromium, site):
    """Abre a página num navegador sem passado; devolve-a com o que der errado em .watch."""
    contexts = []

    def opened(view="claro", *, address=f"{site}/book/perguntas.html", script=None, **options):
        context = chromium.new_context(**browsing.VIEWS[view], **options)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.watch = browsing.Watch(context)
        page.goto(address)
        if options.get("java_script_enabled", True):
            page.wait_for_function(READY)
        return page

    yield opened
    for context in contexts:
        context.close()


class Asked:
    """Uma pergunta na página."""

    def __init__(self, page, title):
        position = next(i for i, question in enumerate(QUESTIONS) if question.title == title)
        self.section = page.locator("article section:has(> details)").nth(position)
        self.options = self.section.locator(".quiz-option input")
        self.field = self.section.locator(".quiz-field")
        self.button = self.section.locator("form button")
        self.verdict = self.section.get_by_role("status")
        self.comments = self.section.locator("details > :is(ol, ul) > li")

    def at_once(self, answer):
        """Responde sem passar pelo mouse, para conferir muitas respostas em pouco tempo."""
        said = self.section.evaluate("""(section, answer) => {
            const options = [...section.querySelectorAll(".quiz-option input")];
            options.forEach((option, i) => { option.checked = answer.includes(i); });
            if (!options.length) section.querySelector(".quiz-field").value = answer;
            section.querySelector("form").requestSubmit();
            return section.querySelector("[role=status]").textContent;
        }""", answer)
        return " ".join(said.split())

    def choose(self, *positions):
        for position in range(self.options.count()):
            if position in positions or self.options.nth(position).get_attribute("type") != "radio":
                self.options.nth(position).set_checked(position in positions)
        self.button.click()
        return self.said()

    def write(self, text):
        self.field.fill(text)
        self.field.press("Enter")
        return self.said()

    def said(self):
        return " ".join(self.verdict.text_content().split())

    def comment(self, position):
        return " ".join(self.comments.nth(position).text_content().split())


def named(*kinds):
    chosen = [question for question in QUESTIONS if question.kind in kinds]
    return pytest.mark.parametrize("question", chosen, ids=lambda q: q.title)


@pytest.fixture(scope="module")
def shared(chromium, site):
    """Uma página só para as perguntas que não dependem do que se respondeu antes."""
    context = chromium.new_context(**browsing.VIEWS["claro"])
    page = context.new_page()
    page.goto(f"{site}/book/perguntas.html")
    page.wait_for_function(READY)
    yield page
    context.close()


@named("choice")
def test_every_wrong_choice_is_explained_and_the_right_one_accepted(shared, question):
    asked = Asked(shared, question.title)
    rights, wrongs = (
        [position for position, right in enumerate(question.right) if right is wanted]
        for wanted in (True, False)
    )
    for wrong in wrongs:
        said = asked.at_once([wrong])
        assert said.startswith("Ainda não")
        assert asked.comment(wrong) in said
    said = asked.at_once(rights)
    assert said.startswith("Certo")
    for right in rights:
        assert asked.comment(right).removeprefix("Certa. ") in said
    if len(rights) > 1:
        assert "não é tudo" in asked.at_once(rights[:1])


@named("number")
def test_every_slip_is_named_and_the_right_number_accepted(shared, question):
    asked = Asked(shared, question.title)
    written = [book_quiz.SLIP.match(comment)[1] for comment in question.comments]
    for position, slip in enumerate(written):
        said = asked.at_once(slip)
        assert said.startswith("Ainda não")
        assert asked.comment(position) in said
    answer = book_quiz.ANSWER.match(question.answer)[1]
    for same in (answer, answer.replace(",", "."), answer.replace("−", "-")):
        assert asked.at_once(same).startswith("Certo")
        assert asked.field.get_attribute("aria-invalid") == "false"


@pytest.mark.parametrize(("text", "reply"), [
    ("", "Escreva um número"),
    ("noventa", '"noventa" não é um número'),
    ("0,9", "Certo"),
    ("0,904", "Certo"),
    ("-0.9", "o sinal, trocado"),
    ("90", "Parece a porcentagem"),
    ("1", "Com tão poucas casas"),
    ("5,5", "5,5 não é, e este engano eu não conheço"),
])
def test_a_number_of_any_sort_gets_a_reply(shared, text, reply):
    assert reply in Asked(shared, "Uma pontuação").write(text)


def test_nothing_chosen_is_asked_for_and_not_counted(visit):
    page = visit()
    assert Asked(page, "Ids sorteados").choose() == "Escolha uma opção antes de conferir."
    said = Asked(page, "*Cat* com o dobro do tamanho").choose()
    assert said == "Marque ao menos uma opção antes de conferir."
    assert page.evaluate(KEPT) is None


def test_the_verdict_leaves_when_the_choice_changes(visit):
    asked = Asked(visit(), "Ids sorteados")
    asked.choose(2)
    assert asked.section.locator(".is-wrong").count() == 2  # a opção e o veredito
    asked.options.nth(0).check()
    assert asked.said() == ""
    assert asked.section.locator(".is-wrong").count() == 0


def test_a_choice_by_keyboard_keeps_the_focus(visit):
    page = visit()
    asked = Asked(page, "Ids sorteados")
    asked.options.nth(0).focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert asked.options.nth(1).is_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert asked.said().startswith("Ainda não")
    assert asked.button.evaluate("(node) => node === document.activeElement")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert asked.said().startswith("Certo")
    assert asked.options.nth(0).evaluate("(node) => node === document.activeElement")


def test_several_choices_and_a_number_by_keyboard(visit):
    page = visit()
    asked = Asked(page, "*Cat* com o dobro do tamanho")
    asked.options.nth(0).focus()
    for key in ("Space", "Tab", "Space", "Enter"):
        page.keyboard.press(key)
    assert asked.said().startswith("Certo")
    number = Asked(page, "*Sat* encontra *fat*")
    number.field.focus()
    page.keyboard.type("0,45")
    page.keyboard.press("Enter")
    assert number.said().startswith("Certo")
    assert number.field.evaluate("(node) => node === document.activeElement")


def test_a_screen_reader_hears_what_each_control_is(visit):
    page = visit()
    group = page.get_by_role("group", name="Ids sorteados: Escolha uma", exact=True)
    assert group.get_by_role("radio", name="1. Nada.").count() == 1
    described = page.locator(f"#{group.get_attribute('aria-describedby')}")
    assert "renumera o vocabulário" in described.inner_text()
    assert page.get_by_role("textbox", name="Quase tudo vezes zero: Sua resposta").count() == 1
    several = page.get_by_role("group", name="Quem vaza?: Marque todas as certas")
    assert several.get_by_role("checkbox").count() == 4
    assert page.get_by_role("status").count() >= len(QUESTIONS)


def test_an_explanation_is_compared_and_judged_by_its_author(visit):
    page = visit()
    asked = Asked(page, "Três papéis")
    fold = asked.section.locator("details")
    asked.button.click()
    assert asked.said().startswith("Escreva a sua explicação")
    assert fold.get_attribute("open") is None
    asked.field.fill("A consulta procura, a chave é achada, o valor se entrega.")
    asked.button.click()
    assert fold.get_attribute("open") is not None
    assert asked.options.first.is_visible()
    assert asked.choose(0).startswith("Certo")
    page.reload()
    page.wait_for_function(READY)
    assert asked.field.input_value().startswith("A consulta procura")
    assert asked.options.nth(0).is_checked()
    assert "1 de 5 certas nesta parte." in page.locator("#as-perguntas-da-sala").inner_text()


def progress(page):
    rows = page.locator("#seu-resumo .quiz-rows li").all()
    return [int(row.locator(".quiz-row-score").inner_text().split()[0]) for row in rows]


def test_progress_is_counted_kept_and_cleared(visit):
    page = visit()
    assert progress(page) == [0] * 11
    assert Asked(page, "Ids sorteados").choose(0).endswith("1 de 5 certas no capítulo 1.")
    assert Asked(page, "O texto triplica").write("3").endswith("1 de 5 certas no capítulo 1.")
    assert Asked(page, "O texto triplica").write("9").endswith("2 de 5 certas no capítulo 1.")
    said = Asked(page, "Por quanto dividir?").write("22.63")
    assert said.endswith("0 de 5 certas no capítulo 9.")
    counted = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert progress(page) == counted
    page.reload()
    page.wait_for_function(READY)
    assert progress(page) == counted
    assert Asked(page, "Ids sorteados").options.nth(0).is_checked()
    assert Asked(page, "Por quanto dividir?").said().startswith("Ainda não")
    marks = page.locator("#seu-resumo .quiz-mark").all_inner_texts()
    assert marks[0] == "Ids sorteados: certa"
    assert sum(mark.endswith(": ainda não") for mark in marks) == 1

    clear = page.get_by_role("button", name="Apagar minhas respostas")
    page.once("dialog", lambda dialog: dialog.dismiss())
    clear.click()
    assert progress(page) == counted
    page.once("dialog", lambda dialog: dialog.accept())
    clear.click()
    assert progress(page) == [0] * 11
    assert page.locator("article input:checked").count() == 0
    assert page.evaluate(KEPT) is None
    page.reload()
    page.wait_for_function(READY)
    assert progress(page) == [0] * 11


def test_the_answers_stay_in_this_browser_and_nowhere_else(visit):
    page = visit()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    Asked(page, "Ids sorteados").choose(1)
    Asked(page, "O texto triplica").write("9")
    assert asked == []
    assert page.context.cookies() == []
    assert page.evaluate("sessionStorage.length") == 0
    kept = json.loads(page.evaluate(KEPT))
    assert kept == {
        "ids-sorteados": {"value": ["As linhas mudam de ordem."], "missed": True},
        "o-texto-triplica": {"value": "9", "missed": False},
    }
    assert page.watch.errors == page.watch.outside == []


def test_two_first_misses_advise_a_chapter(visit):
    page = visit()
    advice = page.locator(".quiz-advice")
    assert "Responda a algumas perguntas" in advice.inner_text()
    Asked(page, "Certeza demais").choose(0)
    assert "nenhum capítulo pede releitura" in advice.inner_text()
    Asked(page, "O eixo trocado").choose(0)
    Asked(page, "O eixo trocado").choose(1)  # acertar depois não apaga o tropeço
    link = advice.get_by_role("link")
    assert "2 de 5 erradas na primeira tentativa" in advice.inner_text()
    assert link.get_attribute("href") == "02-produto-escalar.html"


@pytest.mark.parametrize("left", [
    "não é JSON", "null", "7", '{"ids-sorteados": 3}', '{"ids-sorteados": {"value": {"a": 1}}}',
    '{"o-texto-triplica": {"value": null}}', '{"tres-papeis": {"value": null}}',
    '{"ids-sorteados": {"value": ["Uma opção de outra edição."]}}',
])
def test_what_another_edition_left_does_no_harm(visit, left):
    page = visit(script=f"localStorage.setItem('{KEY}', {json.dumps(left)})")
    assert progress(page) == [0] * 11
    assert Asked(page, "Ids sorteados").choose(0).startswith("Certo")
    assert page.watch.errors == []


def test_where_nothing_may_be_kept_the_page_still_works_and_says_so(visit):
    page = visit(script=FORBIDDEN)
    assert Asked(page, "Ids sorteados").choose(0).endswith("1 de 5 certas no capítulo 1.")
    assert "não deixa a página guardar nada" in page.locator("#seu-resumo").inner_text()
    assert page.watch.errors == []


def test_it_works_from_a_folder(visit, html):
    page = visit(address=(html / "book/perguntas.html").as_uri())
    assert Asked(page, "Ids sorteados").choose(0).startswith("Certo")
    page.reload()
    page.wait_for_function(READY)
    assert progress(page)[0] == 1
    assert page.watch.errors == page.watch.missing == []


def test_without_scripts_questions_choices_and_folded_answers_remain(visit):
    page = visit(java_script_enabled=False)
    assert page.locator("article form").count() == 0
    seen = page.locator("article section:has(> details)").evaluate_all("""
        (sections) => sections.map((each) => [
            each.querySelectorAll(":scope > ol > li").length,
            each.querySelector("summary").checkVisibility(),
            each.querySelector("details > :not(summary)").checkVisibility(),
        ])
    """)
    assert seen == [[len(question.choices), True, False] for question in QUESTIONS]
    fold = Asked(page, "Ids sorteados").section.locator("details")
    fold.locator("summary").click()
    assert "o endereço da linha" in fold.inner_text()


def test_on_paper_there_are_choices_and_answers_but_no_buttons(visit):
    page = visit()
    asked = Asked(page, "Ids sorteados")
    asked.choose(1)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert asked.options.nth(0).is_visible()
    assert asked.comments.nth(0).is_visible()
    assert not asked.button.is_visible()
    assert not asked.verdict.is_visible()
    assert not page.locator(".quiz-summary").is_visible()


@pytest.mark.parametrize("view", browsing.VIEWS)
def test_axe_finds_nothing_once_there_are_answers(visit, view):
    page = visit(view)
    Asked(page, "Ids sorteados").choose(2)
    Asked(page, "O texto triplica").write("9")
    Asked(page, "Quase tudo vezes zero").write("7")
    Asked(page, "Quem vaza?").choose(0, 3)
    essay = Asked(page, "Três papéis")
    essay.field.fill("Procurar, ser achado, entregar.")
    essay.button.click()
    assert complaints(page, view) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_marks_say_right_and_wrong_without_colour(visit):
    page = visit()
    asked = Asked(page, "*Cat* com o dobro do tamanho")
    asked.choose(0, 2)
    marks = asked.section.locator(".quiz-option").evaluate_all(
        "(nodes) => nodes.map((node) => getComputedStyle(node, '::after').content)"
    )
    assert [re.sub(r'["/ ]', "", mark) for mark in marks] == ["✓", "none", "✗", "none"]
