// Peças que todos os exploradores usam: elementos, números editáveis, escolhas, deslizantes.
// data-lm-suppress-shortcuts impede que o JupyterLab roube as setas de quem está num controle.

import { br, parse } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
let count = 0;

export const uniqueId = (name) => `explorador-${name}-${++count}`;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const focusable = { "data-lm-suppress-shortcuts": "true" };

export const button = (label, onclick, attributes = {}) =>
  h("button", { type: "button", ...focusable, ...attributes, onclick }, label);

// Um número que se digita, com vírgula ou ponto. O que não for número é recusado com `refuse`.
export function numberField({ label, digits = 2, change, refuse }) {
  const input = h("input", {
    ...focusable, class: "explorer-number", type: "text", inputmode: "decimal",
    autocomplete: "off", "aria-label": label,
  });
  let shown = 0;
  const show = (x) => {
    shown = x;
    if (document.activeElement !== input) input.value = br(x, digits);
  };
  input.addEventListener("change", () => {
    const x = parse(input.value);
    if (Number.isNaN(x)) refuse(`"${input.value}" não é um número; ${label} continua ${br(shown, digits)}.`);
    else change(x);
    input.value = br(shown, digits);
  });
  // Enquanto alguém digita, o número não se troca por baixo; ao sair, aparece o que vale.
  input.addEventListener("blur", () => { input.value = br(shown, digits); });
  return { node: input, show };
}

// Uma escolha entre poucas: um grupo de botões de rádio com nome. options: [[valor, rótulo], …]
export function choice({ label, options, change }) {
  const name = uniqueId("escolha");
  const inputs = options.map(([value]) =>
    h("input", { ...focusable, type: "radio", name, value: String(value), onchange: () => change(value) }));
  const node = h("fieldset", { class: "explorer-choice" }, h("legend", {}, label),
    ...options.map(([, text], i) => h("label", {}, inputs[i], h("span", {}, text))));
  const show = (value) => inputs.forEach((input, i) => { input.checked = options[i][0] === value; });
  return { node, show };
}

// Um deslizante com rótulo e valor escrito. `text` diz o valor como se lê.
export function slider({ label, min, max, step, change, text = (x) => br(x) }) {
  const id = uniqueId("deslizante");
  const input = h("input", {
    ...focusable, id, type: "range", min, max, step, oninput: () => change(Number(input.value)),
  });
  const output = h("output", { for: id });
  const node = h("div", { class: "explorer-slider" }, h("label", { for: id }, label), input, output);
  const show = (x) => {
    input.value = x;
    input.setAttribute("aria-valuetext", text(x));
    output.textContent = text(x);
  };
  return { node, show };
}

export function toggle({ label, change }) {
  const input = h("input", { ...focusable, type: "checkbox", onchange: () => change(input.checked) });
  const node = h("label", { class: "explorer-toggle" }, input, h("span", {}, label));
  return { node, show: (value) => { input.checked = value; } };
}

// Uma tabela de números. rows: [{ label, cells: [texto ou nó], class }]; a primeira coluna é cabeçalho.
export function table({ caption, head, rows }) {
  return h("table", { class: "explorer-table" },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows.map((row) =>
      h("tr", { class: row.class }, h("th", { scope: "row" }, row.label),
        ...row.cells.map((cell) => h("td", {}, cell))))));
}

// O que for largo demais rola dentro da própria caixa, que o teclado alcança.
export const scroll = (content) => h("div", {
  ...focusable, class: "explorer-scroll", tabindex: 0, role: "region",
  "aria-label": content.querySelector("caption")?.textContent ?? "área que rola",
}, content);

// Um ponto do plano que se arrasta (ponteiro, toque) ou se empurra com as setas.
// place(x, y) recebe coordenadas do plano; toPlane converte as do ponteiro. Onde dois pontos se cobrem,
// nearest diz qual deles o ponteiro pegou.
export function draggable(node, { position, toPlane, place, nearest = () => node, step = 0.05 }) {
  node.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const taken = nearest(event);
    taken.setPointerCapture(event.pointerId);
    taken.focus();
  });
  node.addEventListener("pointermove", (event) => {
    if (node.hasPointerCapture(event.pointerId)) place(...toPlane(event));
  });
  node.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = position();
    place(x + move[0] * step, y + move[1] * step);
  });
}
