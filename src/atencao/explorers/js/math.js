// A matemática de atencao.functional, igual até 1e-9: os testes comparam as duas em casos comuns.
// Matrizes são listas de linhas; uma máscara é uma matriz de true (pode atender) e false.

export const zeros = (rows, columns) => Array.from({ length: rows }, () => Array(columns).fill(0));

export const transpose = (matrix) => matrix[0].map((_, column) => matrix.map((row) => row[column]));

// Um laço comum: com 64 tokens e 8 cabeças, é aqui que o tempo passa.
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

export const matmul = (left, right) => {
  const columns = transpose(right);
  return left.map((row) => columns.map((column) => dot(row, column)));
};

export const map = (matrix, change) => matrix.map((row, r) => row.map((x, c) => change(x, r, c)));

// Estável; uma linha só de −∞ (ninguém a quem atender) dá zeros.
export function softmax(row) {
  const peak = Math.max(...row);
  if (peak === -Infinity) return row.map(() => 0);
  const powers = row.map((x) => Math.exp(x - peak));
  const total = powers.reduce((sum, x) => sum + x, 0);
  return powers.map((x) => x / total);
}

export const attentionScores = (query, key) => matmul(query, transpose(key));

export function attentionWeights(query, key, { mask = null, scale = null } = {}) {
  const factor = scale ?? 1 / Math.sqrt(query[0].length);
  const scores = map(attentionScores(query, key), (x, r, c) =>
    mask && !mask[r][c] ? -Infinity : x * factor);
  return scores.map(softmax);
}

export function attention(query, key, value, options = {}) {
  const weights = attentionWeights(query, key, options);
  return { context: matmul(weights, value), weights, scores: attentionScores(query, key) };
}

export const causalMask = (n) =>
  Array.from({ length: n }, (_, m) => Array.from({ length: n }, (_, p) => p <= m));

// (n, h·c) → h matrizes (n, c): a cabeça i leva as colunas de i·c a (i+1)·c − 1.
export function splitHeads(x, heads) {
  const width = x[0].length / heads;
  return Array.from({ length: heads }, (_, i) =>
    x.map((row) => row.slice(i * width, (i + 1) * width)));
}

export const mergeHeads = (heads) => heads[0].map((_, n) => heads.flatMap((head) => head[n]));

// Em nats; 0 · log 0 vale 0.
export const entropy = (weights) =>
  -weights.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);

// Arredonda como no papel: meio sobe, afastando-se de zero.
export const round = (x, digits) => Number(x.toFixed(digits));
