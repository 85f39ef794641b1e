// A frame in words: for the bar below the picture, the pointer's box, and for screen readers.
import { amountOf, baseName, percent, signed, amount } from "../format";
import { kindNames, type Functions, type ValueType } from "../profile";
import type { Tree } from "../tree";

export interface Described {
  name: string;
  kind: string;
  lines: [label: string, text: string][];
  place: string; // source file and line, or the binary
}

export interface Shown {
  tree: Tree;
  functions: Functions;
  type: ValueType;
  rootName: string;
}

export function describe({ tree, functions, type, rootName }: Shown, node: number): Described {
  const fn = tree.fn[node];
  const whole = tree.total[0];
  const numbers = (value: number) => `${amountOf(value, type)} (${percent(value, whole)})`;
  const lines: Described["lines"] = [];
  if (tree.diff) {
    const { before, after, beforeSelf, afterSelf } = tree.diff;
    lines.push(["total", change(before[node], after[node], type)]);
    lines.push(["self", change(beforeSelf[node], afterSelf[node], type)]);
  } else {
    lines.push(["total", numbers(tree.total[node])]);
    lines.push(["self", numbers(tree.self[node])]);
    const parent = tree.parent[node];
    if (parent > 0) lines.push(["of caller", percent(tree.total[node], tree.total[parent])]);
  }
  if (fn < 0) return { name: rootName, kind: "", lines, place: "" };
  return { name: functions.name[fn], kind: kindNames[functions.kind[fn]], lines, place: placeOf(functions, fn) };
}

export function change(before: number, after: number, type: ValueType): string {
  const text = `${amount(before, type)} → ${amount(after, type)}`;
  if (before === after) return `${text}, unchanged`;
  if (before === 0) return `${text}, new`;
  if (after === 0) return `${text}, vanished`;
  return `${text}, ${signed((100 * (after - before)) / before, (value) => `${value.toFixed(1)} %`)}`;
}

export function placeOf(functions: Functions, fn: number): string {
  const file = functions.file[fn];
  const source = file ? `${file}${functions.line[fn] ? `:${functions.line[fn]}` : ""}` : "";
  return [source, functions.path[fn] ? baseName(functions.path[fn]) : ""].filter(Boolean).join(" · ");
}

export function spoken(shown: Shown, node: number): string {
  const { name, kind, lines } = describe(shown, node);
  const depth = shown.tree.depth[node];
  return `${name}, ${kind ? `${kind}, ` : ""}level ${depth}, ${lines.map(([label, text]) => `${label} ${text}`).join(", ")}`;
}
