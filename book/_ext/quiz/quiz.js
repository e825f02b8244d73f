// A autoavaliação: troca as opções de cada pergunta por controles, confere e conta, sem núcleo nem rede.

import { h, uniqueId } from "explorers/controls.js";

import { makeQuestion } from "./questions.js";
import { openStorage } from "./storage.js";

const WORTH_REREADING = 2; // erros de primeira num mesmo capítulo
const WORDS = { right: "certa", wrong: "ainda não", open: "sem resposta" };
const storage = openStorage();

const titleOf = (section, level) =>
  [...section.querySelector(level).childNodes].filter((node) => !node.classList?.contains("headerlink"))
    .map((node) => node.textContent).join("").trim();

function wakeQuestion(section, changed) {
  const { id } = section;
  const title = titleOf(section, "h3");
  const answer = section.querySelector(":scope > details");
  const list = section.querySelector(":scope > ol");
  const described = uniqueId("enunciado");
  const statement = h("div", { id: described });
  section.querySelector("h3").after(statement);
  while (statement.nextSibling !== (list ?? answer)) statement.append(statement.nextSibling);

  const asked = makeQuestion({ title, list, answer, described });
  const verdict = h("div", { class: "quiz-verdict", role: "status" });
  const button = h("button", { type: "submit" });
  const form = h("form", { class: "quiz", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    check();
  } }, asked.node, button, verdict);
  answer.before(form);
  form.addEventListener("input", () => say(null));

  say(null);
  const state = { id, title, right: false, answered: false, missed: false };

  function say(judged, ending = "") {
    asked.mark(judged);
    button.textContent = asked.action?.() ?? "Conferir";
    verdict.className = `quiz-verdict ${judged ? `is-${judged.right ? "right" : "wrong"}` : ""}`;
    const word = judged && h("p", { class: "quiz-word" }, judged.right ? "Certo" : "Ainda não");
    verdict.replaceChildren(...judged ? [word, ...judged.said, ending && h("p", { class: "quiz-count" }, ending)].filter(Boolean) : []);
  }

  function check() {
    const value = asked.value();
    const judged = asked.judge(value);
    if (judged.ask) {
      say(null);
      verdict.append(h("p", {}, judged.ask));
      return;
    }
    state.missed ||= !state.answered && !judged.right;
    settle(judged);
    storage.set(id, { value, missed: state.missed });
    say(judged, changed(state));
  }

  function settle(judged) {
    state.answered = true;
    state.right = judged.right;
    section.classList.toggle("is-done", judged.right);
  }

  state.restore = () => {
    const entry = storage.get(id);
    if (!entry) return;
    try {
      asked.show(entry.value);
      const judged = asked.judge(asked.value());
      if (judged.ask) return;
      state.missed = Boolean(entry.missed);
      settle(judged);
      say(judged);
    } catch {
      // Guardado por outra edição da página, em outra forma: é como se não houvesse resposta.
    }
  };
  state.reset = () => {
    asked.show(asked.empty);
    Object.assign(state, { right: false, answered: false, missed: false });
    section.classList.remove("is-done");
    say(null);
  };
  return state;
}

function wakeChapter(section, changed) {
  const title = titleOf(section, "h2");
  const number = title.match(/^Capítulo (\d+)/)?.[1];
  const chapter = {
    name: number ? `no capítulo ${number}` : "nesta parte",
    title,
    link: section.querySelector(":scope > p a"),
    line: h("p", { class: "quiz-progress" }),
    right: () => chapter.questions.filter((question) => question.right).length,
    missed: () => chapter.questions.filter((question) => question.missed).length,
    score: () => `${chapter.right()} de ${chapter.questions.length} certas ${chapter.name}.`,
  };
  section.querySelector("h2").after(chapter.line);
  chapter.questions = [...section.querySelectorAll(":scope > section:has(> details)")]
    .map((each) => wakeQuestion(each, () => {
      changed();
      return chapter.score();
    }));
  return chapter;
}

function summary(chapters, home, clear) {
  const total = chapters.flatMap(({ questions }) => questions);
  const count = h("p", { class: "quiz-total" });
  const above = h("span");
  home.parentElement.querySelector(":scope > section").before(
    h("p", { class: "quiz-progress" }, above, " ", h("a", { href: `#${home.id}` }, "Ver o resumo"), "."));
  const rows = h("ul", { class: "quiz-rows" });
  const advice = h("div", { class: "quiz-advice" });
  const wiped = h("span", { role: "status" });
  home.append(h("div", { class: "quiz quiz-summary" }, count, rows, advice,
    storage.lasting ? null : h("p", {}, "Este navegador não deixa a página guardar nada: as respostas valem até você fechá-la."),
    h("p", {}, h("button", { type: "button", onclick: () => {
      if (!confirm("Apagar todas as suas respostas desta página? Não há como desfazer.")) return;
      clear();
      wiped.textContent = "Respostas apagadas.";
    } }, "Apagar minhas respostas"), " ", wiped)));

  function row({ title, questions, right }) {
    const state = (question) => question.right ? "right" : question.answered ? "wrong" : "open";
    return h("li", {}, h("span", { class: "quiz-row-title" }, title),
      h("span", { class: "quiz-marks" }, ...questions.map((question) =>
        h("a", { href: `#${question.id}`, class: `quiz-mark is-${state(question)}`, title: question.title },
          h("span", { class: "quiz-voice" }, `${question.title}: ${WORDS[state(question)]}`)))),
      h("span", { class: "quiz-row-score" }, `${right()} de ${questions.length}`));
  }

  function advise() {
    const answered = total.filter((question) => question.answered).length;
    const again = chapters.filter((chapter) => chapter.missed() >= WORTH_REREADING);
    if (!answered) return [h("p", {}, "Responda a algumas perguntas, e aqui aparece o que vale reler.")];
    if (again.length)
      return [h("p", {}, "Vale reler:"), h("ul", {}, ...again.map((chapter) => h("li", {},
        chapter.link.cloneNode(true),
        `: ${chapter.missed()} de ${chapter.questions.length} erradas na primeira tentativa.`)))];
    return [h("p", {}, answered < total.length
      ? `Até aqui, nenhum capítulo pede releitura. Sem resposta: ${total.length - answered}.`
      : "Nenhum capítulo pede releitura.")];
  }

  return () => {
    const right = total.filter((question) => question.right).length;
    count.textContent = above.textContent = `${right} de ${total.length} certas.`;
    rows.replaceChildren(...chapters.map(row));
    advice.replaceChildren(...advise());
  };
}

function wake() {
  const sections = [...document.querySelectorAll("article section:has(> h2)")];
  const home = sections.find((section) => section.id === "seu-resumo");
  let refreshSummary = () => {};
  const refresh = () => {
    for (const chapter of chapters) chapter.line.textContent = chapter.score();
    refreshSummary();
  };
  const chapters = sections.filter((section) => section.querySelector(":scope > section > details"))
    .map((section) => wakeChapter(section, refresh));
  const questions = chapters.flatMap((chapter) => chapter.questions);
  refreshSummary = summary(chapters, home, () => {
    storage.clear();
    for (const question of questions) question.reset();
    refresh();
  });
  for (const question of questions) question.restore();
  refresh();
  performance.mark("perguntas-prontas");
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", wake);
else wake();
