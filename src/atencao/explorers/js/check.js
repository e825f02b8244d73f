// Conferências de estado que todos usam. Cada uma devolve "" ou o que está errado e como consertar.

export function matrixProblem(value, name, rows, columns) {
  if (!Array.isArray(value) || value.length !== rows)
    return `${name} precisa de ${rows} linhas.`;
  for (const [r, row] of value.entries()) {
    if (!Array.isArray(row) || row.length !== columns)
      return `a linha ${r + 1} de ${name} precisa de ${columns} números.`;
    if (!row.every(Number.isFinite))
      return `a linha ${r + 1} de ${name} tem algo que não é número finito.`;
  }
  return "";
}

export const vectorProblem = (value, name, size) =>
  matrixProblem([value], name, 1, size).replace(`a linha 1 de ${name}`, name);

export const firstProblem = (...problems) => problems.find((problem) => problem) ?? "";

export const oneOf = (value, name, allowed) =>
  allowed.includes(value) ? "" : `${name} precisa ser um de: ${allowed.join(", ")}.`;

export const integerProblem = (value, name, low, high) =>
  Number.isInteger(value) && value >= low && value <= high
    ? "" : `${name} precisa ser um inteiro de ${low} a ${high}.`;
