// Lê [[LaTeX, em destaque?], …] em JSON e devolve [HTML, …], com MathML dentro.

import { readFileSync } from "node:fs";
import katex from "katex";

const formulas = JSON.parse(readFileSync(0, "utf8"));
const drawn = formulas.map(([latex, displayMode]) =>
  katex.renderToString(latex, { displayMode, strict: false, throwOnError: true }));
process.stdout.write(JSON.stringify(drawn));
