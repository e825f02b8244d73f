// Projeção: uma matriz 3×2 leva a nuvem de palavras do espaço ao plano; três matrizes, três vistas.

import { firstProblem, matrixProblem, oneOf, vectorProblem } from "./check.js";
import { choice, draggable, focusable, h, numberField, svg, table, uniqueId } from "./controls.js";
import { br } from "./format.js";
import { dot, matmul, round } from "./math.js";

const AXES = ["nomeia", "age", "vive"];
const ROLES = {
  query: { matrix: "w_query", name: "W_q", vector: "q", axes: ["quem", "ação"] },
  key: { matrix: "w_key", name: "W_k", vector: "k", axes: ["quem", "ação"] },
  value: { matrix: "w_value", name: "W_v", vector: "v", axes: ["vida", "ação"] },
};
// Forma e cor dizem a classe: nenhuma das duas fala sozinha.
const GROUPS = {
  nome: "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0Z",
  pronome: "M-4.2 -4.2h8.4v8.4h-8.4Z",
  verbo: "M0 -5.4L5 3.8H-5Z",
  adjetivo: "M0 -5.8L5 0L0 5.8L-5 0Z",
  "ligação": "M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5Z",
};
const LIMIT = 2, NEAR = 0.02, APART = 0.5, TINY = 1e-6;

const pointOf = ([, , ...point]) => point;
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const factor = (x) => (x < 0 ? `(${br(x)})` : br(x));
const vectorText = (x) => `(${x.map((entry) => br(entry)).join("; ")})`;

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// Posto de uma matriz 3×2 e a direção que ela leva a zero, se for uma só, com o maior passo igual a 1.
function lost(matrix) {
  const columns = [0, 1].map((j) => matrix.map((row) => row[j]));
  const normal = cross(...columns), longest = Math.max(...normal.map(Math.abs));
  if (longest > TINY) {
    const lead = normal.find((x) => Math.abs(x) === longest);
    return { rank: 2, hidden: normal.map((x) => x / lead) };
  }
  return { rank: columns.flat().some((x) => Math.abs(x) > TINY) ? 1 : 0, hidden: null };
}

export function derive(state) {
  const x = state.words.map(pointOf);
  const views = Object.fromEntries(Object.entries(ROLES).map(([role, { matrix }]) => [role, matmul(x, state[matrix])]));
  const position = state.words.findIndex(([word]) => word === state.chosen);
  const scores = views.key.map((key) => dot(views.query[position], key));
  const tied = scores.map((x) => round(x, 9)); // empates ficam na ordem da lista
  const order = scores.map((_, i) => i).sort((a, b) => tied[b] - tied[a] || a - b);
  return {
    ...views, ...lost(state[ROLES[state.role].matrix]), position, point: x[position], scores, order,
    image: views[state.role][position],
  };
}

// Duas palavras de mesma chave e valores distantes, sem que o plano das chaves tenha desabado.
function sameKeyOtherValue({ w_key: matrix }, { key, value }) {
  return lost(matrix).rank === 2 && key.some((k, i) => key.some((other, j) =>
    j < i && distance(k, other) < NEAR && distance(value[i], value[j]) > APART));
}

// ---------- o espaço ----------

const SIZE = 300, MIDDLE = SIZE / 2, UNIT = 158;
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [bits & 1, (bits >> 1) & 1, bits >> 2]);
const EDGES = CORNERS.flatMap((a, i) => CORNERS.slice(i + 1)
  .filter((b) => a.reduce((sum, x, axis) => sum + Math.abs(x - b[axis]), 0) === 1).map((b) => [a, b]));

// Vista de longe, sem perspectiva: gira em torno do eixo vertical e depois inclina.
function camera([turn, tilt]) {
  const [a, e] = [turn, tilt].map((degrees) => (degrees * Math.PI) / 180);
  return ([x, y, z]) => {
    const [dx, dy, dz] = [x - 0.5, y - 0.5, z - 0.5];
    const away = dx * Math.sin(a) + dy * Math.cos(a);
    return [MIDDLE + UNIT * (dx * Math.cos(a) - dy * Math.sin(a)),
      MIDDLE - UNIT * (dz * Math.cos(e) + away * Math.sin(e))];
  };
}

const line = (name) => svg("line", { class: name });
function stretch(node, [x1, y1], [x2, y2]) {
  node.setAttribute("x1", x1);
  node.setAttribute("y1", y1);
  node.setAttribute("x2", x2);
  node.setAttribute("y2", y2);
}
const label = (name) => svg("text", { class: name, "aria-hidden": "true" });
function write(node, text, [x, y], anchor = "middle") {
  node.textContent = text;
  node.setAttribute("x", x);
  node.setAttribute("y", y);
  node.setAttribute("text-anchor", anchor);
}
const wrap = (degrees) => ((((degrees + 180) % 360) + 360) % 360) - 180;

function build({ set, refuse, state }) {
  const c = (name) => `explorer-projection-${name}`;
  const current = () => ROLES[state().role];

  // ---------- a nuvem e o plano ----------
  const cube = svg("path", { class: c("cube") });
  const axisLines = AXES.map(() => line("explorer-axis"));
  const axisLabels = AXES.map(() => label("explorer-axis-label"));
  const hiddenLine = line(c("hidden"));
  const spaceArrow = line(c("arrow")), planeArrow = line(c("arrow"));
  const spaceLabel = label(c("label")), planeLabel = label(c("label"));
  const spacePoints = svg("g", {}), planePoints = svg("g", {});
  const grip = svg("rect", {
    ...focusable, class: c("grip"), width: SIZE - 4, height: SIZE - 4, x: 2, y: 2, rx: 8, tabindex: 0, role: "slider",
    "aria-label": "Girar a nuvem", "aria-roledescription": "nuvem que gira com as setas",
    "aria-valuemin": -180, "aria-valuemax": 180,
  });
  let start = null;
  grip.addEventListener("pointerdown", (event) => { start = { event, angles: state().angles }; });
  draggable(grip, {
    step: 5, position: () => state().angles,
    toPlane: (event) => [start.angles[0] + (event.clientX - start.event.clientX) / 2,
      start.angles[1] + (event.clientY - start.event.clientY) / 2],
    place: (turn, tilt) => set({ angles: [round(wrap(turn), 1), round(Math.max(-90, Math.min(90, tilt)), 1)] }),
  });
  const space = svg("svg", {
    viewBox: `0 0 ${SIZE} ${SIZE}`, class: c("space"), role: "group", "aria-label": "As palavras no espaço",
  }, grip, cube, ...axisLines, hiddenLine, spaceArrow, spacePoints, ...axisLabels, spaceLabel);

  const frame = svg("path", { class: "explorer-axis" });
  const rowLines = AXES.map(() => line(c("row")));
  const rowLabels = AXES.map(() => label(c("row-label")));
  const planeAxes = [label("explorer-axis-label"), label("explorer-axis-label")];
  const ends = [label("explorer-axis-label"), label("explorer-axis-label")];
  frame.setAttribute("d", `M8 ${MIDDLE}H${SIZE - 8}M${MIDDLE} 8V${SIZE - 8}`);
  const plane = svg("svg", {
    viewBox: `0 0 ${SIZE} ${SIZE}`, class: c("plane"), role: "img",
  }, frame, ...ends, ...planeAxes, ...rowLines, planeArrow, planePoints, ...rowLabels, planeLabel);

  const pick = h("select", { ...focusable, id: uniqueId("palavra"), onchange: () => set({ chosen: pick.value }) });
  let built = "", spaceMarks = [], planeMarks = [];
  function populate(words) {
    if (built === JSON.stringify(words)) return;
    built = JSON.stringify(words);
    const mark = ([word, group]) => svg("g", { class: `${c("point")} ${c(`group-${Object.keys(GROUPS).indexOf(group)}`)}`,
      onclick: () => set({ chosen: word }) }, svg("title", {}, word), svg("circle", { r: 9, class: c("target") }),
    svg("path", { d: GROUPS[group] }));
    spaceMarks = words.map(mark);
    planeMarks = words.map(mark);
    spacePoints.replaceChildren(...spaceMarks);
    planePoints.replaceChildren(...planeMarks);
    pick.replaceChildren(...Object.keys(GROUPS)
      .map((group) => [group, words.filter((row) => row[1] === group)])
      .filter(([, rows]) => rows.length)
      .map(([group, rows]) => h("optgroup", { label: group }, ...rows.map(([word]) => h("option", { value: word }, word)))));
  }

  // ---------- a matriz ----------
  const role = choice({
    label: "Matriz", options: Object.entries(ROLES).map(([key, { name }]) => [key, h("span", {}, "W", h("sub", {}, name.at(-1)))]),
    change: (value) => set({ role: value }),
  });
  const change = (i, j) => (x) => {
    const { matrix } = current();
    set({ [matrix]: state()[matrix].map((row, r) => row.map((old, k) => (r === i && k === j ? x : old))) });
  };
  const entries = AXES.map((axis, i) => [0, 1].map((j) => {
    const name = `linha ${axis}, coluna ${j + 1}`;
    const field = numberField({ label: name, change: change(i, j), refuse });
    const dial = h("input", {
      ...focusable, type: "range", min: -LIMIT, max: LIMIT, step: 0.1, "aria-label": `${name}, deslizante`,
      oninput: () => change(i, j)(Number(dial.value)),
    });
    const show = (x) => {
      field.show(x);
      dial.value = x;
      dial.setAttribute("aria-valuetext", br(x));
    };
    return { node: h("div", { class: c("entry") }, field.node, dial), show };
  }));
  const chosenCells = AXES.map(() => h("span"));
  const resultCells = [0, 1].map(() => h("span", { class: c("result") }));
  const columnHeads = [0, 1].map(() => h("span", { class: c("result") }));
  const chosenHead = h("span");
  const caption = h("span");
  const matrixTable = table({
    caption, head: ["eixo", chosenHead, ...columnHeads],
    rows: [
      ...AXES.map((axis, i) => ({ label: axis, cells: [chosenCells[i], ...entries[i].map((entry) => entry.node)] })),
      { label: "resultado", cells: ["", ...resultCells] },
    ],
  });

  const products = [0, 1].map(() => h("p", { class: c("product") }));
  const hiddenText = h("p", { class: "explorer-note" });
  const searchText = h("p", { class: "explorer-note" });
  const legend = h("ul", { class: c("legend") }, ...Object.entries(GROUPS).map(([group, d], i) =>
    h("li", { class: c(`group-${i}`) },
      svg("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, svg("path", { d })), group)));
  const parts = {
    space: h("div", {}, h("p", { class: "explorer-label" }, "No espaço: três números"), space),
    plane: h("div", {}, h("p", { class: "explorer-label" }, "No plano: dois números"), plane),
    matrix: h("div", {}, matrixTable),
    products: h("div", {}, ...products),
  };

  function update(now, numbers, focus) {
    const { words, chosen } = now, { matrix, name, axes } = ROLES[now.role];
    const W = now[matrix], images = numbers[now.role];
    populate(words);
    root.forEach((node) => { node.dataset.role = now.role; });
    role.show(now.role);
    pick.value = chosen;

    const see = camera(now.angles);
    cube.setAttribute("d", EDGES.map(([a, b]) => `M${see(a)}L${see(b)}`).join(""));
    AXES.forEach((axis, i) => {
      const unit = [0, 1, 2].map((k) => (k === i ? 1 : 0));
      stretch(axisLines[i], see([0, 0, 0]), see(unit));
      write(axisLabels[i], axis, see(unit.map((x) => x * 1.13)));
    });
    spaceMarks.forEach((node, i) => {
      const [x, y] = see(pointOf(words[i]));
      node.setAttribute("transform", `translate(${x} ${y})`);
      node.classList.toggle("is-chosen", i === numbers.position);
    });
    stretch(spaceArrow, see([0, 0, 0]), see(numbers.point));
    const [sx, sy] = see(numbers.point);
    write(spaceLabel, chosen, [sx, sy - 10]);
    grip.setAttribute("aria-valuenow", now.angles[0]);
    grip.setAttribute("aria-valuetext", `giro ${br(now.angles[0], 0)} graus, inclinação ${br(now.angles[1], 0)} graus`);
    hiddenLine.style.display = numbers.hidden ? "" : "none";
    if (numbers.hidden) {
      stretch(hiddenLine, ...[-0.45, 0.45].map((t) => see(numbers.point.map((x, i) => x + t * numbers.hidden[i]))));
    }

    const reach = Math.max(...images.flat().map(Math.abs), ...W.flat().map(Math.abs));
    const limit = [1.2, 2, 3, 6].find((size) => reach <= size);
    const place = ([x, y]) => [MIDDLE + (x / limit) * (MIDDLE - 14), MIDDLE - (y / limit) * (MIDDLE - 14)];
    planeMarks.forEach((node, i) => {
      const [x, y] = place(images[i]);
      node.style.transform = `translate(${x}px, ${y}px)`;
      node.classList.toggle("is-chosen", i === numbers.position);
    });
    W.forEach((row, i) => {
      const [x, y] = place(row), long = Math.hypot(...row) > 0.05 * limit;
      stretch(rowLines[i], [MIDDLE, MIDDLE], [x, y]);
      write(rowLabels[i], long ? AXES[i] : "", [x + (x < MIDDLE - 1 ? -4 : 4), y + (y > MIDDLE + 1 ? 14 : -6)],
        x > SIZE - 60 || x < MIDDLE - 1 ? "end" : "start");
    });
    stretch(planeArrow, [MIDDLE, MIDDLE], place(numbers.image));
    const [px, py] = place(numbers.image);
    const together = words.map(([word]) => word).filter((_, i) => distance(images[i], numbers.image) < NEAR);
    const shown = together.length > 3 ? `${chosen} e mais ${together.length - 1}` : together.join(", ");
    write(planeLabel, shown, [px, py - 10], px > SIZE - 70 ? "end" : px < 70 ? "start" : "middle");
    write(planeAxes[0], `${axes[0]} →`, [SIZE - 6, MIDDLE + 30], "end");
    write(planeAxes[1], `${axes[1]} ↑`, [MIDDLE - 8, 16], "end");
    write(ends[0], br(limit, 1), [SIZE - 6, MIDDLE + 15], "end");
    write(ends[1], br(-limit, 1), [6, MIDDLE + 15], "start");
    plane.setAttribute("aria-label",
      `As palavras no plano de ${name}, eixos ${axes.join(" e ")}. ${chosen} cai em ${vectorText(numbers.image)}${together.length > 1 ? `, junto de mais ${together.length - 1}` : ""}.`);

    caption.textContent = `${name}: a linha diz aonde vai o eixo`;
    chosenHead.textContent = `x de ${chosen}`;
    columnHeads.forEach((node, j) => { node.textContent = axes[j]; });
    AXES.forEach((_, i) => {
      chosenCells[i].textContent = br(numbers.point[i]);
      entries[i].forEach((entry, j) => entry.show(W[i][j]));
    });
    resultCells.forEach((node, j) => { node.textContent = br(numbers.image[j]); });
    products.forEach((node, j) => {
      node.textContent = `${axes[j]}: ${numbers.point.map((x, i) => `${br(x)} · ${factor(W[i][j])}`).join(" + ")} = ${br(numbers.image[j])}`;
    });
    hiddenText.textContent = numbers.rank === 2
      ? `Posto 2. A direção ${vectorText(numbers.hidden)}, tracejada no espaço, se perde: quem difere só por ela cai no mesmo ponto.`
      : numbers.rank === 1 ? "Posto 1. Tudo cai numa reta: um plano inteiro de direções se perde."
        : "Posto 0. Tudo cai na origem: nada sobra da palavra.";
    searchText.textContent = `A consulta de ${chosen} pontua mais com as chaves de ${numbers.order.slice(0, 3)
      .map((i) => `${words[i][0]} (${br(numbers.scores[i])})`).join(", ")}.`;
    for (const [part, node] of Object.entries(parts)) node.classList.toggle("is-lit", focus === part);
    rowLines.forEach((node) => node.classList.toggle("is-strong", focus === "matrix"));
    hiddenLine.classList.toggle("is-strong", focus === "hidden");
    hiddenText.classList.toggle("is-strong", focus === "hidden");
    searchText.classList.toggle("is-strong", focus === "search");
  }

  const picture = h("div", {},
    h("div", { class: "explorer-controls" }, role.node,
      h("div", { class: c("pick") }, h("label", { class: "explorer-label", for: pick.id }, "Palavra seguida"), pick)),
    h("div", { class: c("views") }, parts.space, parts.plane), legend);
  const panel = h("div", { class: c("numbers") }, parts.matrix,
    h("div", {}, parts.products, hiddenText, searchText));
  const root = [picture, panel];
  return { picture, panel, update };
}

function wordsProblem({ words, chosen }) {
  const fits = Array.isArray(words) && words.length >= 2 && words.length <= 40 && words.every((row) =>
    Array.isArray(row) && row.length === 5 && typeof row[0] === "string" && Object.hasOwn(GROUPS, row[1])
    && pointOf(row).every((x) => Number.isFinite(x) && x >= 0 && x <= 1));
  if (!fits) return "cada palavra precisa de uma classe e de três números de 0 a 1.";
  const names = new Set(words.map(([word]) => word));
  if (names.size < words.length) return "há palavras repetidas na lista.";
  return names.has(chosen) ? "" : "a palavra seguida precisa estar na lista.";
}

export default {
  kind: "projection",
  title: "Uma nuvem, três projeções",
  hint: "Gire a nuvem, escolha uma palavra e mexa nas seis entradas da matriz.",
  fields: ["words", "w_query", "w_key", "w_value", "role", "chosen", "angles"],

  problem: (state) => firstProblem(
    wordsProblem(state),
    ...Object.values(ROLES).map(({ matrix, name }) => matrixProblem(state[matrix], name, 3, 2)
      || (state[matrix].flat().some((x) => Math.abs(x) > LIMIT) ? `as entradas de ${name} vão de −2 a 2.` : "")),
    oneOf(state.role, "role", Object.keys(ROLES)),
    vectorProblem(state.angles, "angles", 2),
  ),

  derive,

  summary: ({ chosen, role, words }, { image, rank, order, scores }) =>
    `${ROLES[role].name} leva ${chosen} a ${vectorText(image)}; posto ${rank}. A chave que mais pontua para ${chosen} é a de ${words[order[0]][0]}, com ${br(scores[order[0]])}.`,

  steps: [
    { focus: "space", text: ({ chosen }, { point }) =>
      `A palavra ${chosen} é o ponto ${vectorText(point)} do espaço: quanto nomeia, quanto age, quanto vive.` },
    { focus: "matrix", text: (state) => {
      const { name, matrix, axes } = ROLES[state.role];
      return `Leia ${name} pelas linhas: o eixo nomeia vai para ${vectorText(state[matrix][0])}, age para ${vectorText(state[matrix][1])} e vive para ${vectorText(state[matrix][2])}, nos eixos ${axes.join(" e ")}.`;
    } },
    { focus: "products", text: ({ chosen, role }, { image }) =>
      `Cada coluna de ${ROLES[role].name} faz um produto escalar com ${chosen}: uma dá ${br(image[0])}, a outra ${br(image[1])}.` },
    { focus: "plane", text: ({ chosen, role }, { image }) =>
      `A palavra ${chosen} vai para ${ROLES[role].vector} = ${vectorText(image)}. Todas as outras passaram pela mesma matriz.` },
    { focus: "hidden", text: (_, { rank, hidden }) => (rank === 2
      ? `Três números viraram dois, e uma direção se perde: somar ${vectorText(hidden)} a uma palavra não muda onde ela cai.`
      : `O posto é ${rank}: mais de uma direção se perde, e o plano não se enche.`) },
    { focus: "search", text: ({ chosen, words }, { order, scores }) =>
      `Consulta e chaves dividem o mesmo plano. Para ${chosen}, a chave que mais avança na direção da consulta é a de ${words[order[0]][0]}: ${br(scores[order[0]])}.` },
  ],

  challenges: [
    { goal: "Achate o plano numa reta: deixe a matriz com posto 1.",
      met: (_, { rank }) => rank === 1,
      why: "Uma coluna virou múltipla da outra: as duas posições dizem a mesma coisa, e uma segunda direção se perde." },
    { goal: "Faça duas palavras terem a mesma chave e valores distantes, sem achatar o plano das chaves.",
      met: sameKeyOtherValue,
      why: "W_k perde uma direção que W_v guarda. As duas são achadas do mesmo jeito e entregam coisas diferentes." },
    { goal: "Faça a consulta de ela preferir a chave de Maria a todas as outras.",
      met: ({ words, chosen }, { order }) => chosen === "ela" && words[order[0]][0] === "Maria",
      why: "As palavras não mudaram de lugar: mudou o que ela procura, ou como Maria se anuncia. É o que o treino ajusta." },
  ],

  build,
};
