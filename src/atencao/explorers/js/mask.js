// Máscara: quem pode ver quem, onde a máscara entra na conta, e o que vaza quando ela entra errado.

import { firstProblem, matrixProblem, oneOf } from "./check.js";
import { choice, focusable, h, scroll, slider, svg, table, toggle, uniqueId } from "./controls.js";
import { br } from "./format.js";
import { attentionScores, map, matmul, softmax } from "./math.js";

const MASKS = [["none", "nenhuma"], ["causal", "causal"], ["padding", "preenchimento"], ["both", "as duas"]];
const ORDERS = [["before", "−∞ antes do softmax"], ["zero", "0 antes do softmax"], ["after", "× 0 depois do softmax"]];
const STAGES = [["scaled", "q·k ÷ √c"], ["entering", "entra no softmax"], ["soft", "sai do softmax"], ["weights", "peso"]];
const PAD = "[pad]";
const LONGEST = 64;
const NUMBERS_UP_TO = 12; // acima disso, a matriz é desenhada sem números
const LARGEST = 100;
const SHOCK = 1; // o que se soma a cada posição da chave e do valor do último token

const name = (options, value) => options.find(([option]) => option === value)[1];
const sum = (list) => list.reduce((total, x) => total + x, 0);
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const isOne = (total) => Math.abs(total - 1) < 1e-9;
const quote = (token) => `“${token}”`;
const movement = (x) => (x === null ? "·" : x === 0 ? "0" : x >= 0.01 ? br(x) : "< 0,01");

function attend({ mask, order }, query, key, value, real) {
  const scale = 1 / Math.sqrt(query[0].length);
  const scaled = map(attentionScores(query, key), (x) => x * scale);
  const hidesFuture = mask === "causal" || mask === "both";
  const hidesPadding = mask === "padding" || mask === "both";
  const allowed = map(scaled, (_, m, p) => (p <= m || !hidesFuture) && (real[p] || !hidesPadding));
  const fill = order === "before" ? -Infinity : 0;
  const entering = order === "after" ? scaled : map(scaled, (x, m, p) => (allowed[m][p] ? x : fill));
  const soft = entering.map(softmax);
  const weights = order === "after" ? map(soft, (x, m, p) => (allowed[m][p] ? x : 0)) : soft;
  return { scaled, allowed, entering, soft, weights, context: matmul(weights, value) };
}

// Escolher outra linha não refaz a conta: só a refaz quem muda algo de que ela depende.
const CAUSES = ["tokens", "query", "key", "value", "mask", "order", "padding", "side", "changed"];
let lastState = {}, lastNumbers = null;
function derive(state) {
  if (CAUSES.some((name) => state[name] !== lastState[name])) [lastState, lastNumbers] = [state, compute(state)];
  return lastNumbers;
}

function compute(state) {
  const n = state.tokens.length, words = n - state.padding;
  const first = state.side === "left" ? state.padding : 0, last = first + words - 1;
  const real = state.tokens.map((_, p) => first <= p && p <= last);
  const arrange = (rows) => rows.map((row, p) => (real[p] ? rows[p - first] : row.map(() => 0)));
  const shake = (rows) => rows.map((row, p) => (p === last ? row.map((x) => x + SHOCK) : row));
  const [query, key, value] = [state.query, state.key, state.value].map(arrange);

  const calm = attend(state, query, key, value, real);
  const shown = state.changed ? attend(state, query, shake(key), shake(value), real) : calm;
  // Só as saídas anteriores à do token que muda, e só as de tokens reais, valem como prova.
  const moved = calm.context.map((row, m) => (state.changed && real[m] && m < last
    ? Math.max(...row.map((x, i) => Math.abs(x - shown.context[m][i]))) : null));
  return {
    ...shown, moved, real, first, last, query, key, calm,
    labels: real.map((isReal, p) => (isReal ? state.tokens[p - first] : PAD) + (state.changed && p === last ? "*" : "")),
    word: state.tokens[words - 1],
    sums: shown.weights.map(sum),
    notices: moved[first] === null ? null : moved[first] > 0,
  };
}

// ---------- frases sobre os números ----------

function rowText({ row, order, mask, padding }, { labels, sums, allowed, weights, real }) {
  const label = quote(labels[row]), total = sums[row];
  if (!allowed[row].includes(true)) {
    return order === "zero"
      ? `A linha ${label} não tem a quem atender, e o 0 no lugar das pontuações dá ${br(weights[row][0])} a cada posição.`
      : `A linha ${label} não tem a quem atender: fica toda em zeros, e o contexto também.`;
  }
  const parts = [`A linha ${label} soma ${br(total)}${isOne(total) ? "" : `: faltam ${br(1 - total)}, que foram para quem a máscara proíbe`}.`];
  const forbidden = sum(weights[row].filter((_, p) => !allowed[row][p]));
  if (forbidden > 0) parts.push(`Dessa soma, ${br(forbidden)} está com quem a máscara proíbe: e⁰ = 1.`);
  const wasted = sum(weights[row].filter((_, p) => !real[p]));
  if (padding && (mask === "none" || mask === "causal") && wasted > 0)
    parts.push(`O preenchimento leva ${br(wasted)}: a máscara não o esconde.`);
  return parts.join(" ");
}

function peakText({ row }, { weights, labels }) {
  const most = Math.max(...weights[row]);
  return most > 0 ? `O maior peso, ${br(most)}, é o de ${quote(labels[weights[row].indexOf(most)])}.` : "";
}

function lampText({ mask, changed, order }, { moved, word: token, labels }) {
  const word = quote(token);
  if (!changed) return `Mude ${word} e veja se alguma saída anterior se mexe.`;
  const tested = moved.filter((x) => x !== null);
  if (!tested.length) return `Só há um token real, ${word}: não há saída anterior para conferir.`;
  const lit = tested.filter((x) => x > 0);
  if (!lit.length) return `Apagada: ${word} mudou, e nenhuma saída anterior se mexeu, nem um bit.`;
  const most = Math.max(...lit);
  const count = tested.length === 1 ? "a única saída anterior se mexeu"
    : `${lit.length} de ${tested.length} saídas anteriores se mexeram; a que mais, ${quote(labels[moved.indexOf(most)])}`;
  const reason = mask === "none" || mask === "padding" ? "Sem máscara causal, é o esperado: todos veem o fim da frase."
    : order === "zero" ? "A pontuação proibida virou 0, e o valor de quem mudou ainda entra na mistura."
      : "O peso proibido virou 0, mas a pontuação de quem mudou ficou na soma de baixo do softmax.";
  return `Acesa: ${count}, ${movement(most)}. ${reason}`;
}

// ---------- o desenho ----------

const write = (node, text) => { if (node.firstChild?.data !== text) node.textContent = text; };

// De onde a consulta está até cada chave, numa caixa de n colunas por 1 de altura; em si mesma, um laço.
function arcPath(from, to, n) {
  const a = from + 0.5, b = to + 0.5;
  if (from === to) return `M${a} 1C${a - 0.3} 0.4 ${a + 0.3} 0.4 ${a} 1`;
  const top = 0.75 - 1.05 * (Math.abs(from - to) / (n - 1));
  return `M${a} 1C${a} ${top} ${b} ${top} ${b} 1`;
}

function arcsOver(n) {
  const paths = Array.from({ length: n }, () => svg("path", { class: n > NUMBERS_UP_TO ? "mask-arc" : "mask-arc mask-arc-soft" }));
  const node = svg("svg", { viewBox: `0 0 ${n} 1`, preserveAspectRatio: "none", class: "mask-arcs", role: "img" }, ...paths);
  const update = ({ row }, { weights, labels }) => {
    node.setAttribute("aria-label", `Arcos de ${quote(labels[row])} a cada token; a espessura é o peso`);
    paths.forEach((path, p) => {
      const weight = weights[row][p];
      path.setAttribute("d", arcPath(row, p, n));
      path.setAttribute("stroke-width", weight > 0 ? 0.6 + 10 * weight : 0);
    });
  };
  return { node, update };
}

// Um botão de rádio por linha: escolhe a consulta com clique ou setas, como qualquer grupo de rádio.
function rowPicker(n, choose) {
  const group = uniqueId("consulta");
  return Array.from({ length: n }, (_, m) => {
    const text = h("span", {});
    const input = h("input", { ...focusable, type: "radio", name: group, onchange: () => choose(m) });
    const head = h("th", { scope: "row" }, h("label", {}, input, text));
    const total = h("td", { class: "mask-sum" }), moved = h("td", { class: "mask-moved" });
    const update = ({ row, changed }, numbers, focus) => {
      write(text, numbers.labels[m]);
      input.checked = row === m;
      head.classList.toggle("is-pad", !numbers.real[m]);
      write(total, br(numbers.sums[m]) + (isOne(numbers.sums[m]) ? "" : " ≠\u00a01"));
      total.classList.toggle("is-bad", !isOne(numbers.sums[m]));
      write(moved, changed ? movement(numbers.moved[m]) : "?");
      moved.classList.toggle("is-bad", numbers.moved[m] > 0);
      moved.classList.toggle("is-focus", focus === "moved");
    };
    return { head, total, moved, update };
  });
}

// Até 12 tokens: a frase com os arcos é o cabeçalho da matriz.
function smallMatrix(n, choose) {
  const arcs = arcsOver(n), pickers = rowPicker(n, choose);
  const feet = pickers.map(() => h("td", { class: "mask-foot" }));
  const heads = pickers.map((_, p) =>
    h("th", { class: "mask-choice", scope: "col", onclick: () => choose(p) }, h("span", { class: "mask-token" })));
  const cells = pickers.map(() => pickers.map(() => h("td", { class: "mask-cell" })));
  const rows = pickers.map((picker, m) =>
    h("tr", { class: "mask-choice", onclick: () => choose(m) }, picker.head, ...cells[m], picker.total, picker.moved));
  const matrix = scroll(h("table", { class: "explorer-table mask-table" },
    h("caption", {}, "Matriz de pesos"),
    columns(n),
    h("thead", {},
      h("tr", {}, h("td", {}), h("td", { colspan: n }, arcs.node), h("td", { colspan: 2 })),
      h("tr", { "aria-hidden": "true" }, h("td", {}), ...feet, h("td", { colspan: 2 })),
      h("tr", {}, h("th", { scope: "col" }, "consulta"), ...heads, aside("soma"), aside("mexeu?"))),
    h("tbody", {}, ...rows)));
  const node = h("div", {}, matrix, h("p", { class: "explorer-note" },
    "Cada linha é uma consulta; cada coluna, uma chave. Hachurado: a máscara proíbe."));

  const update = (state, numbers, focus) => {
    arcs.update(state, numbers);
    pickers.forEach((picker) => picker.update(state, numbers, focus));
    heads.forEach((head, p) => {
      write(feet[p], br(numbers.weights[state.row][p]));
      write(head.firstChild, numbers.labels[p]);
      head.classList.toggle("is-pad", !numbers.real[p]);
      head.classList.toggle("is-query", p === state.row);
    });
    rows.forEach((row, m) => row.classList.toggle("is-chosen", m === state.row));
    cells.forEach((row, m) => row.forEach((cell, p) => {
      const weight = numbers.weights[m][p], allowed = numbers.allowed[m][p];
      write(cell, weight === 0 ? "0" : br(weight));
      cell.style.setProperty("--share", weight.toFixed(3));
      cell.classList.toggle("is-forbidden", !allowed);
      cell.classList.toggle("is-bad", !allowed && weight > 0);
    }));
  };
  return { node, update };
}

// Mais de 12: quadrinhos sem número sob os arcos, e as linhas com os seus números ao lado. Cada tom é
// um caminho só, de todas as posições em que ele aparece: 4096 nós seriam lentos demais.
const SHADES = 16;

function largeMatrix(n, choose) {
  const arcs = arcsOver(n), pickers = rowPicker(n, choose);
  const shades = Array.from({ length: SHADES + 1 }, (_, shade) =>
    svg("path", { class: "mask-shade", "fill-opacity": shade / SHADES }));
  const forbidden = svg("path", { class: "mask-forbidden" });
  const marker = svg("rect", { class: "mask-marker", x: 0, width: n, height: 1 });
  const picture = svg("svg", { viewBox: `0 0 ${n} ${n}`, class: "mask-squares", role: "img" }, ...shades, forbidden, marker);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    choose(Math.max(0, Math.min(n - 1, Math.floor(((event.clientY - box.top) / box.height) * n))));
  });
  const rows = pickers.map((picker, m) =>
    h("tr", { class: "mask-choice", onclick: () => choose(m) }, picker.head, picker.total, picker.moved));
  const list = scroll(h("table", { class: "explorer-table mask-rows" },
    h("caption", {}, "Linhas"),
    h("thead", {}, h("tr", {}, ...["consulta", "soma", "mexeu?"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows)));
  list.classList.add("mask-list");
  const node = h("div", { class: "mask-large" },
    h("div", {}, arcs.node, picture,
      h("p", { class: "explorer-note" }, "Cada linha é uma consulta; cada coluna, uma chave. Quanto mais forte a cor, maior o peso; cinza é proibido pela máscara.")),
    list);

  let drawn = null;
  const update = (state, numbers, focus) => {
    arcs.update(state, numbers);
    pickers.forEach((picker) => picker.update(state, numbers, focus));
    rows.forEach((row, m) => row.classList.toggle("is-chosen", m === state.row));
    picture.setAttribute("aria-label", `Matriz de pesos, ${n} consultas por ${n} chaves; a linha escolhida é ${quote(numbers.labels[state.row])}`);
    marker.setAttribute("y", state.row);
    if (numbers !== drawn) draw(numbers);
    drawn = numbers;
  };
  function draw(numbers) {
    const peak = Math.max(...numbers.weights.map((row) => Math.max(...row))) || 1;
    const lines = shades.map(() => "");
    let blocked = "";
    numbers.weights.forEach((row, m) => row.forEach((weight, p) => {
      const square = `M${p} ${m}h1v1h-1z`;
      if (weight > 0) lines[Math.ceil(SHADES * Math.sqrt(weight / peak))] += square;
      if (!numbers.allowed[m][p]) blocked += square;
    }));
    shades.forEach((path, shade) => path.setAttribute("d", lines[shade]));
    forbidden.setAttribute("d", blocked);
  }
  return { node, update };
}

const columns = (n) => h("colgroup", {}, h("col", { class: "mask-col-name" }),
  ...Array.from({ length: n }, () => h("col", {})), h("col", { class: "mask-col-sum" }), h("col", { class: "mask-col-sum" }));

const aside = (text) => h("th", { scope: "col" }, h("span", { class: "mask-aside" }, text));

// A conta da linha escolhida, nas mesmas colunas da matriz.
function rowTable(n) {
  const caption = h("caption", {});
  const heads = Array.from({ length: n }, () => h("th", { scope: "col" }, h("span", { class: "mask-token" })));
  const stages = STAGES.map(([stage, label]) => {
    const cells = heads.map(() => h("td", {})), total = h("td", { class: "mask-sum" });
    return { stage, cells, total, node: h("tr", { class: `mask-stage-${stage}` }, h("th", { scope: "row" }, label), ...cells, total) };
  });
  const node = scroll(h("table", { class: "explorer-table mask-table" }, caption, columns(n),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "etapa"), ...heads, aside("soma"))),
    h("tbody", {}, ...stages.map((stage) => stage.node))));
  const update = ({ row }, numbers, focus) => {
    write(caption, `A conta da linha ${quote(numbers.labels[row])}`);
    node.setAttribute("aria-label", caption.textContent);
    heads.forEach((head, p) => write(head.firstChild, numbers.labels[p]));
    for (const { stage, cells, total, node: line } of stages) {
      const values = numbers[stage][row];
      cells.forEach((cell, p) => {
        write(cell, br(values[p]));
        cell.classList.toggle("is-forbidden", !numbers.allowed[row][p]);
      });
      const adds = stage === "soft" || stage === "weights";
      write(total, adds ? br(sum(values)) : "");
      total.classList.toggle("is-bad", adds && !isOne(sum(values)));
      line.classList.toggle("is-focus", focus === stage);
    }
  };
  return { node, update };
}

function build({ set, state }) {
  // Um clique no rádio chega aqui duas vezes: pela linha da tabela e pelo próprio rádio.
  const choose = (row) => { if (row !== state().row) set({ row }); };
  // Com a lâmpada ligada, todo estado por que se passa entra no diário.
  const act = (changes) => {
    const next = { ...state(), ...changes };
    const notices = next.changed ? derive(next).notices : null;
    set(notices === null ? changes
      : { ...changes, trials: { ...next.trials, [`${next.mask}/${next.order}`]: notices } });
  };

  const masks = choice({ label: "Máscara", options: MASKS, change: (mask) => act({ mask }) });
  const orders = choice({ label: "Como ela proíbe", options: ORDERS, change: (order) => act({ order }) });
  const sides = choice({ label: "De que lado", options: [["right", "à direita"], ["left", "à esquerda"]], change: (side) => act({ side }) });
  const lamp = toggle({ label: "mude o último token", change: (changed) => act({ changed }) });
  const bulb = svg("svg", { class: "mask-bulb", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: "M9 17h6M10 20h4M8.5 14.5a6 6 0 1 1 7 0c-.6.5-.9 1.1-.9 1.8h-5.2c0-.7-.3-1.3-.9-1.8z" }),
    svg("path", { class: "mask-rays", d: "M12 1v1.6M3.5 4.5l1.2 1.1M20.5 4.5l-1.2 1.1M1.5 11h1.7M20.8 11h1.7" }));
  const lampLine = h("p", {}), rowLine = h("p", { class: "mask-verdict" });
  const contextLine = h("p", { class: "explorer-context-text" });
  const verdicts = MASKS.map(([mask]) => ORDERS.map(([order]) => ({ key: `${mask}/${order}`, node: h("span", {}) })));
  const diary = table({
    caption: "Diário da lâmpada: o primeiro token percebe?",
    head: ["máscara", "−∞ antes", "0 antes", "× 0 depois"],
    rows: MASKS.map(([, label], m) => ({ label, cells: verdicts[m].map((verdict) => verdict.node) })),
  });

  const stage = h("div", {}), padding = h("div", {});
  let size = 0, parts = [];
  function resize(n) {
    size = n;
    const amount = slider({
      label: "Preenchimento", min: 0, max: n - 1, step: 1, change: (x) => act({ padding: x }),
      text: (x) => (x ? `${x} de ${n}` : "nenhum"),
    });
    const matrix = n > NUMBERS_UP_TO ? largeMatrix(n, choose) : smallMatrix(n, choose), row = rowTable(n);
    padding.replaceChildren(amount.node);
    stage.replaceChildren(matrix.node, rowLine, row.node);
    stage.style.setProperty("--columns", n);
    stage.className = n > NUMBERS_UP_TO ? "is-wide" : n > 6 ? "is-small is-tight" : "is-small";
    parts = [matrix, row, { update: (current) => amount.show(current.padding) }];
  }

  function update(current, numbers, focus) {
    if (current.tokens.length !== size) resize(current.tokens.length);
    masks.show(current.mask);
    orders.show(current.order);
    sides.show(current.side);
    sides.node.hidden = current.padding === 0;
    lamp.show(current.changed);
    for (const part of parts) part.update(current, numbers, focus);
    bulb.classList.toggle("is-lit", numbers.moved.some((x) => x > 0));
    write(lampLine, lampText(current, numbers));
    lampLine.classList.toggle("is-focus", focus === "moved");
    write(rowLine, rowText(current, numbers));
    const vector = (row) => `[${row.map((x) => br(x)).join("; ")}]`;
    const { row } = current;
    write(contextLine, `Contexto de ${quote(numbers.labels[row])}: ${vector(numbers.context[row])}`
      + (current.changed ? `; antes da mudança, ${vector(numbers.calm.context[row])}` : ""));
    for (const { key, node } of verdicts.flat()) {
      const noticed = current.trials[key];
      write(node, noticed === undefined ? "?" : noticed ? "sim" : "não");
      node.classList.toggle("mask-yes", noticed === true);
      node.classList.toggle("is-good", noticed === false);
      node.parentNode.classList.toggle("is-here", key === `${current.mask}/${current.order}`);
    }
  }

  return {
    picture: h("div", {},
      h("div", { class: "explorer-controls" }, masks.node, orders.node, padding, sides.node), stage),
    panel: h("div", { class: "mask-panel" },
      h("div", {}, h("p", { class: "explorer-label" }, "Teste de vazamento"),
        lamp.node, h("div", { class: "mask-lamp" }, bulb, lampLine), contextLine),
      h("div", { class: "mask-diary" }, scroll(diary))),
    update,
  };
}

// ---------- o que vale como estado ----------

function problem({ tokens, query, key, value, mask, order, padding, side, row, changed, trials }) {
  if (!Array.isArray(tokens) || tokens.length < 2 || tokens.length > LONGEST || !tokens.every((token) => typeof token === "string"))
    return `tokens precisa ser uma lista de 2 a ${LONGEST} textos.`;
  const n = tokens.length;
  const matrix = (rows, label) => {
    const wide = Array.isArray(rows) && Array.isArray(rows[0]) ? rows[0].length : 0;
    if (wide === 0) return `${label} precisa ser uma matriz de números com uma linha por token.`;
    return matrixProblem(rows, label, n, wide)
      || (rows.flat().some((x) => Math.abs(x) > LARGEST) ? `${label} vai de −${LARGEST} a ${LARGEST}.` : "");
  };
  const index = (x, label) => (Number.isInteger(x) && x >= 0 && x < n ? "" : `${label} precisa ser um inteiro de 0 a ${n - 1}.`);
  const pairs = MASKS.flatMap(([m]) => ORDERS.map(([o]) => `${m}/${o}`));
  const isDiary = trials !== null && typeof trials === "object" && !Array.isArray(trials)
    && Object.entries(trials).every(([pair, noticed]) => pairs.includes(pair) && typeof noticed === "boolean");
  return firstProblem(
    matrix(query, "query"), matrix(key, "key"), matrix(value, "value"),
  ) || firstProblem(
    query[0].length === key[0].length ? "" : "query e key precisam ter a mesma largura.",
    oneOf(mask, "mask", MASKS.map(([option]) => option)),
    oneOf(order, "order", ORDERS.map(([option]) => option)),
    oneOf(side, "side", ["right", "left"]),
    oneOf(changed, "changed", [true, false]),
    index(padding, "padding"), index(row, "row"),
    isDiary ? "" : 'trials precisa ser como {"causal/zero": true}.',
  );
}

// Onde a conta fica mais clara: a chave proibida de maior pontuação, ou a maior de todas.
function telling({ row }, { scaled, allowed }) {
  const hidden = allowed[row].some((may) => !may);
  const candidates = scaled[row].map((x, p) => (hidden && allowed[row][p] ? -Infinity : x));
  return candidates.indexOf(Math.max(...candidates));
}

export default {
  kind: "mask",
  title: "Máscara: quem pode ver quem",
  hint: "Escolha uma linha com um clique ou com as setas, troque a máscara e veja quem sai da conta.",
  fields: ["tokens", "query", "key", "value", "mask", "order", "padding", "side", "row", "changed", "trials"],
  problem,
  derive,

  summary: (state, numbers) => [
    rowText(state, numbers), peakText(state, numbers), state.changed ? lampText(state, numbers) : "",
  ].filter(Boolean).join(" "),

  steps: [
    { focus: "scaled", text: (state, numbers) => {
      const p = telling(state, numbers), q = quote(numbers.labels[state.row]);
      return `A linha ${q} compara sua consulta com cada chave e divide por √c. Com ${quote(numbers.labels[p])}, dá ${br(numbers.scaled[state.row][p])}. A máscara ainda não apareceu.`;
    } },
    { focus: "entering", text: (state, numbers) => {
      const { row, order } = state, count = numbers.allowed[row].filter((may) => !may).length;
      const q = quote(numbers.labels[row]), p = telling(state, numbers);
      const key = quote(numbers.labels[p]), score = br(numbers.scaled[row][p]);
      if (!count) return `Nenhuma posição é proibida para ${q}: as pontuações entram no softmax como estão.`;
      const closed = `A máscara proíbe ${plural(count, "posição", "posições")} a ${q}.`;
      if (order === "before") return `${closed} A pontuação de ${key}, ${score}, vira −∞, e e^−∞ é 0 exato.`;
      if (order === "zero") return `${closed} A pontuação de ${key}, ${score}, vira 0, mas e⁰ é 1: ela continua na conta.`;
      return `${closed} Nesta ordem, a máscara ainda espera: ${key} entra no softmax com ${score}.`;
    } },
    { focus: "soft", text: ({ row }, { soft, allowed, labels }) => {
      const total = sum(soft[row]), outside = sum(soft[row].filter((_, p) => !allowed[row][p]));
      return total === 0
        ? `Só entrou −∞ na linha ${quote(labels[row])}: não há o que repartir, e ela sai em zeros.`
        : `O softmax reparte a linha: ${br(total - outside)} com quem é permitido e ${br(outside)} com quem é proibido.`;
    } },
    { focus: "weights", text: (state, numbers) => (state.order === "after" && !isOne(numbers.sums[state.row])
      ? `Agora a máscara multiplica por 0. A linha ${quote(numbers.labels[state.row])} soma ${br(numbers.sums[state.row])}: quem sobrou continua dividido por uma soma que incluía os proibidos.`
      : rowText(state, numbers)) },
    { focus: "moved", text: (state, numbers) => (state.changed
      ? lampText(state, numbers)
      : `A prova não olha para a matriz: marque "mude o último token" e veja se a saída de ${quote(numbers.labels[numbers.first])} percebe.`) },
  ],

  challenges: [
    { goal: "Mude o último token e teste as doze combinações de máscara e ordem: em quais o primeiro token percebe?",
      met: ({ trials }) => Object.keys(trials).length === MASKS.length * ORDERS.length,
      why: "Só a causal com −∞ antes, sozinha ou com a de preenchimento, guarda o segredo. O 0 antes vaza pelo valor; o × 0 depois, pela soma de baixo; sem a causal, o fim da frase está à vista." },
    { goal: "Faça uma linha com alguém a quem atender somar menos que 1.",
      met: (_, { sums, allowed }) => sums.some((total, m) => total < 0.995 && allowed[m].includes(true)),
      why: "O softmax já tinha repartido tudo, proibidos incluídos. Zerar depois apaga a parte deles sem devolvê-la aos outros." },
    { goal: "Escolha uma linha que só atende a si mesma, com peso 1.",
      met: ({ row }, { weights }) => weights[row][row] === 1,
      why: "Quem só pode ver a si não tem com quem repartir: o softmax de um número é 1, e o contexto é o próprio valor, sem mistura." },
  ],

  build,
};
