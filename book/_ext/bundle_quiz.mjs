// Junta e encolhe o script e o estilo da autoavaliação. Lê {"folder", "explorers", "target"} em JSON;
// devolve null. Com os exploradores ela divide os elementos e os números em português.

import { readFileSync } from "node:fs";
import { build } from "esbuild";

const { folder, explorers, target } = JSON.parse(readFileSync(0, "utf8"));
await build({
  entryPoints: ["quiz.js", "quiz.css"],
  absWorkingDir: folder,
  outdir: target,
  alias: { explorers },
  bundle: true,
  minify: true,
  format: "iife",
  charset: "utf8",
  logLevel: "error",
});
process.stdout.write("null");
