// Junta e encolhe folhas de estilo. Lê {"folder", "styles", "target"} em JSON; devolve null.

import { readFileSync } from "node:fs";
import { build } from "esbuild";

const { folder, styles, target } = JSON.parse(readFileSync(0, "utf8"));
await build({
  stdin: { contents: styles.map((name) => `@import "./${name}";`).join("\n"), loader: "css", resolveDir: folder },
  absWorkingDir: folder,
  outfile: target,
  bundle: true,
  minify: true,
  charset: "utf8",
  logLevel: "error",
  loader: { ".woff2": "file", ".svg": "dataurl", ".png": "dataurl" },
  external: ["*.woff", "*.ttf"], // o woff2 vem antes, e todo navegador de hoje o lê
});
process.stdout.write("null");
