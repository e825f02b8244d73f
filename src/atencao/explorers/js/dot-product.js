// Produto escalar: uma consulta e três chaves no plano; pontuações, pesos e contexto acompanham.

import { firstProblem, matrixProblem, oneOf, vectorProblem } from "./check.js";
import { choice, draggable, focusable, h, numberField, scroll, svg, table, toggle } from "./controls.js";
import { br } from "./format.js";
import { dot, matmul, round, softmax } from "./math.js";

const WIDTH = 460, HEIGHT = 360, UNIT = 150;
const ORIGIN = [WIDTH / 2, HEIGHT / 2];
const toScreen = ([x, y]) => [ORIGIN[0] + UNIT * x, ORIGIN[1] - UNIT * y];
const clamp = (x) => Math.max(-1, Math.min(1, round(x, 2)));
const largest = (list) => list.indexOf(Math.max(...list));

// No papel, 0,135 é 0,14: um nada a mais desfaz o que o binário tenha deixado logo abaixo do meio.
const onPaper = (x, digits) => round(x + Math.sign(x) * 1e-9, digits);

// À mão: cada etapa arredondada como no papel. Exato: todas as casas.
function pipeline({ query, key: keys, value: values, by_hand: byHand, scaled, stretch }) {
  const keep = (x, digits) => (byHand ? onPaper(x, digits) : x);
  const root = byHand ? 1.41 : Math.SQRT2;
  const scores = keys.map((key) => keep(dot(query, key) * stretch ** 2, 2));
  const scaledScores = scores.map((x) => (scaled ? keep(x / root, 2) : x));
  // No papel a exponencial é direta; aqui ela também, enquanto couber.
  const powers = scaledScores.map((x) => keep(Math.exp(x), 4));
  const total = powers.reduce((sum, x) => sum + x, 0);
  const weights = byHand ? powers.map((x) => (total ? onPaper(x / total, 4) : 0)) : softmax(scaledScores);
  return { scores, scaledScores, powers, weights, context: matmul([weights], values)[0] };
}

function derive(state) {
  const numbers = pipeline(state);
  const other = pipeline({ ...state, by_hand: !state.by_hand });
  const gap = Math.max(...numbers.weights.map((x, i) => Math.abs(x - other.weights[i])));
  return { ...numbers, gap };
}

// Pontuações muito negativas: com quatro casas, o papel não guarda nenhuma das exponenciais.
const vanished = ({ powers }) => powers.every((x) => x === 0);
const VANISHED = "No papel, com quatro casas, as três exponenciais viraram 0,0000: não há por quanto dividir.";

function build({ set, refuse, state }) {
  const { tokens } = state();
  const c = (role) => `explorer-${role}`;

  // ---------- o plano ----------
  const arrows = ["query", ...tokens].map((name, i) => {
    const role = i === 0 ? "query" : "key";
    const place = (x, y) => (i === 0
      ? set({ query: [clamp(x), clamp(y)] })
      : set({ key: state().key.map((key, k) => (k === i - 1 ? [clamp(x), clamp(y)] : key)) }));
    const position = () => (i === 0 ? state().query : state().key[i - 1]);
    const line = svg("line", { class: `${c("arrow")} ${c(role)}`, x1: ORIGIN[0], y1: ORIGIN[1] });
    const title = i === 0 ? `consulta de ${tokens[0]}` : `chave de ${name}`;
    const text = svg("text", { class: `${c("arrow-label")} ${c(role)}`, "aria-hidden": "true" },
      i === 0 ? "consulta" : name);
    const dotMark = svg("circle", { r: 7, class: c(role) });
    const handle = svg("g", {
      ...focusable, class: c("handle"), tabindex: 0, role: "slider", "aria-label": title,
      "aria-valuemin": -1, "aria-valuemax": 1, "aria-roledescription": "ponta de seta",
    }, svg("circle", { r: 18, class: c("grip") }), dotMark);
    draggable(handle, { position, place, toPlane, nearest });
    handle.addEventListener("focus", () => { held = i; repaint(); });
    handle.addEventListener("blur", () => { held = 0; repaint(); });
    const update = () => {
      const [x, y] = position();
      const [sx, sy] = toScreen([x, y]);
      line.setAttribute("x2", sx);
      line.setAttribute("y2", sy);
      handle.setAttribute("transform", `translate(${sx} ${sy})`);
      handle.setAttribute("aria-valuenow", x);
      handle.setAttribute("aria-valuetext", `formato ${br(x)}, assunto ${br(y)}`);
      text.setAttribute("x", sx + (x < 0 ? -14 : 14));
      text.setAttribute("y", sy + (i === 0 ? -4 : 12));
      text.setAttribute("text-anchor", x < 0 ? "end" : "start");
    };
    return { line, text, handle, position, update };
  });
  function toPlane(event) {
    const box = plane.getBoundingClientRect();
    const scale = WIDTH / box.width;
    return [((event.clientX - box.left) * scale - ORIGIN[0]) / UNIT,
      (ORIGIN[1] - (event.clientY - box.top) * scale) / UNIT];
  }
  function nearest(event) {
    const [x, y] = toPlane(event);
    const away = arrows.map(({ position }) => Math.hypot(position()[0] - x, position()[1] - y));
    return arrows[away.indexOf(Math.min(...away))].handle;
  }
  let held = 0;
  const shadow = svg("line", { class: c("shadow") });
  const drop = svg("line", { class: c("drop") });
  const shadowText = svg("text", { class: c("shadow-label"), "aria-hidden": "true" });
  const grid = [-1, -0.5, 0, 0.5, 1].flatMap((t) => {
    const [[left, y], [right]] = [toScreen([-1, t]), toScreen([1, t])];
    const [[x, top], [, bottom]] = [toScreen([t, 1]), toScreen([t, -1])];
    const kind = { class: t ? c("grid") : c("axis") };
    return [svg("line", { ...kind, x1: left, x2: right, y1: y, y2: y }),
      svg("line", { ...kind, x1: x, x2: x, y1: top, y2: bottom })];
  });
  const plane = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: c("plane"), role: "group",
    "aria-label": "Plano de formato e assunto, com a consulta e as três chaves",
  }, ...grid,
  svg("text", { class: c("axis-label"), x: ORIGIN[0] + UNIT, y: ORIGIN[1] + 16, "text-anchor": "end" }, "formato →"),
  svg("text", { class: c("axis-label"), x: ORIGIN[0] - 8, y: 24, "text-anchor": "end" }, "assunto ↑"),
  shadow, drop, shadowText, ...arrows.map((a) => a.line), ...arrows.map((a) => a.text), ...arrows.map((a) => a.handle));

  // ---------- os números ----------
  const path = choice({
    label: "Conta", options: [[false, "exata"], [true, "à mão"]], change: (value) => set({ by_hand: value }),
  });
  const length = choice({
    label: "Vetores", options: [[1, "como estão"], [10, "10× mais longos"]], change: (value) => set({ stretch: value }),
  });
  const scaling = toggle({ label: "dividir por √c", change: (value) => set({ scaled: value }) });

  const field = (label, change) => numberField({ label, change, refuse });
  const queryFields = ["formato", "assunto"].map((axis, a) =>
    field(`consulta, ${axis}`, (x) => set({ query: state().query.map((old, i) => (i === a ? x : old)) })));
  const keyFields = tokens.map((token, k) => ["formato", "assunto"].map((axis, a) =>
    field(`chave de ${token}, ${axis}`, (x) => set({
      key: state().key.map((key, i) => (i === k ? key.map((old, j) => (j === a ? x : old)) : key)),
    }))));
  const STAGES = ["scores", "scaledScores", "powers", "weights"];
  const cells = tokens.map(() => STAGES.map((stage) => h("span", { class: `explorer-stage-${stage}` })));
  const vectors = table({
    caption: "Vetores",
    head: ["vetor", "formato", "assunto"],
    rows: [
      { label: `consulta ${tokens[0]}`, class: c("query"), cells: queryFields.map((f) => f.node) },
      ...tokens.map((token, k) => ({
        label: `chave ${token}`, class: c("key"), cells: keyFields[k].map((f) => f.node),
      })),
    ],
  });
  const pipelineTable = table({
    caption: "Da pontuação ao peso",
    head: ["token", "q·k", "÷ √2", "eˣ", "peso"],
    rows: tokens.map((token, k) => ({ label: token, cells: cells[k] })),
  });
  const segments = tokens.map(() => h("span", { class: "explorer-segment" }));
  const strip = h("div", { class: "explorer-strip", "aria-hidden": "true" }, ...segments);
  const contextText = h("p", { class: "explorer-context-text" });
  const gapText = h("p", { class: "explorer-note" });
  const panel = h("div", {},
    h("div", { class: "explorer-controls" }, path.node, length.node, scaling.node),
    scroll(pipelineTable),
    h("p", { class: "explorer-label" }, "Contexto: a mistura dos valores"), strip, contextText, gapText);

  let last = null;
  const repaint = () => last && update(...last);

  function update(current, numbers, focus) {
    last = [current, numbers, focus];
    arrows.forEach((arrow) => arrow.update());
    path.show(current.by_hand);
    length.show(current.stretch);
    scaling.show(current.scaled);
    queryFields.forEach((f, a) => f.show(current.query[a]));
    keyFields.forEach((pair, k) => pair.forEach((f, a) => f.show(current.key[k][a])));
    const digits = current.by_hand ? [2, 2, 4, 4] : [4, 4, 4, 4];
    STAGES.forEach((stage, s) => tokens.forEach((_, k) => {
      const number = numbers[stage][k];
      cells[k][s].textContent = number > 1e6 ? number.toExponential(1).replace(".", ",") : br(number, digits[s]);
      cells[k][s].classList.toggle("is-focus", focus === stage);
    }));
    segments.forEach((segment, k) => {
      segment.style.flexGrow = numbers.weights[k];
      segment.textContent = numbers.weights[k] > 0.12 ? `${tokens[k]} ${br(numbers.weights[k])}` : "";
    });
    strip.classList.toggle("is-focus", focus === "context");
    contextText.textContent = `C = [${numbers.context.map((x) => br(x, 4)).join("; ")}]`;
    gapText.textContent = vanished(numbers) ? VANISHED
      : `Entre a conta à mão e a exata, o peso que mais muda, muda ${br(100 * numbers.gap)} ponto percentual.`;
    paintShadow(current);
  }

  // Com uma chave na mão, o produto escalar aparece como comprimento: a sombra dela sobre a consulta.
  function paintShadow(current) {
    const size = Math.hypot(...current.query);
    const visible = held > 0 && size > 0;
    for (const node of [shadow, drop, shadowText]) node.style.display = visible ? "" : "none";
    if (!visible) return;
    const key = current.key[held - 1];
    const along = dot(current.query, key) / size ** 2;
    const foot = current.query.map((x) => x * along);
    const [fx, fy] = toScreen(foot), [kx, ky] = toScreen(key);
    for (const [name, value] of Object.entries({ x1: ORIGIN[0], y1: ORIGIN[1], x2: fx, y2: fy })) shadow.setAttribute(name, value);
    for (const [name, value] of Object.entries({ x1: kx, y1: ky, x2: fx, y2: fy })) drop.setAttribute(name, value);
    shadowText.setAttribute("x", 12);
    shadowText.setAttribute("y", HEIGHT - 12);
    shadowText.textContent = `sombra ${br(along * size)} × tamanho da consulta ${br(size)} = ${br(along * size * size)}`;
  }

  return { picture: h("div", {}, plane, scroll(vectors)), panel, update };
}

export default {
  kind: "dot-product",
  title: "Uma consulta, três chaves",
  hint: "Arraste as pontas das setas, empurre-as com o teclado ou digite na tabela.",
  fields: ["tokens", "query", "key", "value", "by_hand", "scaled", "stretch"],

  problem: (state) => firstProblem(
    vectorProblem(state.query, "query", 2),
    matrixProblem(state.key, "key", state.tokens.length, 2),
    matrixProblem(state.value, "value", state.tokens.length, 3),
    [state.query, ...state.key].flat().some((x) => Math.abs(x) > 1) ? "as setas vão de −1 a 1 em cada eixo." : "",
    oneOf(state.stretch, "stretch", [1, 10]),
    oneOf(state.by_hand, "by_hand", [true, false]),
    oneOf(state.scaled, "scaled", [true, false]),
  ),

  derive,

  summary: ({ tokens }, { weights }) =>
    `Pesos: ${tokens.map((token, i) => `${token} ${br(weights[i])}`).join(", ")}.`,

  steps: [
    { focus: "scores", text: ({ tokens, query, key: keys }, { scores }) =>
      `Produto escalar: multiplique posição por posição e some. Para ${tokens[0]}: ${br(query[0])} · ${br(keys[0][0])} + ${br(query[1])} · ${br(keys[0][1])} = ${br(scores[0])}.` },
    { focus: "scaledScores", text: ({ scaled }, { scores, scaledScores }) => (scaled
      ? `Divida por √2, porque cada vetor tem 2 posições: ${br(scores[0])} vira ${br(scaledScores[0], 4)}.`
      : "A divisão por √c está desligada: as pontuações seguem como estão.") },
    { focus: "powers", text: (_, { powers }) =>
      `Exponencial: todo número vira positivo, e uma diferença vira uma razão. O maior agora é ${br(Math.max(...powers), 4)}.` },
    { focus: "weights", text: ({ tokens }, { weights, powers }) => (vanished({ powers }) ? VANISHED
      : `Divida pela soma. ${tokens[largest(weights)]} fica com a maior fatia, ${br(Math.max(...weights), 4)}; juntas, as três somam 1.`) },
    { focus: "context", text: (_, { context }) =>
      `Misture os valores nessas proporções: o contexto é [${context.map((x) => br(x)).join("; ")}].` },
  ],

  challenges: [
    { goal: "Dê o mesmo peso a dois tokens.",
      met: (_, { powers, weights: [a, b, c] }) => !vanished({ powers }) && Math.min(Math.abs(a - b), Math.abs(b - c), Math.abs(a - c)) < 0.003,
      why: "Pesos iguais pedem pontuações iguais: a diferença entre as duas chaves ficou perpendicular à consulta." },
    { goal: "Faça vencer um token de pontuação negativa.",
      met: (_, { powers, scores, weights }) => !vanished({ powers }) && scores[largest(weights)] < 0,
      why: "O softmax só vê diferenças: a menos negativa das pontuações leva a maior fatia." },
    { goal: "Com vetores 10× mais longos, deixe todos os pesos abaixo de 0,9.",
      met: ({ stretch }, { powers, weights }) => stretch === 10 && !vanished({ powers }) && Math.max(...weights) < 0.9,
      why: "Vetores 10× mais longos fazem pontuações 100× maiores. Só setas quase empatadas escapam de um vencedor único." },
  ],

  build,
};
