// The nodes, a parent before its children, and what they are called.
const fields = flame.nodes.split(",");
export const count = fields.length / 4;
export const start = new Float64Array(count);
export const total = new Float64Array(count);
export const name = new Uint32Array(count);
export const depth = new Uint16Array(count);
export const parent = new Int32Array(count).fill(-1);
export const end = new Uint32Array(count); // one past the last node above it
const next = new Float64Array(count);
const from36 = (text: string) => (text === "" ? 0 : parseInt(text, 36));

for (let i = 0; i < count; i++) {
  total[i] = from36(fields[4 * i + 2]);
  name[i] = from36(fields[4 * i + 3]);
  if (i === 0) continue;
  let up = i - 1;
  for (let n = from36(fields[4 * i]); n > 0; n--) up = parent[up];
  parent[i] = up;
  depth[i] = depth[up] + 1;
  start[i] = next[i] = next[up] + from36(fields[4 * i + 1]);
  next[up] = start[i] + total[i];
}
for (let i = count - 1; i >= 0; i--) {
  end[i] = Math.max(end[i], i + 1);
  if (i > 0) end[parent[i]] = Math.max(end[parent[i]], end[i]);
}

export const changes = flame.changes ? Float64Array.from(flame.changes.split(","), from36) : null;
export const changeOf = (i: number, which: number) => changes![4 * i + which];

const looks = flame.looks.split(",");
export const nameOf = (i: number) => (i === 0 ? "all" : flame.names[name[i]]);
// A name that turns the direction of writing must not turn what stands beside it.
export const shownName = (i: number) =>
  (flame.nameType ? flame.nameType + " " : "") + nameOf(i).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
export const kindOf = (i: number) => (i > 0 && depth[i] > 1 ? flame.kinds[flame.kindOf.charCodeAt(name[i]) - 48] : "");

// The class of its colour.
export function lookOf(i: number): string {
  if (i === 0) return "r";
  if (changes) return "d" + flame.levels[i];
  return depth[i] === 1 && flame.plainLabels && flame.kindOf[name[i]] === "0" ? "c" : "k" + looks[name[i]];
}
