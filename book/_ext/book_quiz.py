"""A autoavaliação: lê as perguntas escritas em Markdown, acusa as malfeitas e leva o script a elas.

A fonte é Markdown comum, para que se leia no GitHub, no JupyterLab, no papel e sem JavaScript: um
título, o enunciado, as opções numeradas e a resposta dobrada num <details>. O script acha as mesmas
partes na página pronta, e por isso nada aqui mexe no texto; CONTRIBUTING.md mostra o formato.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.util import logging

import node_tools
from atencao.explorers.base import STATIC

PAGE = "book/perguntas"
FOLDER = "quiz"
RIGHT = "**Certa.**"
SEVERAL = "Marque todas"
SHORTEST_COMMENT = 40  # menos que isso não diz por que a opção tenta nem onde falha

NUMBER = r"[−-]?\d+(?:,\d+)?"
ANSWER = re.compile(rf"\*\*({NUMBER})\*\*(?: \(folga de ({NUMBER})\))?[.,:]")
SLIP = re.compile(rf"\*\*({NUMBER})\*\*: ")


def value(written):
    """O número escrito em português: vírgula decimal e sinal de menos de verdade."""
    return float(written.replace("−", "-").replace(",", "."))


def rounding(written):
    """Meia unidade da última casa escrita; um inteiro se responde exato."""
    places = len(written.partition(",")[2])
    return 0.5 * 10.0**-places if places else 0.0


@dataclass
class Question:
    title: str
    section: str
    line: int
    statement: str = ""
    choices: list[str] = field(default_factory=list)
    answer: str = ""  # tudo o que está dobrado
    comments: list[str] = field(default_factory=list)  # um por opção, ou um por engano de conta

    @property
    def kind(self):
        if self.choices:
            return "choice"
        return "number" if ANSWER.match(self.answer) else "open"

    @property
    def right(self):
        return [comment.startswith(RIGHT) for comment in self.comments]

    @property
    def number(self):
        """(valor, tolerância) de uma resposta numérica."""
        written, slack = ANSWER.match(self.answer).groups()
        return value(written), value(slack) if slack else rounding(written)

    @property
    def slips(self):
        """(valor, tolerância) de cada engano de conta previsto."""
        found = [SLIP.match(comment) for comment in self.comments]
        return [(value(m[1]), rounding(m[1])) for m in found if m]

    def problems(self):
        """O que está malfeito, em frases que dizem como consertar."""
        if not self.answer:
            yield "falta a resposta dobrada em <details>"
        if self.kind == "choice":
            yield from self._choice_problems()
        if self.kind == "number":
            yield from self._number_problems()
        for position, comment in enumerate(self.comments, 1):
            if len(comment.replace(RIGHT, "")) < SHORTEST_COMMENT:
                yield f"o comentário {position} precisa dizer por que a opção tenta e onde falha"

    def _choice_problems(self):
        if len(self.comments) != len(self.choices):
            yield f"há {len(self.choices)} opções e {len(self.comments)} comentários: um para cada"
        rights = sum(self.right)
        if rights == 0:
            yield f"nenhum comentário começa por {RIGHT}"
        if (rights > 1) != (SEVERAL in self.statement):
            yield f'"{SEVERAL}" se escreve no enunciado quando há mais de uma certa, e só então'

    def _number_problems(self):
        if not self.comments or len(self.slips) != len(self.comments):
            yield "cada engano de conta é um item da forma '- **1,10**: comentário'"
        taken = [self.number]
        for slip, tolerance in self.slips:
            if any(abs(slip - other) <= tolerance + slack for other, slack in taken):
                yield f"o engano {slip} se confunde com a resposta ou com outro engano"
            taken.append((slip, tolerance))


def items(text, mark):
    """O que vem antes de uma lista e os itens dela, que vão até a primeira linha sem recuo."""
    before, *found = re.split(rf"^{mark} ", text, flags=re.MULTILINE)
    return before.strip(), [re.split(r"\n\n(?=\S)", item)[0].strip() for item in found]


def read(text):
    """As perguntas de uma página, na ordem."""
    questions, section = [], ""
    for match in re.finditer(r"^(##|###) (.+)\n((?:(?!##).*\n?)*)", text, flags=re.MULTILINE):
        level, title, body = match.groups()
        if level == "##":
            section = title
            continue
        line = text.count("\n", 0, match.start()) + 1
        statement, _, rest = body.partition("<details>")
        question = Question(title, section, line)
        question.statement, question.choices = items(statement, r"\d+\.")
        question.answer = rest.partition("</summary>")[2].partition("</details>")[0].strip()
        mark = r"\d+\." if question.choices else "-"
        _, question.comments = items(question.answer, mark)
        questions.append(question)
    return questions


def refuse_malformed(app, docname, source):
    if docname != PAGE:
        return
    questions = read(source[0])
    titles = [question.title for question in questions]
    for question in questions:
        problems = [*question.problems()]
        if titles.count(question.title) > 1:
            problems.append("há outra pergunta com este título, e é ele que guarda a resposta")
        for problem in problems:
            logging.getLogger(__name__).warning(
                "%s: %s.", question.title, problem, location=(docname, question.line)
            )


def add_where_needed(app, pagename, templatename, context, doctree):
    if pagename == PAGE:
        app.add_css_file(f"{FOLDER}/quiz.css")
        app.add_js_file(f"{FOLDER}/quiz.js")


def bundle(app, exception):
    if exception is None and app.builder.format == "html":
        node_tools.call("bundle_quiz.mjs", {
            "folder": str(Path(__file__).parent / FOLDER),
            "explorers": str(STATIC.parent / "js"),
            "target": str(Path(app.outdir, "_static", FOLDER).resolve()),
        })


def setup(app):
    app.connect("source-read", refuse_malformed)
    # Antes de o molde juntar os arquivos da página.
    app.connect("html-page-context", add_where_needed, priority=100)
    app.connect("build-finished", bundle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
