// O andamento mora no navegador de quem lê e em nenhum outro lugar. Numa aba privada, ou onde o
// navegador não deixa guardar, vale enquanto a página estiver aberta.

const KEY = "atencao-perguntas";

function permitted() {
  try {
    localStorage.setItem(`${KEY}-teste`, "");
    localStorage.removeItem(`${KEY}-teste`);
    return true;
  } catch {
    return false;
  }
}

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return found && typeof found === "object" ? found : {};
  } catch {
    return {}; // algo que não escrevemos, ou que se estragou
  }
}

export function openStorage() {
  const lasting = permitted();
  let entries = lasting ? kept() : {};
  return {
    lasting,
    get: (id) => entries[id],
    set(id, entry) {
      entries[id] = entry;
      try {
        if (lasting) localStorage.setItem(KEY, JSON.stringify(entries));
      } catch {
        // Cheio: o que foi respondido agora continua na página.
      }
    },
    clear() {
      entries = {};
      if (lasting) localStorage.removeItem(KEY);
    },
  };
}
