// Roda funções dos exploradores sem navegador: lê casos em JSON e devolve resultados em JSON.
// {"module": "math.js", "calls": [["softmax", [1, 2]], …]} → [[…], …]; −∞ viaja como "-inf".

import { readFileSync } from "node:fs";

const revive = (_, value) => (value === "-inf" ? -Infinity : value);
const flatten = (_, value) => (value === -Infinity ? "-inf" : value);

const { module, calls } = JSON.parse(readFileSync(0, "utf8"), revive);
const functions = await import(new URL(`../src/atencao/explorers/js/${module}`, import.meta.url));
const results = calls.map(([name, ...args]) => functions[name](...args));
process.stdout.write(JSON.stringify(results, flatten));
