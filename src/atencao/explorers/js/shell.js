// A moldura de todo explorador: estado, passo a passo, desafios, recomeço, recusa e voz.
//
// Um explorador é um objeto:
//   kind, title, hint        nome interno, título e uma linha que convida a mexer
//   fields                   nomes dos traços que formam o estado, os mesmos em Python
//   problem(state)           "" se o estado é válido; senão, o que está errado e como consertar
//   derive(state)            os números que o estado determina
//   summary(state, numbers)  uma frase com o resultado, para a região viva
//   steps                    [{ text(state, numbers), focus }]: o passo a passo
//   enter(step, state)       opcional: o que o estado muda quando se chega a um passo
//   stepAt(state, step)      opcional: o passo que um estado mostra, para quem chega nele sem os botões
//   challenges               [{ goal, met(state, numbers), why }]
//   build(api)               cria os nós uma vez; devolve { picture, panel, update(state, numbers, focus) }
// api: { set(mudanças), refuse(mensagem), state() }

import { button, h, uniqueId } from "./controls.js";

const QUIET_MS = 500; // espera o gesto acabar antes de falar

export function mount(explorer, model, root) {
  const titleId = uniqueId("titulo");
  const read = () => Object.fromEntries(explorer.fields.map((name) => [name, model.get(name)]));
  const copy = (state) => JSON.parse(JSON.stringify(state));

  let state = copy(read());
  const initial = copy(state);
  const met = new Set();
  const { enter = () => ({}), stepAt = (_, now) => now } = explorer;
  let step = stepAt(state, -1);
  let speech = 0;

  const voice = h("p", { class: "explorer-voice", role: "status", "aria-live": "polite" });
  const notice = h("p", { class: "explorer-notice", role: "alert", hidden: true });
  const stepText = h("p", { class: "explorer-step-text" });
  const stepCount = h("span", { class: "explorer-step-count" });
  const back = button("Anterior", () => goTo(step - 1));
  const next = button("Próximo", () => goTo(step + 1));
  const goals = explorer.challenges.map((challenge) => {
    const mark = h("span", { class: "explorer-goal-mark" });
    const why = h("p", { class: "explorer-goal-why", hidden: true }, challenge.why);
    return { challenge, mark, why, node: h("li", {}, mark, challenge.goal, why) };
  });

  const view = explorer.build({ set, refuse, state: () => state });

  root.replaceChildren(
    h("section", { class: `explorer explorer-${explorer.kind}`, "aria-labelledby": titleId, onkeydown: keepEnter },
      h("div", { class: "explorer-head" },
        h("p", { class: "explorer-title", id: titleId }, explorer.title),
        h("p", { class: "explorer-hint" }, explorer.hint),
        button("Recomeçar", restart, { class: "explorer-restart" })),
      h("div", { class: "explorer-body" },
        h("div", { class: "explorer-picture" }, view.picture),
        h("div", { class: "explorer-panel" }, view.panel)),
      notice,
      h("div", { class: "explorer-steps", role: "group", "aria-label": "Passo a passo" },
        h("span", { class: "explorer-label" }, "Passo a passo"), back, next, stepCount, stepText),
      h("div", { class: "explorer-goals" },
        h("p", { class: "explorer-label" }, "Desafios"),
        h("ul", {}, ...goals.map((goal) => goal.node))),
      voice));

  // O caderno do JupyterLab tomaria o Enter para si, e o número digitado num campo não se confirmaria.
  function keepEnter(event) {
    if (event.key === "Enter") event.stopPropagation();
  }

  function set(changes) {
    const wanted = { ...state, ...changes };
    const problem = explorer.problem(wanted);
    if (problem) return refuse(problem);
    notice.hidden = true;
    state = { ...state, ...copy(changes) }; // o que não mudou continua o mesmo objeto
    step = stepAt(state, step);
    for (const name of Object.keys(changes)) model.set(name, copy(state[name]));
    model.save_changes();
    paint();
  }

  function refuse(message) {
    notice.textContent = message;
    notice.hidden = false;
    paint();
  }

  function restart() {
    met.clear();
    step = -1;
    set(copy(initial));
  }

  function goTo(wanted) {
    step = Math.max(-1, Math.min(wanted, explorer.steps.length - 1));
    set(enter(step, state));
    // Um botão que se desliga perde o foco; quem anda pelo teclado segue no vizinho.
    if (next.disabled) back.focus();
    else if (back.disabled) next.focus();
  }

  function paint() {
    const numbers = explorer.derive(state);
    const current = explorer.steps[step];
    view.update(state, numbers, current ? current.focus : null);
    stepText.textContent = current
      ? current.text(state, numbers) : "Avance para ver a conta ser feita, uma parte por vez.";
    stepCount.textContent = `${step + 1} de ${explorer.steps.length}`;
    back.disabled = step < 0;
    next.disabled = step === explorer.steps.length - 1;
    for (const goal of goals) {
      if (goal.challenge.met(state, numbers)) met.add(goal.challenge);
      const done = met.has(goal.challenge);
      goal.mark.textContent = done ? "Feito. " : "";
      goal.why.hidden = !done;
      goal.node.classList.toggle("is-met", done);
    }
    clearTimeout(speech);
    speech = setTimeout(() => {
      voice.textContent = current ? current.text(state, numbers) : explorer.summary(state, numbers);
    }, QUIET_MS);
  }

  function follow() {
    const wanted = read();
    const problem = explorer.problem(wanted);
    if (problem) return refuse(problem);
    notice.hidden = true;
    if (JSON.stringify(wanted) === JSON.stringify(state)) return;
    state = copy(wanted);
    step = stepAt(state, step);
    paint();
  }

  for (const name of explorer.fields) model.on(`change:${name}`, follow);
  paint();
  return () => {
    clearTimeout(speech);
    for (const name of explorer.fields) model.off(`change:${name}`, follow);
  };
}
