// Cinco produtos: X, as projeções, Q, K, V, Ω, A e C no lugar em que se multiplicam.
// Cada resultado fica no cruzamento: à direita da matriz da esquerda, abaixo da de cima.

import { firstProblem, matrixProblem, oneOf } from "./check.js";
import { focusable, h, numberField } from "./controls.js";
import { br } from "./format.js";
import { attention, matmul } from "./math.js";

const LIMIT = 10;
const FLASH_MS = 700;
const SIZES = { n: [3, 6], d: [1, 8], c: [1, 4] };
const PROJECTIONS = ["W_query", "W_key", "W_value"];
const RESULTS = ["query", "key", "value", "scores", "weights", "context"];
const MATRICES = {
  X: { symbol: "X", axes: "nd", is: "embeddings" },
  W_query: { symbol: "Wq", axes: "dc", role: "query", is: "projeção das consultas" },
  W_key: { symbol: "Wk", axes: "dc", role: "key", is: "projeção das chaves" },
  W_value: { symbol: "Wv", axes: "dc", role: "value", is: "projeção dos valores" },
  query: { symbol: "Q", axes: "nc", role: "query", is: "consultas", from: ["X", "W_query"] },
  key: { symbol: "K", axes: "nc", role: "key", is: "chaves", from: ["X", "W_key"] },
  value: { symbol: "V", axes: "nc", role: "value", is: "valores", from: ["X", "W_value"] },
  scores: { symbol: "Ω", axes: "nn", is: "pontuações", from: ["query", "key"] },
  weights: { symbol: "A", axes: "nn", role: "weights", is: "pesos" },
  context: { symbol: "C", axes: "nc", role: "context", is: "contextos", from: ["weights", "value"] },
};
// A ordem das contas; "flip" é a transposição de K.
const ORDER = ["given", "query", "key", "value", "flip", "scores", "weights", "context"];
const PRODUCTS = ["query", "key", "value", "scores", "context"];

const sizes = ({ tokens, X, W_query: projection }) =>
  ({ n: tokens.length, d: X[0].length, c: projection[0].length });

function derive(state) {
  const [query, key, value] = PROJECTIONS.map((name) => matmul(state.X, state[name]));
  return { query, key, value, ...attention(query, key, value) };
}

// Dois algarismos depois da vírgula, enquanto couberem na casa.
function fit(x) {
  const size = Math.abs(x);
  if (size >= 1e5) return x.toExponential(1).replace("-", "−").replace(".", ",");
  return br(x, size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}
const signed = (x, digits, inside) => (inside && x < 0 ? `(${br(x, digits)})` : br(x, digits));
const vector = (row, digits = 2) => `[${row.map((x) => br(x, digits)).join("; ")}]`;
const listed = (names) => names.join(", ").replace(/, ([^,]*)$/, " e $1");
const symbolsOf = (names) => listed(names.map((name) => MATRICES[name].symbol));
const largest = (row) => row.indexOf(Math.max(...row));
const rowOf = ({ cell, tokens }) => [cell[1], tokens[cell[1]]];

function multiplications(size, name) {
  const { axes, from } = MATRICES[name];
  return size[axes[0]] * size[axes[1]] * size[MATRICES[from[0]].axes[1]];
}

const header = (tokens, axis, index) => (axis === "n" ? tokens[index] : String(index + 1));
const address = (tokens, name, row, column) =>
  `linha ${header(tokens, MATRICES[name].axes[0], row)}, coluna ${header(tokens, MATRICES[name].axes[1], column)}`;
const cellName = ({ tokens }, [name, row, column]) =>
  `${MATRICES[name].symbol}, ${address(tokens, name, row, column)}`;

// Os pares que uma casa de produto soma: [número da linha, número da coluna], termo a termo.
function terms(state, numbers, [name, row, column]) {
  const [left, top] = MATRICES[name].from.map((part) => numbers[part] ?? state[part]);
  return left[row].map((x, i) => [x, name === "scores" ? top[column][i] : top[i][column]]);
}

// A conta de uma casa em texto corrido, para a voz.
function sumText(state, numbers, cell) {
  const [name, row, column] = cell;
  const result = br(numbers[name][row][column], 4);
  if (name === "weights") return `${cellName(state, cell)}: o softmax da linha dá ${result}.`;
  const digits = name === "context" ? 4 : 2;
  const sum = terms(state, numbers, cell).map(([a, b]) => `${br(a, digits)} vezes ${br(b)}`).join(" mais ");
  return `${cellName(state, cell)}: ${sum} é ${result}.`;
}

const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// As setas levam de uma casa à vizinha; em cada matriz, o Tab para numa casa só.
function roving(nodes) {
  const rest = (node) => nodes.flat().forEach((other) => { other.tabIndex = other === node ? 0 : -1; });
  nodes.forEach((line, row) => line.forEach((node, column) => {
    node.addEventListener("focus", () => rest(node));
    node.addEventListener("keydown", (event) => {
      const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      // Quem está no meio de um número anda dentro dele.
      const caret = node.selectionStart;
      const inside = move[1] && node.matches("input") && (move[1] < 0 ? caret > 0 : node.selectionEnd < node.value.length);
      if (inside) return;
      event.preventDefault();
      event.stopPropagation();
      nodes[row + move[0]]?.[column + move[1]]?.focus();
    });
  }));
  rest(nodes[0][0]);
  return rest;
}

function build({ set, refuse, state }) {
  const stage = h("div", { class: "five-stage" });
  const counter = h("p", { class: "five-counter" });
  const sumName = h("p", { class: "five-sum-name" });
  const sumLine = h("p", { class: "five-sum-line" });
  const note = h("p", { class: "explorer-note five-note", "aria-live": "polite" });
  let views = [];
  let laid = "";
  let before = null;   // { state, numbers } da pintura anterior: é com eles que se vê o que mudou
  let marks = {};      // por resultado, quais casas a última edição mudou
  let flash = 0;
  let lastFocus = null;
  let byStep = false;  // o passo escolhe a casa até que o leitor escolha outra

  const choose = (cell) => {
    if (!made(cell[0]) || (!byStep && String(cell) === String(state().cell))) return;
    byStep = false;
    set({ cell });
  };

  function edit(name, row, column, x) {
    set({ [name]: state()[name].map((line, r) => (r === row ? line.map((old, c) => (c === column ? x : old)) : line)) });
  }

  // ---------- as matrizes ----------
  const symbol = (name, flip) => {
    const text = MATRICES[name].symbol;
    if (flip) return [text, h("sup", {}, "T")];
    return text.length > 1 ? [text[0], h("sub", {}, text[1])] : [text];
  };

  // copy: a mesma matriz outra vez, onde entra em outra conta; só os números, sem parada de Tab.
  function matrixView(name, { flip = false, copy = false, tokens = false, below = false, narrow = false } = {}) {
    const size = sizes(state());
    const { axes, role, is, from } = MATRICES[name];
    const given = !from && name !== "weights";
    const names = state().tokens;
    const [rowAxis, columnAxis] = flip ? [axes[1], axes[0]] : axes;
    const [rows, columns] = [size[rowAxis], size[columnAxis]];
    const fields = [];
    const cells = Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => {
      const [row, column] = flip ? [c, r] : [r, c];
      if (given) {
        const field = numberField({
          label: `${MATRICES[name].symbol}, ${address(names, name, row, column)}`,
          change: (x) => edit(name, row, column, x), refuse,
        });
        field.node.addEventListener("focus", () => field.node.select());
        fields.push({ ...field, row, column });
        return h("td", {}, field.node);
      }
      const cell = h("td", { ...(copy ? {} : focusable), onclick: () => choose([name, row, column]) });
      if (!copy) cell.addEventListener("focus", () => choose([name, row, column]));
      return cell;
    }));
    const rest = given ? roving(cells.map((line) => line.map((cell) => cell.firstChild)))
      : copy ? null : roving(cells);
    const grid = h("table", {
      class: "five-grid", role: copy ? null : "grid",
      "aria-label": `${MATRICES[name].symbol}, ${is}, ${rows} por ${columns}`,
    }, h("tbody", {}, ...cells.map((line) => h("tr", {}, ...line))));
    const rowNames = tokens ? h("div", { class: "five-tokens", "aria-hidden": "true" },
      ...names.map((token) => h("span", { title: token }, token))) : null;
    const node = h("div", {
      class: `five-matrix${role ? ` five-${role}` : ""}${below ? " is-below" : ""}${narrow ? " is-narrow" : ""}${given ? " is-given" : ""}`,
      "aria-hidden": copy ? "true" : null,
    },
    h("div", { class: "five-name" }, ...symbol(name, flip)),
    h("div", { class: "five-columns" }, `${columnAxis} = ${columns}`),
    h("div", { class: "five-rows" }, `${rowAxis} = ${rows}`),
    rowNames, grid);
    return { name, flip, copy, given, node, cells, fields, rest };
  }

  function product(steps, left, top, result, { corner = null, extra = "" } = {}) {
    views.push(left, top, result);
    return h("div", { class: `five-product ${extra}`, "data-steps": steps },
      h("div", { class: "five-corner" }, corner), left.node, top.node, result.node);
  }

  function lay() {
    views = [];
    const { c } = sizes(state());
    const x = (options) => matrixView("X", { tokens: true, below: true, ...options });
    const below = { below: true };
    const arrow = h("div", { class: "five-arrow", "data-steps": "weights" },
      h("span", {}, `÷ √${c}`), h("span", {}, "softmax"), h("span", { class: "five-arrow-line", "aria-hidden": "true" }));
    const shared = { extra: "is-shared" };
    stage.replaceChildren(
      h("div", { class: "five-tier" },
        product("given query", x(), matrixView("W_query"), matrixView("query", below), { corner: counter }),
        product("given key", x({ narrow: true }), matrixView("W_key"), matrixView("key", below), shared),
        product("given value", x({ narrow: true }), matrixView("W_value"), matrixView("value", below), shared)),
      h("div", { class: "five-tier" },
        product("flip scores", matrixView("query", { copy: true, tokens: true, below: true }),
          matrixView("key", { copy: true, flip: true }), matrixView("scores", below)),
        arrow,
        product("weights context", matrixView("weights", { tokens: true, below: true }),
          matrixView("value", { copy: true }), matrixView("context", below), { extra: "is-last" })));
  }

  // ---------- a conta da casa escolhida ----------
  const span = (text, role) => h("span", role ? { class: `five-${role}` } : {}, text);

  function explain(current, numbers, cell, flipping) {
    const { tokens } = current;
    const [name, row, column] = cell;
    const { role } = MATRICES[name];
    const x = numbers[name][row][column];
    if (flipping) {
      const place = `linha ${column + 1}, coluna ${tokens[row]}`;
      sumName.replaceChildren(`Kᵀ, ${place}`, span(" · Kᵀ (c, n) é K (n, c) virada"));
      sumLine.replaceChildren(span(`a mesma casa de K, ${address(tokens, "key", row, column)}: `),
        h("strong", { class: "five-key" }, fit(x)));
      return;
    }
    const shape = (part, flip) => {
      const [a, b] = MATRICES[part].axes;
      return `${MATRICES[part].symbol}${flip ? "ᵀ" : ""}\u00a0(${flip ? `${b},\u00a0${a}` : `${a},\u00a0${b}`})`;
    };
    const result = h("strong", role ? { class: `five-${role}` } : {}, br(x, name === "weights" || name === "context" ? 4 : 2));
    if (name === "weights") {
      sumName.replaceChildren(cellName(current, cell), span(" · softmax da linha de Ω/√c, (n, n) → (n, n)"));
      const { c } = sizes(current);
      const powers = numbers.scores[row].map((score) => Math.exp(score / Math.sqrt(c)));
      const total = powers.reduce((sum, power) => sum + power, 0);
      const power = (score) => [h("span", { class: "five-term" }, "e", h("sup", {}, `${fit(score)}/√${c}`))];
      const sum = numbers.scores[row].flatMap((score, i) => [...(i ? [" + "] : []), ...power(score)]);
      // Fora desta faixa, os números intermediários não cabem na linha.
      const middle = total < 1e5 && Math.min(...powers) > 0.005
        ? [`${br(powers[column])} ÷ ${br(total)} = `] : [];
      sumLine.replaceChildren(...power(numbers.scores[row][column]), " ÷ (", ...sum, ") = ", ...middle, result);
      return;
    }
    const [left, top] = MATRICES[name].from;
    sumName.replaceChildren(cellName(current, cell),
      span(` · ${shape(left)} · ${shape(top, name === "scores")} → ${shape(name)}`));
    const digits = name === "context" ? 4 : 2;
    sumLine.replaceChildren(...terms(current, numbers, cell).flatMap(([a, b], i) => [
      ...(i ? [" + "] : []),
      h("span", { class: "five-term" }, span(signed(a, digits, i > 0), MATRICES[left].role), " · ",
        span(signed(b, 2, true), MATRICES[top].role)),
    ]), " = ", result);
  }

  // As linhas e colunas que fazem a casa: { nome: { row } ou { column } }.
  function makers([name, row, column], flipping) {
    if (flipping) return { key: { row } };
    if (name === "weights") return { scores: { row } };
    const [left, top] = MATRICES[name].from;
    return { [left]: { row }, [top]: name === "scores" ? { row: column } : { column } };
  }

  // ---------- o que mudou ----------
  function compare(current, numbers) {
    const same = (a, b) => Math.abs(a - b) <= 1e-9;
    marks = Object.fromEntries(RESULTS.map((name) =>
      [name, numbers[name].map((line, r) => line.map((x, c) => !same(x, before.numbers[name][r][c])))]));
    const names = RESULTS.filter((name) => marks[name].flat().includes(true));
    const kept = RESULTS.filter((name) => !names.includes(name));
    // Uma classe no palco, e não uma animação por casa, que custaria mais que a atenção inteira.
    stage.classList.add("is-flashing");
    clearTimeout(flash);
    flash = setTimeout(() => stage.classList.remove("is-flashing"), FLASH_MS);
    if (!names.length) note.textContent = "Nada mudou nos resultados: a entrada trocada só encontra zeros.";
    else {
      note.textContent = `${names.length > 1 ? "Mudaram" : "Mudou"}: ${symbolsOf(names)}.`
        + (kept.length ? ` Não ${kept.length > 1 ? "mudaram" : "mudou"}: ${symbolsOf(kept)}.` : "");
    }
  }

  let done = ORDER;
  const made = (name) => done.includes(name);

  function update(current, numbers, focus) {
    const signature = JSON.stringify([current.tokens, sizes(current)]);
    if (signature !== laid) {
      laid = signature;
      before = null;
      marks = {};
      note.textContent = "Mude um número de X, Wq, Wk ou Wv e veja aqui até onde ele chega.";
      lay();
    }
    const given = ({ X, W_query: q, W_key: k, W_value: v }) => JSON.stringify([X, q, k, v]);
    if (before && given(before.state) !== given(current)) compare(current, numbers);
    if (before && String(before.state.cell) !== String(current.cell)) byStep = false;
    before = { state: current, numbers };

    done = focus ? ORDER.slice(0, ORDER.indexOf(focus) + 1) : ORDER;
    if (focus !== lastFocus) byStep = true;
    lastFocus = focus;
    const flipping = byStep && focus === "flip";
    const cell = shownCell(current, focus);
    paintCounter(current);
    if (cell) explain(current, numbers, cell, flipping);
    else {
      sumName.textContent = "Nenhum resultado ainda";
      sumLine.textContent = "As quatro matrizes cheias são as dadas; as vazias serão calculadas.";
    }
    const lit = cell ? makers(cell, flipping) : {};
    for (const view of views) paint(view, current, numbers, { cell, lit, focus, flipping });
    paintScene(focus);
  }

  // No passo a passo, a casa à vista é a da matriz do passo; a linha e a coluna seguem a escolha.
  function shownCell(current, focus) {
    const [name, row, column] = current.cell;
    if (!focus || (!byStep && made(name))) return current.cell;
    if (focus === "given") return null;
    const wanted = focus === "flip" ? "key" : focus;
    return [wanted, row, Math.min(column, sizes(current)[MATRICES[wanted].axes[1]] - 1)];
  }

  function paintCounter(current) {
    const products = PRODUCTS.filter(made);
    const total = products.reduce((sum, name) => sum + multiplications(sizes(current), name), 0);
    const line = (label, number) => [h("span", {}, label), h("strong", {}, String(number))];
    counter.replaceChildren(...line("produtos", products.length),
      ...line("transposições", made("flip") ? 1 : 0), ...line("multiplicações", total));
  }

  // Em tela estreita as contas ficam uma sob a outra; no passo a passo, só a do passo aparece.
  function paintScene(focus) {
    stage.classList.toggle("is-stepping", Boolean(focus));
    for (const node of stage.querySelectorAll(".five-product, .five-arrow")) {
      node.classList.toggle("is-now", node.dataset.steps.split(" ").includes(focus));
    }
  }

  function paint(view, current, numbers, { cell, lit, focus, flipping }) {
    const { name, flip, copy, cells } = view;
    if (view.given) {
      for (const field of view.fields) field.show(current[name][field.row][field.column]);
    }
    const ready = view.given || (flip ? made("flip") : made(name));
    const isFocus = flip ? focus === "flip" : name === focus && !copy;
    view.node.classList.toggle("is-empty", !ready);
    view.node.classList.toggle("is-focus", isFocus);
    cells.forEach((line, r) => line.forEach((node, c) => {
      const [row, column] = flip ? [c, r] : [r, c];
      const isChosen = Boolean(cell) && cell[0] === name && cell[1] === row && cell[2] === column;
      const inRow = ready && lit[name]?.row === row;
      const inColumn = ready && lit[name]?.column === column;
      // Uma linha de K é uma coluna de Kᵀ.
      node.classList.toggle("is-row", flip ? inColumn : inRow);
      node.classList.toggle("is-column", flip ? inRow : inColumn);
      node.classList.toggle("is-chosen", isChosen && (!copy || flipping));
      if (view.given) return;
      const text = ready ? fit(numbers[name][row][column]) : "";
      write(node, text);
      const isChanged = ready && marks[name]?.[row][column];
      node.classList.toggle("is-changed", Boolean(isChanged));
      if (copy) return;
      node.setAttribute("aria-label", `${cellName(current, [name, row, column])}: ${text || "ainda não calculada"}`);
      node.setAttribute("aria-selected", String(isChosen));
      if (!ready) node.removeAttribute("tabindex");
    }));
    if (!view.rest || view.given || !ready) return;
    const [row, column] = cell?.[0] === name ? cell.slice(1) : [0, 0];
    const resting = cells.flat().find((node) => node.tabIndex === 0);
    if (!resting || cell?.[0] === name) view.rest(cells[row][column]);
  }

  return {
    picture: stage,
    panel: h("div", { class: "five-sum" }, sumName, sumLine, note),
    update,
  };
}

function problem(state) {
  const { tokens, X, cell } = state;
  if (!Array.isArray(tokens) || !tokens.every((token) => typeof token === "string"))
    return "tokens precisa ser uma lista de textos.";
  const first = (matrix) => (Array.isArray(matrix) && Array.isArray(matrix[0]) ? matrix[0].length : 0);
  const size = { n: tokens.length, d: first(X), c: first(state.W_query) };
  const wrongSize = Object.entries(SIZES).map(([name, [low, high]]) =>
    (size[name] >= low && size[name] <= high ? "" : `${name} vai de ${low} a ${high} e aqui é ${size[name]}.`));
  const shapes = ["X", ...PROJECTIONS].map((name) => {
    const [rows, columns] = MATRICES[name].axes;
    return matrixProblem(state[name], MATRICES[name].symbol, size[rows], size[columns]);
  });
  const early = firstProblem(...wrongSize, ...shapes);
  if (early) return early;
  const far = ["X", ...PROJECTIONS].find((name) => state[name].flat().some((x) => Math.abs(x) > LIMIT));
  if (far) return `as entradas de ${MATRICES[far].symbol} vão de −${LIMIT} a ${LIMIT}.`;
  if (!Array.isArray(cell) || cell.length !== 3) return "cell precisa ser [matriz, linha, coluna].";
  const [name, row, column] = cell;
  const wrongName = oneOf(name, "a matriz de cell", RESULTS);
  if (wrongName) return wrongName;
  const inside = (index, count) => Number.isInteger(index) && index >= 0 && index < count;
  return inside(row, size.n) && inside(column, size[MATRICES[name].axes[1]])
    ? "" : `cell aponta para uma casa que ${MATRICES[name].symbol} não tem.`;
}

const near = (a, b, tolerance) => a.every((x, i) => Math.abs(x - b[i]) < tolerance);

const shapes = (size, ...axes) => axes.map(([a, b]) => `(${size[a]},\u00a0${size[b]})`);

export default {
  kind: "five-products",
  title: "Cinco produtos e uma transposição",
  hint: "Digite outro número em X, Wq, Wk ou Wv. Escolha uma casa de um resultado para ver de onde ela veio.",
  fields: ["tokens", "X", ...PROJECTIONS, "cell"],
  problem,
  derive,
  summary: (state, numbers) => sumText(state, numbers, state.cell),

  steps: [
    { focus: "given", text: (state) => {
      const { n, d, c } = sizes(state);
      return `Quatro matrizes são dadas: X, ${n} × ${d}, com uma linha por token, e as três projeções, ${d} × ${c}. Todo o resto sai delas.`;
    } },
    { focus: "query", text: (state, { query }) => {
      const [a, b, result] = shapes(sizes(state), "nd", "dc", "nc");
      const [m, token] = rowOf(state);
      return `Primeiro produto, Q = X·Wq: ${a} · ${b} dá ${result}. A linha de ${token} é a consulta dele, ${vector(query[m])}.`;
    } },
    { focus: "key", text: (state, { key }) => {
      const [m, token] = rowOf(state);
      return `Segundo produto, K = X·Wk, com as mesmas formas. A linha de ${token} é a chave dele, ${vector(key[m])}.`;
    } },
    { focus: "value", text: (state, { value }) => {
      const [m, token] = rowOf(state);
      return `Terceiro produto, V = X·Wv. A linha de ${token} é o valor que ele tem para entregar, ${vector(value[m])}.`;
    } },
    { focus: "flip", text: (state, { key }) => {
      const [before, after] = shapes(sizes(state), "nc", "cn");
      const [m, token] = rowOf(state);
      return `A única transposição: K, ${before}, vira Kᵀ, ${after}. A chave de ${token}, ${vector(key[m])}, era linha e agora é coluna; nada foi multiplicado.`;
    } },
    { focus: "scores", text: (state, { scores }) => {
      const [a, b, result] = shapes(sizes(state), "nc", "cn", "nn");
      const [m, token] = rowOf(state);
      const p = largest(scores[m]);
      return `Quarto produto, Ω = Q·Kᵀ: ${a} · ${b} dá ${result}. A maior pontuação da linha de ${token} é com a chave de ${state.tokens[p]}: ${br(scores[m][p])}.`;
    } },
    { focus: "weights", text: (state, { weights }) => {
      const { c } = sizes(state);
      const [m, token] = rowOf(state);
      return `Nenhum produto aqui: cada linha de Ω é dividida por √${c} e passa pelo softmax. A linha de ${token} vira ${vector(weights[m], 4)}, que soma 1.`;
    } },
    { focus: "context", text: (state, { context }) => {
      const size = sizes(state);
      const [m, token] = rowOf(state);
      const total = PRODUCTS.reduce((sum, name) => sum + multiplications(size, name), 0);
      return `Quinto produto, C = A·V: o contexto de ${token} é a média dos valores com esses pesos, ${vector(context[m], 4)}. Ao todo, 5 produtos, 1 transposição e ${total} multiplicações.`;
    } },
  ],

  challenges: [
    { goal: "Faça de A quase a identidade: cada token com pelo menos 0,95 de peso em si mesmo.",
      met: (_, { weights }) => weights.every((row, m) => row[m] >= 0.95),
      why: "Cada consulta casa com a própria chave e com nenhuma outra. Com A ≈ I, C ≈ V: ninguém ouve ninguém, e dois dos cinco produtos foram à toa." },
    { goal: "Faça o contexto do token 3 igual ao valor do token 1 (a menos de 0,01), com os valores dos tokens todos diferentes.",
      met: (_, { value, context }) => near(context[2], value[0], 0.01)
        && value.every((row, m) => value.slice(m + 1).every((other) => !near(row, other, 0.1))),
      why: "A linha 3 de C é uma média dos valores. Ela só chega ao valor do token 1 com quase todo o peso nele, ou quando os outros valores se compensam." },
    { goal: "Dê pesos iguais a uma linha inteira de A.",
      met: (_, { weights }) => weights.some((row) => Math.max(...row) - Math.min(...row) < 0.003),
      why: "O softmax devolve 1/n quando as pontuações da linha empatam: a consulta não distingue uma chave da outra. O contexto vira a média simples dos valores." },
  ],

  build,
};
