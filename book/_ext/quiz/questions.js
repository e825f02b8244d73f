// Os três tipos de pergunta. Cada um lê a sua parte da página, devolve os controles que a substituem e
// sabe julgar uma resposta: judge(value) → { right, said: [nós] }, ou { ask: "texto" } se faltar algo.
// A forma da página foi conferida na construção do livro, por book_quiz.py.

import { h, uniqueId } from "explorers/controls.js";
import { parse } from "explorers/format.js";

const copy = (node) => [...node.cloneNode(true).childNodes];
const paragraph = (...content) => h("p", {}, ...content);
const strong = (node) => node.querySelector("strong")?.textContent ?? "";

function choiceQuestion({ title, list, answer, described }) {
  const comments = [...answer.querySelectorAll(":scope > ol > li")];
  const right = comments.map((comment) => strong(comment) === "Certa.");
  const several = right.filter(Boolean).length > 1;
  const name = uniqueId("pergunta");
  const inputs = [];
  const labels = [...list.children].map((item, i) => {
    const text = item.querySelector("p") ?? item;
    const input = h("input", { type: several ? "checkbox" : "radio", name, value: text.textContent.trim() });
    inputs.push(input);
    return h("label", { class: "quiz-option" }, input, h("span", { class: "quiz-number" }, `${i + 1}.`),
      h("span", {}, ...text.childNodes));
  });
  const node = h("fieldset", { class: "quiz-options", "aria-describedby": described },
    h("legend", {}, h("span", { class: "quiz-voice" }, `${title}: `),
      several ? "Marque todas as certas" : "Escolha uma"),
    ...labels);
  list.replaceWith(node);

  function one(i) {
    const said = h("div", {}, ...copy(comments[i]));
    if (right[i]) said.querySelector("strong").remove(); // o veredito já diz "Certo"
    if (several) (said.querySelector("p") ?? said).prepend(h("strong", {}, `Opção ${i + 1}. `));
    return said;
  }
  return {
    node,
    empty: [],
    value: () => inputs.filter((input) => input.checked).map((input) => input.value),
    show(value) { for (const input of inputs) input.checked = value.includes(input.value); },
    mark(judged) {
      labels.forEach((label, i) => {
        const chosen = judged && inputs[i].checked;
        label.classList.toggle("is-right", Boolean(chosen && right[i]));
        label.classList.toggle("is-wrong", Boolean(chosen && !right[i]));
      });
    },
    judge(value) {
      if (!value.length)
        return { ask: several ? "Marque ao menos uma opção antes de conferir." : "Escolha uma opção antes de conferir." };
      const chosen = inputs.map((input) => value.includes(input.value));
      const wrong = right.flatMap((isRight, i) => chosen[i] && !isRight ? [i] : []);
      const missing = right.filter((isRight, i) => isRight && !chosen[i]).length;
      if (wrong.length) return { right: false, said: wrong.map(one) };
      if (missing)
        return { right: false, said: [paragraph("O que você marcou está certo, mas não é tudo: ",
          missing === 1 ? "falta uma opção." : `faltam ${missing} opções.`)] };
      return { right: true, said: right.flatMap((isRight, i) => isRight ? [one(i)] : []) };
    },
  };
}

function numberQuestion({ title, answer, described }) {
  const [first] = answer.querySelectorAll(":scope > p");
  const written = strong(first);
  const slack = first.textContent.match(/folga de ([\d,]+)/)?.[1];
  const places = (text) => (text.split(/[.,]/)[1] ?? "").length;
  const half = (text) => places(text) ? 0.5 * 10 ** -places(text) : 0;
  const near = (x, target, tolerance) => Math.abs(x - target) <= tolerance + 1e-9;
  const target = parse(written);
  const tolerance = slack ? parse(slack) : half(written);
  const slips = [...answer.querySelectorAll(":scope > ul > li")].map((item) => ({ item, written: strong(item) }));
  const input = h("input", {
    type: "text", inputmode: "decimal", autocomplete: "off", class: "quiz-field", "aria-describedby": described,
  });
  const node = h("label", { class: "quiz-labelled" },
    h("span", {}, h("span", { class: "quiz-voice" }, `${title}: `), "Sua resposta"), input);

  // Por que um número errado tentou: primeiro o que a página prevê, depois o que vale para toda conta.
  function comment(x, given) {
    const slip = slips.find((each) => near(x, parse(each.written), half(each.written)));
    if (slip) return copy(slip.item);
    if (target && near(-x, target, tolerance)) return [paragraph("O tamanho está certo e o sinal, trocado.")];
    if (target && near(x / 100, target, tolerance))
      return [paragraph("Parece a porcentagem do número certo. A pergunta pede o número, não os centésimos dele.")];
    if (x && places(given) < places(written) && near(x, target, 0.5 * 10 ** -places(given)))
      return [paragraph(`Você está no caminho. Com tão poucas casas não dá para saber se a conta está certa: escreva ${places(written)}.`)];
    return [paragraph(`${given} não é, e este engano eu não conheço. `,
      "Refaça a conta por partes, no papel, e compare cada parte com a da resposta dobrada abaixo.")];
  }
  return {
    node,
    empty: "",
    value: () => input.value.trim(),
    show(value) { input.value = value; },
    mark(judged) { judged ? input.setAttribute("aria-invalid", String(!judged.right)) : input.removeAttribute("aria-invalid"); },
    judge(value) {
      if (!value) return { ask: "Escreva um número antes de conferir." };
      const x = parse(value);
      if (Number.isNaN(x)) return { ask: `"${value}" não é um número que eu saiba ler. Escreva como 0,5 ou 0.5.` };
      if (!near(x, target, tolerance)) return { right: false, said: comment(x, value) };
      return { right: true, said: [...answer.querySelectorAll(":scope > p")].map((each) => each.cloneNode(true)) };
    },
  };
}

// Uma explicação só quem a escreveu pode julgar, com a resposta do livro ao lado.
function openQuestion({ title, answer, described }) {
  const text = h("textarea", { rows: 4, class: "quiz-field", "aria-describedby": described });
  const name = uniqueId("pergunta");
  const verdicts = [["sim", "disse o essencial"], ["não", "deixou algo de fora"]].map(([value, label]) => {
    const input = h("input", { type: "radio", name, value });
    return { input, label: h("label", { class: "quiz-option" }, input, h("span", {}, label)) };
  });
  const compare = h("fieldset", { class: "quiz-options" },
    h("legend", {}, h("span", { class: "quiz-voice" }, `${title}: `), "Comparando com a resposta, a sua explicação"),
    ...verdicts.map(({ label }) => label));
  compare.hidden = true;
  const node = h("div", {}, h("label", { class: "quiz-labelled" },
    h("span", {}, h("span", { class: "quiz-voice" }, `${title}: `), "Sua explicação"), text), compare);
  return {
    node,
    empty: {},
    action: () => compare.hidden ? "Comparar com a resposta" : "Anotar",
    value: () => ({ text: text.value.trim(), enough: verdicts.find(({ input }) => input.checked)?.input.value }),
    show(value) {
      text.value = value.text ?? "";
      for (const { input } of verdicts) input.checked = input.value === value.enough;
      compare.hidden = !value.enough;
    },
    mark() {},
    judge({ text: explained, enough }) {
      if (!explained) return { ask: "Escreva a sua explicação, nem que seja curta, antes de comparar." };
      compare.hidden = false;
      if (!enough) {
        answer.open = true;
        return { ask: "A resposta está aberta logo abaixo. Compare, diga acima como a sua se saiu e anote." };
      }
      return { right: enough === "sim", said: [paragraph(enough === "sim"
        ? "Anotado: o essencial está na sua explicação."
        : "Anotado. O que faltou é o que vale reler; depois, escreva de novo com suas palavras.")] };
    },
  };
}

export function makeQuestion(parts) {
  if (parts.list) return choiceQuestion(parts);
  return /^[−-]?\d/.test(strong(parts.answer)) ? numberQuestion(parts) : openQuestion(parts);
}
