// A página estática: acha cada explorador de um tipo, lê o estado guardado no HTML e o põe de pé, sem
// núcleo. Cada tipo tem o seu pacote, em pages/: o leitor só baixa o que a página usa.

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

function wakeAll(explorer) {
  for (const place of document.querySelectorAll(`[data-atencao-explorer="${explorer.kind}"]`)) {
    const data = place.querySelector('script[type="application/json"]');
    const home = document.createElement("div");
    mount(explorer, tinyModel(JSON.parse(data.textContent)), home);
    // A tabela continua na página para a impressão; o CSS a esconde na tela.
    place.classList.add("is-awake");
    place.prepend(home);
  }
  performance.mark("explorador-pronto");
}

export function wake(explorer) {
  if (document.readyState !== "loading") wakeAll(explorer);
  else document.addEventListener("DOMContentLoaded", () => wakeAll(explorer));
}
