// Sorteios que se repetem: a mesma semente dá os mesmos números aqui e no Python.

// mulberry32: inteiros de 32 bits em números de 0 (inclusive) a 1 (exclusive).
function uniform(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6D2B79F5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Box-Muller: de dois uniformes, dois normais de média 0 e variância 1. Devolve uma função que dá os
// próximos `count` (um número par), sempre na mesma ordem.
export function normalStream(seed) {
  const next = uniform(seed);
  return (count) => {
    const drawn = new Float64Array(count);
    for (let i = 0; i < count; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - next())), angle = 2 * Math.PI * next();
      drawn[i] = radius * Math.cos(angle);
      drawn[i + 1] = radius * Math.sin(angle);
    }
    return drawn;
  };
}

// Os primeiros da semente: o que o Python confere.
export const normals = (seed, count) => Array.from(normalStream(seed)(count));
