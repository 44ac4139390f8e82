// Which vertices of a mesh are at one place, and which of its triangles share an edge.

/**
 * For each row of `size` numbers the first row that is the same after rounding to multiples of `step`. With `within`,
 * rows are the same only if their entries there are, too.
 */
export function weld(numbers: ArrayLike<number>, size: number, step: number, within?: Uint32Array): Uint32Array {
  const count = Math.floor(numbers.length / size), first = new Uint32Array(count), keys = new Float64Array(count * size);
  let slots = 16;
  while (slots < 2 * count) slots *= 2;
  const table = new Int32Array(slots).fill(-1);
  for (let i = 0; i < count; i++) {
    let hash = within ? within[i] : 0;
    for (let k = i * size; k < (i + 1) * size; k++) {
      keys[k] = Math.round(numbers[k] / step);
      hash = Math.imul(hash ^ keys[k], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    let slot = hash & (slots - 1);
    while (table[slot] >= 0 && !isSame(keys, size, i, table[slot], within)) slot = (slot + 1) & (slots - 1);
    if (table[slot] < 0) table[slot] = i;
    first[i] = table[slot];
  }
  return first;
}

function isSame(keys: Float64Array, size: number, one: number, two: number, within?: Uint32Array): boolean {
  if (within && within[one] !== within[two]) return false;
  for (let k = 0; k < size; k++) if (keys[one * size + k] !== keys[two * size + k]) return false;
  return true;
}

/** The corner at the other end of the edge that begins at a corner of a triangle. */
export function nextCorner(corner: number): number {
  return corner % 3 === 2 ? corner - 2 : corner + 1;
}

/** For each corner the first one whose edge, either way, joins the same two places. */
export function edgesOf(triangles: ArrayLike<number>, places: Uint32Array): Uint32Array {
  const ends = new Uint32Array(2 * triangles.length);
  for (let i = 0; i < triangles.length; i++) {
    const a = places[triangles[i]], b = places[triangles[nextCorner(i)]];
    ends[2 * i] = Math.min(a, b);
    ends[2 * i + 1] = Math.max(a, b);
  }
  return weld(ends, 2, 1);
}

/** The corners whose edges belong to one triangle only. */
export function borderOf(triangles: ArrayLike<number>, places: Uint32Array): number[] {
  const edges = edgesOf(triangles, places), times = new Uint32Array(edges.length), border: number[] = [];
  for (let i = 0; i < edges.length; i++) times[edges[i]]++;
  for (let i = 0; i < edges.length; i++) if (times[i] === 1) border.push(i);
  return border;
}
