// Escala e softmax: c cresce de 1 a 1024; pontuações, pesos e derivada acompanham, em passo.
// As contas são as de scale.py: 128 consultas sorteadas, 12 chaves para cada, as c primeiras posições.

import { firstProblem, integerProblem, oneOf } from "./check.js";
import { button, choice, h, numberField, scroll, slider, svg, table } from "./controls.js";
import { br } from "./format.js";
import { entropy, softmax } from "./math.js";
import { normalStream } from "./random.js";

const LINES = 128, KEYS = 12, WIDEST = 1024, SEEDS = 10000;
const NAMES = { 1: "sem escala", "sqrt(c)": "÷ √c", c: "÷ c" };
const SYMBOLS = { 1: "1", "sqrt(c)": "√c", c: "c" };

const percent = (share) => `${br(100 * share, 1)}%`;
const small = (x) => br(x, Math.abs(x) >= 10 ? 2 : 4);
const divisorOf = ({ c, divisor }) => ({ 1: 1, "sqrt(c)": Math.sqrt(c), c })[divisor];

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = values.length / 2;
  return (sorted[half - 1] + sorted[half]) / 2;
}

// ---------- as contas ----------

// 128 consultas e 128 chaves, sorteadas posição por posição, só até onde c já chegou; a linha i vê as
// chaves i, i + 1, …, i + 11. Devolve, para um c, os produtos de cada consulta (e de cada chave) com elas.
// As somas ficam guardadas a cada 64 posições: mudar c só soma o que falta.
const BLOCK = 64;
function sampler(seed) {
  const next = normalStream(seed), queries = [], keys = [];
  const marks = [{ query: new Float64Array(LINES * KEYS), key: new Float64Array(LINES * KEYS) }];

  function extended(sums, from, to) {
    const query = sums.query.slice(), key = sums.key.slice();
    for (let i = from; i < to; i++) {
      if (i === queries.length) {
        queries.push(next(LINES));
        keys.push(next(LINES));
      }
      const q = queries[i], k = keys[i];
      for (let line = 0; line < LINES; line++) {
        for (let p = 0; p < KEYS; p++) {
          const other = k[(line + p) % LINES];
          query[line * KEYS + p] += q[line] * other;
          key[line * KEYS + p] += k[line] * other;
        }
      }
    }
    return { query, key };
  }

  return (c) => {
    const whole = Math.floor(c / BLOCK);
    while (marks.length <= whole)
      marks.push(extended(marks.at(-1), (marks.length - 1) * BLOCK, marks.length * BLOCK));
    return extended(marks[whole], whole * BLOCK, c);
  };
}

let drawn = { seed: null };
function productsOf(seed, c) {
  if (drawn.seed !== seed) drawn = { seed, upTo: sampler(seed) };
  return drawn.upTo(c);
}

const lineOf = (products, line) => Array.from(products.subarray(line * KEYS, (line + 1) * KEYS));

// J = diag(a) − aaᵀ, entrada por entrada.
function jacobianNorm(weights) {
  let squares = 0;
  weights.forEach((a, i) => weights.forEach((b, j) => {
    const slope = i === j ? a * (1 - a) : a * b;
    squares += slope * slope;
  }));
  return Math.sqrt(squares);
}

// A linha p de JK é a_p (k_p − k̄), com k̄ = Σ a_p k_p; os comprimentos saem dos produtos entre chaves.
function reachNorm(weights, line, products) {
  const between = (p, r) => products[((line + Math.min(p, r)) % LINES) * KEYS + Math.abs(p - r)];
  const withMean = weights.map((_, p) => weights.reduce((sum, a, r) => sum + a * between(p, r), 0));
  const meanSquare = weights.reduce((sum, a, p) => sum + a * withMean[p], 0);
  const squares = weights.reduce((sum, a, p) =>
    sum + a * a * Math.max(0, between(p, p) - 2 * withMean[p] + meanSquare), 0);
  return Math.sqrt(squares);
}

// Sem escala, o maior peso da linha 0 passa de 0,9 pela primeira vez neste c?
function isFirstPeak({ c, seed }) {
  const peak = (width) => Math.max(...softmax(lineOf(productsOf(seed, width).query, 0)));
  if (peak(c) <= 0.9) return false;
  for (let width = 1; width < c; width++) if (peak(width) > 0.9) return false;
  return true;
}

export function derive(state) {
  const { c } = state, s = divisorOf(state), products = productsOf(state.seed, c);
  const lines = Array.from({ length: LINES }, (_, i) => {
    const scores = lineOf(products.query, i).map((x) => x / s);
    const weights = softmax(scores);
    return {
      scores, weights,
      entropy: entropy(weights) / Math.log(KEYS),
      largest: Math.max(...weights),
      jacobian: jacobianNorm(weights),
      reach: reachNorm(weights, i, products.key) / s,
    };
  });
  const scores = lines.flatMap((line) => line.scores);
  const mean = scores.reduce((sum, x) => sum + x, 0) / scores.length;
  const middle = Object.fromEntries(["entropy", "largest", "jacobian", "reach"].map((name) =>
    [name, median(lines.map((line) => line[name]))]));
  return {
    s, scores, line: lines[0], middle,
    variance: scores.reduce((sum, x) => sum + (x - mean) ** 2, 0) / scores.length,
    expected: c / s ** 2,
  };
}

// ---------- os três desenhos ----------

const WIDTH = 240, HEIGHT = 190, LEFT = 8, RIGHT = 232, FLOOR = 150, TOP = 12;
const BINS = 41;
const across = (t) => LEFT + (RIGHT - LEFT) * t; // t de 0 a 1
const upward = (t) => FLOOR - (FLOOR - TOP) * t;
const path = (points) => `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`;

const picture = (label, ...children) => svg("svg", {
  viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "explorer-scale-picture", role: "img", "aria-label": label,
}, svg("line", { class: "explorer-axis", x1: LEFT, x2: RIGHT, y1: FLOOR, y2: FLOOR }), ...children);

const tickText = (t, y, anchor) =>
  svg("text", { class: "explorer-scale-tick", x: across(t), y, "text-anchor": anchor });

function histogram() {
  const bars = svg("path", { class: "explorer-scale-bars" });
  const curve = svg("path", { class: "explorer-scale-curve" });
  const rug = svg("path", { class: "explorer-scale-rug" });
  const ticks = [tickText(0, FLOOR + 26, "start"), tickText(0.5, FLOOR + 26, "middle"), tickText(1, FLOOR + 26, "end")];
  const node = picture("", bars, curve, rug, ...ticks);

  function update({ scores, line, variance, expected }) {
    const sigma = Math.sqrt(expected);
    // O eixo só muda de tamanho em saltos, para que o alargamento se veja.
    const limit = [4, 16, 64, 128].find((size) => size >= 4 * sigma);
    const place = (x) => across(Math.max(0, Math.min(1, (x + limit) / (2 * limit))));
    const counts = Array(BINS).fill(0);
    for (const x of scores) {
      counts[Math.max(0, Math.min(BINS - 1, Math.floor(((x + limit) / (2 * limit)) * BINS)))] += 1;
    }
    const expectedPeak = (scores.length * 2 * limit) / BINS / (sigma * Math.sqrt(2 * Math.PI));
    const tallest = Math.max(...counts);
    bars.setAttribute("d", counts.map((count, b) =>
      `M${across(b / BINS).toFixed(2)} ${FLOOR}V${upward(count / tallest).toFixed(2)}H${across((b + 1) / BINS).toFixed(2)}V${FLOOR}`).join(""));
    const bell = Array.from({ length: 81 }, (_, i) => -4 + i / 10).filter((t) => Math.abs(t * sigma) <= limit);
    curve.setAttribute("d", path(bell.map((t) =>
      [place(t * sigma), upward(Math.min(1, (expectedPeak * Math.exp((-t * t) / 2)) / tallest))])));
    rug.setAttribute("d", line.scores.map((x) => `M${place(x).toFixed(2)} ${FLOOR + 3}v8`).join(""));
    ticks.forEach((tick, i) => { tick.textContent = br((i - 1) * limit, 0); });
    node.setAttribute("aria-label",
      `Histograma de ${scores.length} pontuações, de −${limit} a ${limit}, com a curva normal por cima: variância ${small(variance)}, prevista ${small(expected)}.`);
  }
  return { node, update };
}

// O peso da vencedora quando só a pontuação dela anda, em unidades de √c: um S que vira degrau.
function step() {
  const REACH = 3;
  const curve = svg("path", { class: "explorer-scale-weight" });
  const tangent = svg("path", { class: "explorer-scale-tangent" });
  const here = svg("circle", { r: 5.5, class: "explorer-scale-here", cx: across(0.5) });
  const middle = svg("line", { class: "explorer-grid", x1: across(0.5), x2: across(0.5), y1: TOP, y2: FLOOR });
  const top = svg("line", { class: "explorer-grid", x1: LEFT, x2: RIGHT, y1: TOP, y2: TOP });
  const labels = [[0, "−3√c", "start"], [0.5, "agora", "middle"], [1, "+3√c", "end"]].map(([t, text, anchor]) => {
    const label = tickText(t, FLOOR + 18, anchor);
    label.textContent = text;
    return label;
  });
  const whole = svg("text", { class: "explorer-scale-tick", x: LEFT, y: TOP + 14 }, "peso 1");
  const node = picture("", top, middle, ...labels, whole, curve, tangent, here);

  function update({ s, line: { scores, weights, largest } }, c) {
    const winner = weights.indexOf(largest), unit = Math.sqrt(c) / s;
    // Quanto a vencedora passa à frente de todas as outras juntas; serve mesmo se o peso já é 1.
    const rest = scores.filter((_, p) => p !== winner);
    const ahead = -Math.log(rest.reduce((sum, z) => sum + Math.exp(z - scores[winner]), 0));
    const weight = (x) => 1 / (1 + Math.exp(-(ahead + x * unit)));
    const slope = largest * (1 - largest) * unit;
    const point = (x, y) => [across((x + REACH) / (2 * REACH)), upward(y)];
    curve.setAttribute("d", path(Array.from({ length: 241 }, (_, i) => -REACH + i / 40).map((x) => point(x, weight(x)))));
    const run = Math.min(1, 0.32 / slope);
    tangent.setAttribute("d", path([-run, run].map((x) => point(x, largest + slope * x))));
    here.setAttribute("cy", upward(largest));
    node.setAttribute("aria-label",
      `Peso da chave ${winner + 1}, a vencedora, quando a pontuação dela anda de −3√c a +3√c. Onde ela está agora, o peso é ${br(largest)} e a inclinação, ${small(slope)} a cada √c.`);
    return { winner, slope };
  }
  return { node, update };
}

// Os valores de c em que o deslizante para: doze por oitava, sem repetir.
const STOPS = [...new Set(Array.from({ length: 121 }, (_, i) => Math.round(2 ** (i / 12))))];
const nearestStop = (c) => STOPS.reduce((best, stop, i) => (Math.abs(stop - c) < Math.abs(STOPS[best] - c) ? i : best), 0);

function build({ set, refuse, state }) {
  const width = slider({
    label: "c", min: 0, max: STOPS.length - 1, step: 1,
    change: (i) => set({ c: STOPS[i] }), text: () => `c = ${state().c}`,
  });
  const field = (label, change) => numberField({ label, digits: 0, change, refuse });
  const exact = field("c exato, de 1 a 1024", (c) => set({ c }));
  const seed = field("sorteio, de 0 a 9999", (x) => set({ seed: x }));
  const scaling = choice({
    label: "Dividir as pontuações",
    options: [["1", "sem escala"], ["sqrt(c)", "÷ √c"], ["c", "÷ c"]], change: (divisor) => set({ divisor }),
  });
  const again = button("Sortear de novo", () => set({ seed: (state().seed + 1) % SEEDS }));
  const controls = h("div", { class: "explorer-controls" },
    h("div", { class: "explorer-scale-width" }, width.node, exact.node),
    scaling.node,
    h("div", { class: "explorer-scale-seed" }, h("span", { class: "explorer-label" }, "Sorteio"), seed.node, again));

  const cloud = histogram(), edge = step();
  const varianceText = h("p", { class: "explorer-note" });
  const slopeText = h("p", { class: "explorer-note" });
  const bars = Array.from({ length: KEYS }, () => h("span", { class: "explorer-scale-bar" }));
  const scoreCells = bars.map(() => h("span"));
  const weightCells = bars.map(() => h("span", { class: "explorer-stage-weights" }));
  const rowTable = table({
    caption: "2. Pesos de uma linha", head: ["chave", "ω/s", "", "peso"],
    rows: bars.map((bar, p) => ({ label: String(p + 1), cells: [scoreCells[p], bar, weightCells[p]] })),
  });
  rowTable.querySelector("thead th:nth-child(3)").replaceWith(h("td"));

  const figures = {
    scores: h("div", {}, h("p", { class: "explorer-label" }, `1. ${LINES * KEYS} pontuações`), cloud.node, varianceText),
    weights: h("div", { class: "explorer-scale-row" }, rowTable),
    slope: h("div", {}, h("p", { class: "explorer-label" }, "3. Peso da vencedora"), edge.node, slopeText),
  };

  const MEASURES = [
    ["entropy", "entropia (% do máximo)", percent], ["largest", "maior peso", br],
    ["jacobian", "norma de J", small], ["reach", "norma de JK/s", small],
  ];
  const cells = MEASURES.map(() => [h("span"), h("span")]);
  const measures = table({
    caption: `Medidas desta linha e mediana de ${LINES} linhas`, head: ["medida", "linha", "mediana"],
    rows: MEASURES.map(([, label], i) => ({ label, cells: cells[i] })),
  });
  const panel = h("div", { class: "explorer-scale-numbers" }, scroll(measures), h("p", { class: "explorer-note" },
    "J é a tabela das derivadas do softmax: quanto cada peso muda quando uma pontuação já dividida muda um pouco. ",
    "JK/s é o que chega à consulta: J vezes as chaves, sobre o divisor s. A norma é a raiz da soma dos quadrados."));

  function update(current, numbers, focus) {
    width.show(nearestStop(current.c));
    exact.show(current.c);
    seed.show(current.seed);
    scaling.show(current.divisor);
    cloud.update(numbers);
    const { winner, slope } = edge.update(numbers, current.c);
    varianceText.textContent = `Variância ${small(numbers.variance)}; a conta prevê c/s² = ${small(numbers.expected)}. Os 12 riscos são a linha do desenho 2.`;
    slopeText.textContent = `Se só a pontuação da chave ${winner + 1} mudar, o peso dela segue a curva. Agora a inclinação é ${small(slope)} a cada √c.`;
    bars.forEach((bar, p) => {
      bar.style.width = `${100 * numbers.line.weights[p]}%`;
      scoreCells[p].textContent = br(numbers.line.scores[p]);
      weightCells[p].textContent = br(numbers.line.weights[p]);
    });
    MEASURES.forEach(([name, , write], i) => {
      cells[i][0].textContent = write(numbers.line[name]);
      cells[i][1].textContent = write(numbers.middle[name]);
      cells[i].forEach((cell) => cell.classList.toggle("is-focus", focus === name));
    });
    for (const [name, node] of Object.entries(figures)) node.classList.toggle("is-lit", focus === name);
  }

  return {
    picture: h("div", {}, controls, h("div", { class: "explorer-scale-pictures" }, ...Object.values(figures))),
    panel, update,
  };
}

const scaleName = ({ divisor }) => NAMES[divisor];

export default {
  kind: "scale",
  title: "Quanto dividir antes do softmax",
  hint: "Aumente c e troque o divisor. Antes de soltar, arrisque: quem fica com a atenção?",
  fields: ["c", "divisor", "seed"],

  problem: ({ c, divisor, seed }) => firstProblem(
    integerProblem(c, "c", 1, WIDEST),
    oneOf(divisor, "divisor", Object.keys(NAMES)),
    integerProblem(seed, "o sorteio", 0, SEEDS - 1),
  ),

  derive,

  summary: (state, { line, middle, variance }) =>
    `c = ${state.c}, ${scaleName(state)}: variância ${small(variance)}, maior peso desta linha ${br(line.largest)}, entropia mediana ${percent(middle.entropy)} do máximo.`,

  steps: [
    { focus: "scores", text: (state, { variance, expected }) =>
      `Uma pontuação soma c = ${state.c} parcelas, e as somas têm variância perto de ${state.c}. Com s = ${SYMBOLS[state.divisor]}, a variância prevista, c/s², é ${small(expected)}; neste sorteio deu ${small(variance)}.` },
    { focus: "weights", text: (_, { line }) => {
      const [first, second] = [...line.scores].sort((a, b) => b - a);
      return `O softmax troca diferenças por razões: as duas maiores pontuações diferem em ${br(first - second)}, e a vencedora fica com ${br(line.largest)} do peso.`;
    } },
    { focus: "entropy", text: (_, { line, middle }) =>
      `A entropia diz o quanto a linha se reparte: 0% se uma chave leva tudo, 100% se as 12 levam o mesmo. Esta linha tem ${percent(line.entropy)}; a mediana é ${percent(middle.entropy)}.` },
    { focus: "slope", text: (_, { line: { largest: a } }) =>
      `O traço reto é a derivada no ponto de agora. Para a pontuação já dividida, ela vale a(1 − a) = ${br(a)} · ${br(1 - a)} = ${small(a * (1 - a))}. ${a > 0.99
        ? "No trecho plano do degrau, mexer na pontuação não muda o peso." : "Quanto mais inclinada a curva, mais o peso responde."}` },
    { focus: "jacobian", text: (_, { middle }) =>
      `A norma de J junta as derivadas de todos os pesos: ${small(middle.jacobian)} na mediana. Peso perto de 1 faz de J uma tabela de zeros.` },
    { focus: "reach", text: (state, { middle }) =>
      `Até a consulta, J ainda é multiplicado por K e dividido por s = ${SYMBOLS[state.divisor]}: chega ${small(middle.reach)} na mediana. É o sinal que o treino teria para mexer em W_q.` },
  ],

  challenges: [
    { goal: "Sem escala, ache o menor c em que o maior peso desta linha passa de 0,9.",
      met: (state) => state.divisor === "1" && isFirstPeak(state),
      why: "Quem venceu foi o sorteio: com outra semente, outra chave, outro c. A fronteira se move, mas quase sempre chega antes de c = 64." },
    { goal: "Leve c a 1024 e mantenha a entropia mediana entre 80% e 92%, como em c = 4.",
      met: ({ c }, { middle }) => c === WIDEST && middle.entropy > 0.8 && middle.entropy < 0.92,
      why: "Só √c deixa a variância em 1 para qualquer c, e pontuações do mesmo tamanho repartem a atenção do mesmo jeito." },
    { goal: "Com c = 1024, deixe a atenção desta linha quase uniforme: entropia de pelo menos 99%.",
      met: ({ c }, { line }) => c === WIDEST && line.entropy >= 0.99,
      why: "Dividir por c encolhe as pontuações para 1/√c, e toda consulta recebe quase a mesma média. O sinal até a consulta encolhe junto." },
  ],

  build,
};
