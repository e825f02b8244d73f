// A página estática: acha cada explorador, lê o estado guardado no HTML e o põe de pé, sem núcleo.

import { EXPLORERS } from "./index.js";
import { mount } from "./shell.js";

function tinyModel(state) {
  const listeners = new Map();
  return {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => {},
    on: (event, listener) => listeners.set(listener, event),
    off: (event, listener) => listeners.delete(listener),
  };
}

function wake() {
  for (const place of document.querySelectorAll("[data-atencao-explorer]")) {
    const data = place.querySelector('script[type="application/json"]');
    const explorer = EXPLORERS[place.dataset.atencaoExplorer];
    const home = document.createElement("div");
    mount(explorer, tinyModel(JSON.parse(data.textContent)), home);
    // A tabela continua na página para a impressão; o CSS a esconde na tela.
    place.classList.add("is-awake");
    place.prepend(home);
  }
  performance.mark("explorador-pronto");
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", wake);
else wake();
