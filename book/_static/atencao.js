// O botão de copiar só fala as línguas que traz consigo; estas são as palavras dele em português.
Object.assign(messages[locale], {
  copy: "Copiar",
  copy_to_clipboard: "Copiar",
  copy_success: "Copiado",
  copy_failure: "Não foi possível copiar",
});
iconCheck = iconCheck.replace(/<title>.*<\/title>/, "<title>Copiado</title>");

document.addEventListener("DOMContentLoaded", () => {
  // Um menu aberto se fecha com Esc ou quando se clica fora dele.
  for (const menu of document.querySelectorAll(".tool-menu")) {
    document.addEventListener("click", (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }
});

// Uma fórmula larga rola dentro da própria caixa; o teclado precisa alcançá-la.
addEventListener("load", () => {
  for (const formula of document.querySelectorAll("div.math")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  }
});

// As figuras longe da tela esperam; numa conexão boa, vêm logo depois da página.
addEventListener("load", () => {
  const line = navigator.connection;
  if (line?.saveData || /[23]g/.test(line?.effectiveType)) return;
  for (const picture of document.images) picture.loading = "eager";
});

// No papel não há onde clicar: o que está dobrado se abre, e volta a se dobrar depois.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("article details:not([open])")) {
    fold.open = true;
    fold.dataset.folded = "";
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("article details[data-folded]")) {
    fold.open = false;
    delete fold.dataset.folded;
  }
});
