// What of the profile is looked at: which value, whose, and when. Gives every row its weight.
import type { Profile } from "./profile";

export interface Selection {
  value: number;
  tasks: string[]; // keys as taskKey makes them; empty: all
  labels: string[]; // as the profile writes them; empty: all
  time: [from: number, to: number] | null; // microseconds since the first moment
  focus: string[]; // regular expressions: only stacks with a function that matches, for each
}

// "comm", "comm/pid" or "comm/pid/tid": the more is said, the narrower.
export function taskKey(comm: string, pid?: number, tid?: number): string {
  return [comm, pid, tid].filter((part) => part !== undefined).join("/");
}

// Small letters match capital ones too. Nothing for what is no regular expression.
export function tryRegExp(text: string): RegExp | null {
  try {
    return new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
  } catch {
    return null;
  }
}

// Which functions match, as a byte each.
export function matching(names: string[], pattern: RegExp | null): Uint8Array {
  const out = new Uint8Array(names.length);
  if (pattern) for (let i = 0; i < names.length; i++) out[i] = pattern.test(names[i]) ? 1 : 0;
  return out;
}

// One column a value shown: before and after in a differential profile.
export function rowWeights(profile: Profile, selection: Selection): Float64Array[] {
  const shown = profile.differential ? [0, 1] : [selection.value];
  const share = rowShares(profile, selection);
  return shown.map((value) => {
    const column = Float64Array.from(profile.rows.values[value]);
    if (share) for (let r = 0; r < column.length; r++) column[r] *= share[r];
    return column;
  });
}

// 0 to 1 for each row; nothing when all of all is taken.
function rowShares(profile: Profile, selection: Selection): Float64Array | null {
  const { tasks, labels, time, focus } = selection;
  if (tasks.length === 0 && labels.length === 0 && !time && focus.length === 0) return null;
  const share = new Float64Array(profile.rows.node.length).fill(1);
  if (tasks.length > 0) takeTasks(profile, tasks, share);
  if (labels.length > 0) takeLabels(profile, labels, share);
  if (time && profile.moments) takeTime(profile, time, share);
  for (const text of focus) takeFocus(profile, tryRegExp(text), share);
  return share;
}

function takeTasks(profile: Profile, keys: string[], share: Float64Array): void {
  const wanted = new Set(keys);
  const { comm, pid, tid } = profile.tasks;
  const taken = comm.map((name, i) =>
    wanted.has(taskKey(name)) || wanted.has(taskKey(name, pid[i])) || wanted.has(taskKey(name, pid[i], tid[i])) ? 1 : 0);
  for (let r = 0; r < share.length; r++) share[r] *= taken[profile.rows.task[r]];
}

function takeLabels(profile: Profile, wanted: string[], share: Float64Array): void {
  const taken = profile.labels.map((text) => (wanted.includes(text) ? 1 : 0));
  for (let r = 0; r < share.length; r++) share[r] *= taken[profile.rows.label[r] ?? 0];
}

// Moments tell one value; others are taken in the same proportion.
function takeTime(profile: Profile, [from, to]: [number, number], share: Float64Array): void {
  const { micros, row, value } = profile.moments!;
  const inside = new Float64Array(share.length);
  const all = new Float64Array(share.length);
  for (let i = 0; i < micros.length; i++) {
    const amount = value[i] || 1;
    all[row[i]] += amount;
    if (micros[i] >= from && micros[i] < to) inside[row[i]] += amount;
  }
  for (let r = 0; r < share.length; r++) share[r] *= all[r] > 0 ? inside[r] / all[r] : 0;
}

function takeFocus(profile: Profile, pattern: RegExp | null, share: Float64Array): void {
  if (!pattern) return;
  const { nodes, rows } = profile;
  const match = matching(profile.functions.name, pattern);
  const on = new Uint8Array(nodes.count);
  for (let i = 1; i < nodes.count; i++) on[i] = on[nodes.parent[i]] | match[nodes.fn[i]];
  for (let r = 0; r < share.length; r++) share[r] *= on[rows.node[r]];
}
