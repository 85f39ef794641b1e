// A tree's nodes by depth, each level from left to right, and searches in them.
import type { Tree } from "../tree";

export type Levels = Int32Array[];

export function levelsOf(tree: Tree): Levels {
  const sizes = new Int32Array(tree.maxDepth + 1);
  for (let i = 0; i < tree.count; i++) if (tree.total[i] > 0) sizes[tree.depth[i]]++;
  const levels = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (let i = 0; i < tree.count; i++) {
    if (tree.total[i] === 0) continue;
    const depth = tree.depth[i];
    levels[depth][sizes[depth]++] = i;
  }
  let used = levels.length;
  while (used > 1 && levels[used - 1].length === 0) used--;
  return levels.slice(0, used);
}

// The first node of the level, from `from` on, that ends right of `x`. It is mostly near, so the search
// doubles its steps before it halves them.
export function firstEndingAfter(tree: Tree, level: Int32Array, x: number, from = 0): number {
  const { x: starts, total } = tree;
  let low = from;
  let high = level.length;
  for (let step = 1; low + step < high; step *= 2) {
    const node = level[low + step];
    if (starts[node] + total[node] > x) {
      high = low + step;
      break;
    }
    low += step;
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = level[middle];
    if (starts[node] + total[node] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function nodeUnder(tree: Tree, levels: Levels, depth: number, x: number): number {
  const level = levels[depth];
  if (!level) return -1;
  const at = firstEndingAfter(tree, level, x);
  if (at === level.length || tree.x[level[at]] > x) return -1;
  return level[at];
}
