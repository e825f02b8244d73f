// A busca não distingue acentos: cada termo do índice responde também sem eles.
{
  const plain = (term) => term.normalize("NFD").replace(/\p{M}/gu, "");
  for (const terms of [Search._index.terms, Search._index.titleterms]) {
    for (const [term, pages] of Object.entries(terms)) {
      if (plain(term) === term) continue;
      terms[plain(term)] = [...new Set([terms[plain(term)] ?? [], pages].flat())];
    }
  }
}

// Aberta de uma pasta, a página não pode ler as outras: a lista sai sem os trechos.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
