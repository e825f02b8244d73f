// Múltiplas cabeças: um tensor repartido célula por célula; e o que cada cabeça escolhe numa frase.

import { firstProblem, matrixProblem, oneOf } from "./check.js";
import { button, choice, focusable, h, scroll, slider, svg, table, uniqueId } from "./controls.js";
import { br } from "./format.js";
import { attentionWeights, causalMask, softmax } from "./math.js";

const TOTAL = 6; // h·c, a largura do tensor que se reparte
const MOST_N = 6, MOST_TOKENS = 64, MOST_HEADS = 8;
const STAGES = ["start", "view", "transpose", "attend", "back", "concat", "project"];
const SKIPPED = { transpose: [], reshape: ["view", "back"], half: ["back"] };

const range = (size) => Array.from({ length: size }, (_, i) => i);
const chunk = (list, size) => range(list.length / size).map((i) => list.slice(i * size, (i + 1) * size));
const largest = (list) => list.indexOf(Math.max(...list));
const shapeText = (sizes) => `(${sizes.join(", ")})`;
const unique = (list) => [...new Set(list)].sort((a, b) => a - b);
const spoken = (list) => (list.length > 1 ? `${list.slice(0, -1).join(", ")} e ${list.at(-1)}` : `${list[0]}`);
const tokensText = (list) => (list.length > 1 ? `dos tokens ${spoken(list)}` : `do token ${list[0]}`);

// [0, 1, 6, 7] → "0–1, 6–7"
function ranges(cells) {
  const runs = [];
  for (const cell of cells) {
    const run = runs.at(-1);
    if (run && run[1] === cell - 1) run[1] = cell;
    else runs.push([cell, cell]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
}

// ---------- repartir: as contas ----------

// (n, h·c) → (h, n, c), como lista de cabeças; "reshape" só quebra a memória noutros pontos.
function split(x, { n, num_heads: heads, path }) {
  const c = TOTAL / heads;
  if (path === "reshape") return chunk(chunk(x.flat(), c), n);
  return range(heads).map((k) => x.map((row) => row.slice(k * c, (k + 1) * c)));
}

const merge = (x, { n, path }) => (path === "transpose"
  ? range(n).map((m) => x.flatMap((head) => head[m]))
  : chunk(x.flat(2), TOTAL));

function deriveSplit(state) {
  const { n, num_heads: heads } = state;
  const c = TOTAL / heads;
  const cells = chunk(range(n * TOTAL), TOTAL);
  const received = split(cells, state);
  // Cada token para trás recebe metade do peso do seguinte na cabeça 1, um quarto na 2, …
  const weights = range(heads).map((k) => range(n).map((m) =>
    softmax(range(n).map((p) => (p > m ? -Infinity : -Math.log(2) * (k + 1) * (m - p))))));
  const context = received.map((rows, k) => rows.map((row, m) => row.map((_, j) =>
    rows.reduce((sum, other, p) => sum + weights[k][m][p] * other[j], 0))));
  const heardBy = received.map((rows) => rows.map((row, m) => row.map((_, j) =>
    rows.slice(0, m + 1).map((other) => Math.floor(other[j] / TOTAL)))));
  const merged = merge(context, state);
  return {
    n, heads, c, cells, received, weights, context, merged,
    mergedCells: merge(received, state),
    heard: merge(heardBy, state).map((row) => unique(row.flat())),
    // Cada coluna de W_o: metade da própria cabeça, metade da seguinte.
    output: merged.map((row) => row.map((x, i) => (x + row[(i + c) % TOTAL]) / 2)),
  };
}

function stageFacts(stage, { path }, { n, heads, c }) {
  const byToken = [n, heads, c], byHead = [heads, n, c];
  const copied = [n * c, c, 1];
  switch (stage) {
    case "start": return { shape: [n, TOTAL], strides: [TOTAL, 1], code: "x" };
    case "view": return { shape: byToken, strides: [TOTAL, c, 1], code: `x.view${shapeText(byToken)}` };
    case "transpose": return path === "reshape"
      ? { shape: byHead, strides: copied, code: `x.reshape${shapeText(byHead)}` }
      : { shape: byHead, strides: [c, TOTAL, 1], code: `x.view${shapeText(byToken)}.transpose(0, 1)` };
    case "attend": return { shape: byHead, strides: copied, code: "C = A @ V, uma vez por cabeça" };
    case "back": return { shape: byToken, strides: [c, n * c, 1], code: "C.transpose(0, 1)" };
    case "concat": return {
      shape: [n, TOTAL],
      // Com c = 1, os passos do transpose já servem, e nada precisa ser copiado.
      strides: path === "transpose" && c === 1 ? [1, n] : [TOTAL, 1],
      code: `C${path === "transpose" ? ".transpose(0, 1)" : ""}.reshape(${n}, ${TOTAL})`,
    };
    default: return { shape: [n, TOTAL], strides: [TOTAL, 1], code: "concatenado @ W_o" };
  }
}

// Uma etapa que o caminho pula mostra o tensor da anterior.
const shownStage = ({ stage, path }) =>
  (SKIPPED[path].includes(stage) ? STAGES[STAGES.indexOf(stage) - 1] : stage);

const isContiguous = ({ shape, strides }) => {
  let wanted = 1;
  return range(shape.length).reverse().every((axis) => {
    const fits = shape[axis] === 1 || strides[axis] === wanted;
    wanted *= shape[axis];
    return fits;
  });
};

// Os blocos de um tensor, e a célula que ocuparia cada lugar se nada se embaralhasse.
function blocksAt(stage, numbers) {
  const { n, heads, c, cells, received, mergedCells } = numbers;
  const home = (m, k, j) => m * TOTAL + k * c + j;
  if (stage === "start") return { axis: "flat", blocks: [cells], home: (_, m, i) => m * TOTAL + i };
  if (stage === "view" || stage === "back") {
    return { axis: "token", blocks: range(n).map((m) => chunk(cells[m], c)), home: (m, k, j) => home(m, k, j) };
  }
  if (stage === "transpose" || stage === "attend") {
    return { axis: "head", blocks: received, home: (k, m, j) => home(m, k, j) };
  }
  return {
    axis: "joined",
    blocks: range(heads).map((k) => mergedCells.map((row) => row.slice(k * c, (k + 1) * c))),
    home: (k, m, j) => home(m, k, j),
  };
}

function strays(stage, numbers) {
  const { blocks, home } = blocksAt(stage, numbers);
  return blocks.flatMap((rows, b) => rows.flatMap((row, r) => row.filter((cell, j) => cell !== home(b, r, j))));
}

// As células de que fala a frase de cada etapa (stageText).
function named(stage, { path }, { n, c, cells, received, mergedCells }) {
  switch (stage) {
    case "view": return cells[0].slice(0, c);
    case "transpose": return received[0].flat();
    case "attend": return [received[0][0][0], received[0][1][0]];
    case "back": return cells[0];
    case "concat": return mergedCells[path === "reshape" ? n - 1 : 0];
    case "project": return [mergedCells[0][0], mergedCells[0][c % TOTAL]];
    default: return [];
  }
}

const missing = (heard, m) => range(m + 1).filter((token) => !heard.includes(token));
const future = (heard, m) => heard.filter((token) => token > m);
const verdict = (heard, m) => [["falta", missing(heard, m)], ["vê o futuro:", future(heard, m)]]
  .filter(([, list]) => list.length).map(([word, list]) => `${word} ${ranges(list)}`).join("; ") || "nada";

// ---------- repartir: onde cada coisa fica, medido em células ----------

const LEFT = 1.75, GAP = 0.4, TITLE = 0.8;
const columnsOf = ({ heads }) => LEFT + TOTAL + (heads - 1) * GAP;

function layout(stage, numbers) {
  const { n, c } = numbers;
  const { axis, blocks } = blocksAt(stage, numbers);
  const places = [], labels = [];
  const put = (rows, x, y) => rows.forEach((row, r) => row.forEach((cell, j) => places.push([cell, x + j, y + r])));
  const rowLabels = (y) => range(n).forEach((m) => labels.push({ text: `token ${m}`, x: 0, y: y + m, side: "start" }));
  let height = TITLE + n;
  if (axis === "token") {
    const most = Math.floor((columnsOf(numbers) - LEFT + GAP) / (c + GAP));
    const lines = Math.ceil(n / most), across = Math.ceil(n / lines);
    const alone = across === 1; // um bloco por linha: o título cabe à esquerda
    const rows = blocks[0].length, pitch = rows + (alone ? GAP : TITLE + 0.15);
    blocks.forEach((block, m) => {
      const x = LEFT + (m % across) * (c + GAP);
      const y = (alone ? 0 : TITLE) + Math.floor(m / across) * pitch;
      put(block, x, y);
      labels.push(alone ? { text: `token ${m}`, x: 0, y, side: "start" }
        : { text: c === 1 ? `t. ${m}` : `token ${m}`, x: x + c / 2, y: y - TITLE, side: "middle" });
      if (m % across === 0 && !alone) {
        range(rows).forEach((k) => labels.push({ text: `cab. ${k + 1}`, x: 0, y: y + k, side: "start" }));
      }
    });
    height = (alone ? 0 : TITLE) + lines * pitch;
  } else {
    rowLabels(TITLE);
    const gap = axis === "flat" ? 0 : GAP;
    blocks.forEach((block, k) => {
      const x = LEFT + k * (c + gap);
      put(block, x, TITLE);
      if (axis !== "flat") {
        labels.push({ text: c === 1 ? `c. ${k + 1}` : `cabeça ${k + 1}`, x: x + c / 2, y: 0, side: "middle" });
      }
    });
  }
  const maps = stage === "attend"
    ? blocks.map((_, k) => ({ x: LEFT + k * (c + GAP), y: TITLE + n + 0.35, size: Math.min(c, 2.4) }))
    : [];
  if (maps.length) height += 0.35 + maps[0].size;
  return { places, labels, maps, height };
}

// ---------- repartir: a figura ----------

function buildSplit({ set, state }) {
  const path = choice({
    label: "Caminho",
    options: [["transpose", "repartir certo"], ["reshape", "só reshape"], ["half", "sem transpor na volta"]],
    change: (value) => set({ path: value }),
  });
  const heads = choice({
    label: "Cabeças, h", options: [1, 2, 3, 6].map((k) => [k, String(k)]),
    change: (value) => set({ num_heads: value, picked: [] }),
  });
  const tokens = slider({
    label: "Tokens, n", min: 2, max: MOST_N, step: 1, text: String,
    change: (value) => set({ n: value, picked: [] }),
  });

  // As células: um botão cada, numa única parada do teclado; as setas andam entre elas.
  const cells = range(MOST_N * TOTAL).map((cell) => h("button", {
    ...focusable, type: "button", class: "heads-cell", tabindex: -1,
    onclick: () => toggle(cell), onkeydown: (event) => walk(event, cell), onfocus: () => stop(cell),
  }, h("span", {})));
  let resting = 0;
  function stop(cell) {
    cells[resting].tabIndex = -1;
    resting = cell;
    cells[cell].tabIndex = 0;
  }
  function walk(event, cell) {
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -TOTAL, ArrowDown: TOTAL }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const wanted = cell + move;
    if (wanted >= 0 && wanted < state().n * TOTAL) cells[wanted].focus();
  }
  function toggle(cell) {
    const { picked } = state();
    set({ picked: picked.includes(cell) ? picked.filter((other) => other !== cell) : unique([...picked, cell]) });
  }
  const labels = range(MOST_N * 3).map(() => h("span", { class: "heads-label", "aria-hidden": "true" }));
  const maps = range(MOST_N).map(() => {
    const squares = range(MOST_N * MOST_N).map((i) => svg("rect", {
      x: i % MOST_N, y: Math.floor(i / MOST_N), width: 1, height: 1, class: "heads-weight",
    }));
    return { squares, node: svg("svg", { class: "heads-map", "aria-hidden": "true" }, ...squares) };
  });
  const board = h("div", { class: "heads-board", role: "group", "aria-label": "Tensor, uma célula por número" },
    ...maps.map((map) => map.node), ...labels, ...cells);
  const code = h("code", { class: "heads-code" });
  const facts = h("p", { class: "heads-facts" });
  const warning = h("p", { class: "heads-warning" });

  const question = h("p", {}, "Quais células a cabeça 2 vai receber? Escolha-as no tensor, antes de avançar.");
  const answer = h("p", { role: "status", class: "heads-answer" });
  const quiz = h("div", { class: "heads-quiz" }, question, h("div", { class: "heads-quiz-row" },
    button("Conferir", () => { answer.textContent = checked(); }),
    button("Limpar", () => set({ picked: [] }))), answer);
  let asked = "";
  let last = null;
  function checked() {
    const [current, { split: numbers }] = last;
    const right = numbers.received[1].flat();
    const hits = current.picked.filter((cell) => right.includes(cell)).length;
    const extra = current.picked.length - hits, left = right.length - hits;
    if (!extra && !left) return `Certo: são essas ${right.length}, ${ranges(unique(right))}.`;
    return `Das suas, ${hits} de ${current.picked.length} ${plural(hits, "é", "são")} da cabeça 2. Ela recebe ${right.length}: ${left ? `${plural(left, "falta", "faltam")} ${left}` : "sobraram escolhas"}.`;
  }

  // A etapa se escolhe na própria tabela de formas e passos.
  const stageName = uniqueId("etapa");
  const stageRows = STAGES.map((stage) => {
    const radio = h("input", { ...focusable, type: "radio", name: stageName, value: stage, onchange: () => set({ stage }) });
    const name = h("span", {}), shape = h("span", {}), strides = h("span", {});
    return { stage, radio, name, shape, strides, label: h("label", {}, radio, name) };
  });
  const stageTable = table({
    caption: "Etapas: forma e passos", head: ["etapa", "forma", "passos"],
    rows: stageRows.map((row) => ({ label: row.label, cells: [row.shape, row.strides] })),
  });

  const detail = h("div", { class: "heads-detail" });
  function showDetail(stage, numbers) {
    const { n, received, weights, heard } = numbers;
    if (["concat", "project"].includes(stage)) {
      return table({
        caption: "Quem cada linha da saída ouviu", head: ["linha", "tokens", "falta ou sobra"],
        rows: heard.map((list, m) => ({ label: String(m), cells: [ranges(list), verdict(list, m)],
          class: verdict(list, m) === "nada" ? null : "is-wrong" })),
      });
    }
    if (["attend", "back"].includes(stage)) {
      return scroll(table({
        caption: `Pesos da última linha, a ${n - 1}`, head: ["cabeça", ...range(n).map(String)],
        rows: weights.map((matrix, k) => ({ label: `cabeça ${k + 1}`, cells: matrix[n - 1].map((x) => br(x)) })),
      }));
    }
    // Na largada e no view a resposta do desafio fica guardada.
    if (stage !== "transpose") return null;
    return table({
      caption: "O que cada cabeça recebe", head: ["cabeça", "células", "dos tokens"],
      rows: received.map((rows, k) => {
        const from = unique(rows.flat().map((cell) => Math.floor(cell / TOTAL)));
        return { label: `${k + 1}`, cells: [ranges(unique(rows.flat())), ranges(from)],
          class: from.length < n ? "is-wrong" : null };
      }),
    });
  }
  let detailed = "";

  function update(current, all, focus) {
    last = [current, all];
    const numbers = all.split;
    const { n, c } = numbers;
    const stage = shownStage(current);
    path.show(current.path);
    heads.show(current.num_heads);
    tokens.show(n);

    const now = layout(stage, numbers);
    const tallest = Math.max(...STAGES.map((each) => layout(shownStage({ ...current, stage: each }), numbers).height));
    const columns = columnsOf(numbers);
    board.style.aspectRatio = `${columns} / ${tallest}`;
    board.style.setProperty("--columns", columns);
    const lost = new Set(strays(stage, numbers));
    const lit = new Set(focus ? named(stage, current, numbers) : []);
    const values = valuesAt(stage, numbers);
    const open = stage === "start" && numbers.heads > 1;
    if (resting >= n * TOTAL) stop(0);
    cells[resting].tabIndex = 0;
    cells.forEach((cell, id) => { cell.hidden = id >= n * TOTAL; });
    for (const [id, x, y] of now.places) {
      const cell = cells[id], token = Math.floor(id / TOTAL);
      cell.style.setProperty("--x", x);
      cell.style.setProperty("--y", y);
      cell.dataset.tone = Math.round((token * 5) / (n - 1));
      cell.firstChild.textContent = values ? br(values.get(id), 1) : id;
      cell.classList.toggle("is-mixed", values !== null);
      cell.classList.toggle("is-lost", lost.has(id));
      cell.classList.toggle("is-lit", lit.has(id));
      cell.disabled = !open;
      cell.setAttribute("aria-label", values
        ? `célula ${id}, agora ${br(values.get(id), 1)}` : `célula ${id}, token ${token}, coluna ${id % TOTAL}`);
      const chosen = open && current.picked.includes(id);
      if (open) cell.setAttribute("aria-pressed", chosen);
      else cell.removeAttribute("aria-pressed");
      cell.classList.toggle("is-picked", chosen);
    }
    labels.forEach((label, i) => {
      const shown = now.labels[i];
      label.hidden = !shown;
      if (!shown) return;
      label.textContent = shown.text;
      label.classList.toggle("is-middle", shown.side === "middle");
      label.style.left = `${(100 * shown.x) / columns}%`;
      label.style.top = `${(100 * shown.y) / tallest}%`;
      label.style.height = `${100 / tallest}%`;
    });
    maps.forEach((map, k) => {
      const shown = now.maps[k];
      map.node.style.display = shown ? "" : "none";
      if (!shown) return;
      map.node.setAttribute("viewBox", `0 0 ${n} ${n}`);
      map.node.style.left = `${(100 * shown.x) / columns}%`;
      map.node.style.top = `${(100 * shown.y) / tallest}%`;
      map.node.style.width = `${(100 * shown.size) / columns}%`;
      map.squares.forEach((square, i) => {
        const column = i % MOST_N, row = Math.floor(i / MOST_N);
        square.setAttribute("fill-opacity", row < n && column < n ? numbers.weights[k][row][column] : 0);
      });
    });

    const { shape, strides, code: line } = stageFacts(stage, current, numbers);
    code.textContent = line;
    facts.textContent = `forma ${shapeText(shape)} · passos ${shapeText(strides)} · ${isContiguous({ shape, strides }) ? "contíguo" : "não contíguo"}`;
    warning.textContent = lost.size ? `× ${lost.size} de ${n * TOTAL} células fora do lugar.` : "";
    for (const row of stageRows) {
      const skipped = SKIPPED[current.path].includes(row.stage);
      const fact = stageFacts(row.stage, current, numbers);
      row.radio.checked = row.stage === current.stage;
      row.name.textContent = STAGE_NAMES(row.stage, current.path);
      row.shape.textContent = skipped ? "pulada" : shapeText(fact.shape);
      row.strides.textContent = skipped ? "pulada" : shapeText(fact.strides);
      row.label.closest("tr").classList.toggle("is-now", row.stage === current.stage);
      row.label.closest("tr").classList.toggle("is-skipped", skipped);
    }
    facts.classList.toggle("is-focus", focus !== null);

    quiz.hidden = !open;
    const asking = JSON.stringify([current.picked, n, numbers.heads, current.path, stage]);
    if (asking !== asked) { asked = asking; answer.textContent = ""; }

    const wanted = JSON.stringify([n, c, current.path, stage]);
    if (wanted !== detailed) {
      detailed = wanted;
      detail.replaceChildren(...[showDetail(stage, numbers)].filter(Boolean));
    }
  }

  return {
    picture: h("div", {}, h("div", { class: "explorer-controls" }, path.node, heads.node, tokens.node),
      code, facts, warning, board),
    panel: h("div", {}, h("div", { role: "radiogroup", "aria-label": "Etapa", class: "heads-stages" }, stageTable),
      quiz, detail),
    update,
  };
}

const STAGE_NAMES = (stage, path) => ({
  start: "início", view: "view", transpose: path === "reshape" ? "reshape" : "transpose",
  attend: "atenção", back: "2º transpose", concat: "concatenar", project: "vezes W_o",
})[stage];

// O que se lê em cada célula: o próprio número até a atenção; depois, a mistura que mora ali.
function valuesAt(stage, { received, context, merged, mergedCells, output }) {
  if (["start", "view", "transpose"].includes(stage)) return null;
  const [homes, values] = { concat: [mergedCells, merged], project: [mergedCells, output] }[stage] ?? [received, context];
  const ids = homes.flat(2), numbers = values.flat(2);
  return new Map(ids.map((id, i) => [id, numbers[i]]));
}

// ---------- olhar ----------

const ROW = 26, REACH = 50; // altura de uma linha da frase e largura dos arcos, em px
const LEVELS = 20; // grossuras de arco

const equal = (a, b) => (Array.isArray(a) && Array.isArray(b)
  ? a.length === b.length && a.every((x, i) => equal(x, b[i])) : a === b);

// Escolher um token ou uma cabeça não muda os pesos: eles só se refazem com as consultas e chaves.
let known = { query: null, key: null, weights: null };
function headWeights(query, key) {
  if (!equal(query, known.query) || !equal(key, known.key)) {
    const mask = causalMask(query[0].length);
    known = { query, key, weights: query.map((matrix, k) => attentionWeights(matrix, key[k], { mask })) };
  }
  return known.weights;
}

function deriveLook({ query, key, token, head, other }) {
  const weights = headWeights(query, key);
  const row = weights[head][token];
  const compared = other === null ? null : weights[other][token];
  return {
    weights, row, compared, top: largest(row),
    shared: compared && row.reduce((sum, x, p) => sum + Math.min(x, compared[p]), 0),
    flat: token > 0 && Math.max(...row) - Math.min(...row.slice(0, token + 1)) < 1e-6,
  };
}

function buildLook({ set, state }) {
  const picture = h("div", {}), panel = h("div", {});
  let built = "", view = null;
  // A frase e o número de cabeças só mudam por Python; então os nós se refazem.
  function update(current, numbers, focus) {
    const wanted = JSON.stringify([current.tokens, current.query.length]);
    if (wanted !== built) {
      built = wanted;
      view = buildSentence({ set, state }, current.tokens, current.query.length);
      picture.replaceChildren(view.picture);
      panel.replaceChildren(view.panel);
    }
    view.update(current, numbers.look, focus);
  }
  return { picture, panel, update };
}

function buildSentence({ set }, tokens, count) {
  const n = tokens.length;
  const radioName = uniqueId("token");
  const radios = tokens.map((_, i) =>
    h("input", { ...focusable, type: "radio", name: radioName, value: i, onchange: () => set({ token: i }) }));
  const cells = range(2).map(() => tokens.map(() => h("span", { class: "heads-bar" })));
  const heading = range(2).map(() => h("span", {}));
  const sentence = table({
    caption: "Peso por token",
    head: ["token", ...heading],
    rows: tokens.map((token, i) => ({
      label: h("label", {}, radios[i], h("span", {}, token)), cells: cells.map((column) => column[i]),
    })),
  });
  // Um traço por grossura, e não um por token: com 64 tokens a página redesenha a tempo.
  const arcs = range(2).map((side) => {
    const paths = range(LEVELS + 1).map((level) =>
      svg("path", { class: "heads-arc", "vector-effect": "non-scaling-stroke", "stroke-width": 0.6 + (6 * level) / LEVELS }));
    return { side, paths, node: svg("svg", {
      class: "heads-arcs", height: n * ROW, viewBox: `0 0 ${REACH} ${n * ROW}`, preserveAspectRatio: "none", "aria-hidden": "true",
    }, ...paths) };
  });
  const note = h("p", { class: "explorer-note", "aria-live": "off" });

  const headName = uniqueId("cabeca");
  const options = range(count).map((k) => {
    const radio = h("input", { ...focusable, type: "radio", name: headName, value: k, onchange: () => set({ head: k }) });
    const canvas = h("canvas", { width: n, height: n });
    const band = h("span", { class: "heads-band" });
    const node = h("label", { class: "heads-option" },
      h("span", { class: "heads-option-name" }, radio, h("span", {}, count > 4 ? `${k + 1}` : `cabeça ${k + 1}`)),
      h("span", { class: "heads-square", "aria-hidden": "true" }, canvas, band));
    return { radio, canvas, band, node, pixels: new ImageData(n, n) };
  });
  const compare = choice({
    label: "Comparar com", options: [[null, "nenhuma"], ...range(count).map((k) => [k, `cabeça ${k + 1}`])],
    change: (value) => set({ other: value }),
  });

  function paintMatrix({ canvas, pixels }, weights) {
    let i = 0;
    for (const row of weights) {
      for (const x of row) {
        // Preto é peso 1, branco é 0; o CSS troca o preto pela cor dos pesos, no claro e no escuro.
        pixels.data[i] = pixels.data[i + 1] = pixels.data[i + 2] = 255 * (1 - x);
        pixels.data[i + 3] = 255;
        i += 4;
      }
    }
    canvas.getContext("2d").putImageData(pixels, 0, 0);
  }

  function paintArcs({ side, paths, node }, row, from) {
    node.style.display = row ? "" : "none";
    if (!row) return;
    const edge = side === 0 ? REACH : 0, out = side === 0 ? -1 : 1;
    const y = (i) => ROW * (i + 0.5);
    const lines = paths.map(() => "");
    const start = edge + out * 5, loop = edge + out * 24;
    row.forEach((x, p) => {
      if (x < 0.005) return;
      const bend = edge + out * Math.min(1.2 * REACH, 20 + 8 * Math.abs(p - from));
      lines[Math.round(x * LEVELS)] += p === from
        ? `M${start} ${y(p) - 6}C${loop} ${y(p) - 11} ${loop} ${y(p) + 11} ${start} ${y(p) + 6}`
        : `M${start} ${y(from)}C${bend} ${y(from)} ${bend} ${y(p)} ${start} ${y(p)}`;
    });
    paths.forEach((path, level) => {
      if (path.getAttribute("d") !== lines[level]) path.setAttribute("d", lines[level]);
    });
  }

  let painted = null;
  function update(current, numbers, focus) {
    const { token, head, other } = current;
    const { weights, row, compared, top, shared, flat } = numbers;
    radios.forEach((radio, i) => { radio.checked = i === token; });
    heading[0].textContent = `cabeça ${head + 1}`;
    heading[1].textContent = other === null ? "" : `cabeça ${other + 1}`;
    [row, compared].forEach((numbersOf, column) => tokens.forEach((_, p) => {
      const cell = cells[column][p];
      const text = numbersOf ? (p > token ? "0" : br(numbersOf[p])) : "";
      if (cell.textContent === text) return;
      cell.textContent = text;
      cell.style.setProperty("--weight", numbersOf ? numbersOf[p] : 0);
    }));
    sentence.classList.toggle("is-alone", compared === null);
    sentence.querySelectorAll("tbody tr").forEach((line, p) => {
      line.classList.toggle("is-asking", p === token);
      line.classList.toggle("is-future", p > token);
      line.classList.toggle("is-top", p === top && !flat);
    });
    paintArcs(arcs[0], row, token);
    paintArcs(arcs[1], compared, token);
    compare.show(other);
    options.forEach((option, k) => {
      option.radio.checked = k === head;
      if (weights !== painted) paintMatrix(option, weights[k]);
      option.band.style.top = `${(100 * token) / n}%`;
      option.band.style.height = `${100 / n}%`;
      option.node.classList.toggle("is-chosen", k === head);
      option.node.classList.toggle("is-other", k === other);
    });
    painted = weights;
    note.textContent = [
      flat ? `Pontuações iguais: “${tokens[token]}” não pergunta nada a esta cabeça, e o softmax reparte o peso por igual. Ele não tem a opção “nenhum”.` : "",
      compared ? `As duas cabeças põem ${br(shared)} do peso nos mesmos tokens.` : "",
    ].filter(Boolean).join(" ");
    note.hidden = note.textContent === "";
    panelNode.dataset.focus = pictureNode.dataset.focus = focus ? focus.region : "";
  }

  const pictureNode = h("div", { class: "heads-look" },
    h("div", { role: "radiogroup", "aria-label": "Token que pergunta", class: "heads-sentence" },
      arcs[0].node, sentence, arcs[1].node),
    note);
  const panelNode = h("div", { class: "heads-look" },
    h("fieldset", { class: `heads-options${count > 4 ? " is-many" : ""}` }, h("legend", {}, "Cabeça"), ...options.map((option) => option.node)),
    h("p", { class: "explorer-note" },
      "Linhas: quem pergunta. Colunas: quem responde. A faixa marca a linha de quem pergunta."),
    compare.node,
    h("p", { class: "explorer-note" },
      "As cabeças desta frase foram escritas à mão, para se lerem. Nada obriga as de um modelo treinado a se especializar."));
  return { picture: pictureNode, panel: panelNode, update };
}

// ---------- o explorador ----------

function build(api) {
  const mode = choice({
    label: "Ver", options: [["split", "repartir o tensor"], ["look", "olhar uma frase"]],
    change: (value) => api.set({ mode: value }),
  });
  const parts = { split: buildSplit(api), look: buildLook(api) };

  function update(state, numbers, focus) {
    mode.show(state.mode);
    for (const [name, part] of Object.entries(parts)) {
      part.picture.hidden = part.panel.hidden = name !== state.mode;
    }
    parts[state.mode].update(state, numbers, focus);
  }

  return {
    picture: h("div", {}, h("div", { class: "explorer-controls" }, mode.node), parts.split.picture, parts.look.picture),
    panel: h("div", {}, parts.split.panel, parts.look.panel),
    update,
  };
}

const plural = (count, one, many) => (count === 1 ? one : many);

function stageText(state, numbers) {
  const { n, heads, c, received, weights, context, merged, output, heard, mergedCells } = numbers;
  const { path, stage } = state;
  if (SKIPPED[path].includes(stage)) {
    const shape = stageFacts(shownStage(state), state, numbers).shape;
    return `Este caminho pula o ${STAGE_NAMES(stage, path)}: o tensor continua na forma ${shapeText(shape)}.`;
  }
  const first = received[0];
  switch (stage) {
    case "start": return `O tensor tem ${n} linhas, uma por token, e ${TOTAL} colunas; na memória, é uma fila de ${n * TOTAL} números.`;
    case "view": return `view${shapeText([n, heads, c])}: as ${TOTAL} colunas de cada token se abrem em ${heads} ${plural(heads, "grupo", "grupos")} de ${c}. Na memória nada se moveu; andar um grupo são ${c} ${plural(c, "elemento", "elementos")}.`;
    case "transpose": {
      const from = unique(first.flat().map((cell) => Math.floor(cell / TOTAL)));
      const taken = `a cabeça 1 leva as células ${ranges(unique(first.flat()))}`;
      const out = strays("transpose", numbers).length;
      if (path !== "reshape") return `transpose troca os dois primeiros eixos: ${taken}, uma linha de cada token. Só os passos mudaram.`;
      return out === 0 ? `reshape lê a memória em ordem: ${taken}. Com uma cabeça só, não há o que embaralhar.`
        : `reshape lê a memória em ordem e quebra noutros pontos: ${taken}, que são só ${tokensText(from)}. Ficam fora do lugar ${out} das ${n * TOTAL} células.`;
    }
    case "attend": return `Cada cabeça mistura as suas linhas, com os seus pesos. Na cabeça 1, a linha 1 é ${br(weights[0][1][0])} · ${first[0][0]} + ${br(weights[0][1][1])} · ${first[1][0]} = ${br(context[0][1][0], 1)} na primeira coluna.`;
    case "back": return `O 2º transpose desfaz a troca: as linhas do token 0, uma por cabeça, ficam juntas de novo, e os passos são ${shapeText([c, n * c, 1])}.`;
    case "concat": {
      const wrong = heard.findIndex((list, m) => verdict(list, m) !== "nada");
      if (path === "half" && strays("concat", numbers).length) {
        const from = unique(mergedCells[0].map((cell) => Math.floor(cell / TOTAL)));
        return `Sem o transpose, reshape(${n}, ${TOTAL}) enche a linha 0 com o que vem ${tokensText(from)}. A forma está certa; as linhas, não.`;
      }
      if (wrong === -1) return `reshape(${n}, ${TOTAL}) põe ${plural(heads, "a cabeça", `as ${heads} cabeças`)} lado a lado na linha de cada token: ${heads} · ${c} = ${TOTAL} colunas.`;
      return `A forma voltou a ser ${shapeText([n, TOTAL])} e cada célula voltou ao seu lugar: o erro não se vê. Mas a linha ${n - 1} só ouviu o que vem ${tokensText(heard[n - 1])}.`;
    }
    default: return heads === 1
      ? "Com uma cabeça só, esta W_o não tem com quem misturar: a saída é igual à entrada."
      : `W_o deixa as cabeças conversarem. Nesta, cada coluna vira a média de duas que distam ${c}: na linha 0, (${br(merged[0][0], 1)} + ${br(merged[0][c], 1)}) ÷ 2 = ${br(output[0][0], 1)}.`;
  }
}

const LOOK_STEPS = [
  { region: "band", text: ({ tokens, token, query }) =>
    `Cada cabeça tem a sua matriz ${tokens.length} × ${tokens.length}. A linha marcada é a de “${tokens[token]}”: ${plural(query.length, "uma pergunta", `${query.length} perguntas ao mesmo tempo`)}.` },
  { region: "weights", text: ({ tokens, token, head }, { row, top, flat }) => (flat
    ? `Na cabeça ${head + 1}, “${tokens[token]}” dá o mesmo peso aos ${token + 1} tokens que vê: ${br(row[top])}.`
    : `Na cabeça ${head + 1}, “${tokens[token]}” dá o maior peso a “${tokens[top]}”: ${br(row[top])}.`) },
  { region: "weights", text: ({ head, token }, { row }) =>
    `A linha da cabeça ${head + 1} soma ${br(row.reduce((sum, x) => sum + x, 0))}: ${token === 0
      ? "o primeiro token só vê a si mesmo e fica com tudo." : "para dar mais a um token, é preciso tirar de outro."}` },
  { region: "future", text: ({ tokens, token }) => (token + 1 < tokens.length
    ? `Depois de “${tokens[token]}” ${plural(tokens.length - 1 - token, "vem 1 token", `vêm ${tokens.length - 1 - token} tokens`)} com peso 0: a máscara causal vale em todas as cabeças.`
    : `“${tokens[token]}” é o último token: a máscara causal não lhe esconde ninguém.`) },
  { region: "compare", text: ({ tokens, token, head, other }, { row, compared, weights, top }) => {
    const second = other ?? (head + 1) % weights.length;
    return `Para o mesmo “${tokens[token]}”, a cabeça ${second + 1} dá a “${tokens[top]}” ${br((compared ?? weights[second][token])[top])}; a cabeça ${head + 1} dá ${br(row[top])}.`;
  } },
  { region: "weights", text: ({ tokens, token, query }) => {
    const c = query[0][0].length;
    return `Cada cabeça mistura os valores com a sua linha; os ${query.length} contextos de “${tokens[token]}” ficam lado a lado, ${query.length} · ${c} = ${query.length * c} posições, e W_o os reúne.`;
  } },
];

const wholeIn = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;

function problem(state) {
  const { tokens, query, key, picked, n } = state;
  const basic = firstProblem(
    oneOf(state.mode, "mode", ["split", "look"]),
    oneOf(n, "n", [2, 3, 4, 5, 6]),
    oneOf(state.num_heads, "num_heads", [1, 2, 3, 6]),
    oneOf(state.path, "path", ["transpose", "reshape", "half"]),
    oneOf(state.stage, "stage", STAGES),
    Array.isArray(picked) && picked.every((cell) => wholeIn(cell, 0, n * TOTAL - 1))
      ? "" : `picked é uma lista de células, de 0 a ${n * TOTAL - 1}.`,
    Array.isArray(tokens) && wholeIn(tokens.length, 2, MOST_TOKENS) && tokens.every((token) => typeof token === "string")
      ? "" : `tokens é uma lista de 2 a ${MOST_TOKENS} textos.`,
    ...[["query", query], ["key", key]].map(([name, heads]) => (
      Array.isArray(heads) && wholeIn(heads.length, 1, MOST_HEADS) ? "" : `${name} precisa ter de 1 a ${MOST_HEADS} cabeças.`)),
  );
  if (basic) return basic;
  const c = query[0]?.[0]?.length;
  return firstProblem(
    c ? "" : "query precisa ter a forma (h, n, c).",
    key.length === query.length ? "" : `query tem ${query.length} cabeças e key, ${key.length}; precisam do mesmo número.`,
    ...query.map((matrix, k) => matrixProblem(matrix, `query[${k}]`, tokens.length, c)),
    ...key.map((matrix, k) => matrixProblem(matrix, `key[${k}]`, tokens.length, c)),
    wholeIn(state.token, 0, tokens.length - 1) ? "" : `token vai de 0 a ${tokens.length - 1}.`,
    wholeIn(state.head, 0, query.length - 1) ? "" : `head vai de 0 a ${query.length - 1}.`,
    state.other === null || wholeIn(state.other, 0, query.length - 1) ? "" : `other vai de 0 a ${query.length - 1}, ou fica vazio.`,
  );
}

// Cada parte só faz contas quando está à vista.
const derive = (state) => (state.mode === "split" ? { split: deriveSplit(state) } : { look: deriveLook(state) });

export default {
  kind: "multi-head",
  title: "Um tensor, várias cabeças",
  hint: "Leve as células de etapa em etapa; depois, escolha um token da frase e compare as cabeças.",
  fields: ["mode", "n", "num_heads", "path", "stage", "picked", "tokens", "query", "key", "token", "head", "other"],

  problem,
  derive,

  summary: (state, { split: numbers, look }) => {
    if (look?.flat) return LOOK_STEPS[1].text(state, look);
    if (look) return `Cabeça ${state.head + 1}, token ${state.tokens[state.token]}: maior peso em ${state.tokens[look.top]}, ${br(look.row[look.top])}.`;
    const { shape, strides } = stageFacts(shownStage(state), state, numbers);
    return `${STAGE_NAMES(state.stage, state.path)}: forma ${shapeText(shape)}, passos ${shapeText(strides)}.`;
  },

  // No tensor, cada passo é uma etapa, e escolher a etapa à mão é mudar de passo.
  enter: (step, { mode }) => (mode === "split" ? { stage: STAGES[step + 1] } : {}),
  stepAt: ({ mode, stage }, step) => (mode === "split" ? STAGES.indexOf(stage) - 1 : step),

  steps: LOOK_STEPS.map(({ region, text }) => ({
    focus: { region },
    text: (state, { split: numbers, look }) => (look ? text(state, look) : stageText(state, numbers)),
  })),

  challenges: [
    { goal: "Antes de transpor, escolha no tensor as células que a cabeça 2 vai receber no caminho certo.",
      met: ({ mode, stage, path, picked }, { split: numbers }) => mode === "split" && stage === "start"
        && path !== "reshape" && numbers.heads > 1
        && picked.join() === unique(numbers.received[1].flat()).join(),
      why: "A cabeça 2 leva as mesmas c colunas de todos os tokens. Na memória elas não são vizinhas: por isso é preciso transpor." },
    { goal: "Em “só reshape”, com mais de uma cabeça, ache n e h em que nenhum token fica dividido entre duas.",
      met: ({ mode, path, stage }, { split: numbers }) => mode === "split" && path === "reshape"
        && STAGES.indexOf(stage) >= 2 && numbers.heads > 1 && numbers.n % numbers.heads === 0,
      why: "Quando h divide n, cada “cabeça” recebe n/h tokens inteiros: a frase foi cortada em h pedaços, e um pedaço nunca ouve o outro." },
    { goal: "Em “olhar uma frase”, ache a cabeça que liga o pronome ao nome a que ele se refere.",
      met: ({ mode, tokens, token }, { look }) => mode === "look" && tokens[token] === "ela"
        && tokens[look.top] === "Ana" && look.row[look.top] > 0.5,
      why: "Na linha de “ela”, só essa cabeça tem uma consulta que combina com a chave dos nomes. As outras procuram outra coisa, ou nada." },
  ],

  build,
};
