// Números como se escrevem em português: vírgula decimal e sinal de menos de verdade.

export function br(x, digits = 2) {
  if (x === -Infinity) return "−∞";
  const rounded = Number(x.toFixed(digits)) + 0;
  return rounded.toFixed(digits).replace("-", "−").replace(".", ",");
}

// Lê "0,5", "0.5" ou "−0,5"; devolve NaN para o que não for um número finito.
export function parse(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  const x = plain === "" ? NaN : Number(plain);
  return Number.isFinite(x) ? x : NaN;
}
