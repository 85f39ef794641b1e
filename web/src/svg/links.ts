// Links go by names, so one still fits when the graph is drawn anew from another profile. Siblings of one
// name are told apart by their number.
import { end, nameOf, parent } from "./nodes";
import { view } from "./picture";
import { input, search, searched } from "./search";

function stepOf(i: number): string {
  let same = 0;
  for (let other = parent[i] + 1; other < i; other = end[other]) same += nameOf(other) === nameOf(i) ? 1 : 0;
  return encodeURIComponent(nameOf(i)) + (same ? "@" + same : "");
}

let own: string | null = null;

// Puts what is shown into the address, as a step to go back from or in its place.
export function remember(asStep: boolean): void {
  const path: string[] = [];
  const state: string[] = [];
  for (let i = view.zoomed; i > 0; i = parent[i]) path.unshift(stepOf(i));
  if (path.length) state.push("zoom=" + path.join(";"));
  if (searched.pattern) state.push("search=" + encodeURIComponent(searched.pattern));
  if (view.inverted !== flame.inverted) state.push("flip=1");
  own = state.join("&");
  if (own === location.hash.slice(1)) return;
  try {
    if (asStep) location.hash = own;
    else history.replaceState(null, "", "#" + own);
  } catch {
    // A page that may not keep its state still works.
  }
}

// Shows what the address says.
export function recall(): void {
  const hash = location.hash.slice(1);
  if (hash === own) return;
  own = hash;
  view.zoomed = 0;
  view.inverted = flame.inverted;
  let wanted = "";
  for (const pair of hash.split("&")) {
    const [key, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    try {
      if (key === "search") wanted = decodeURIComponent(value);
      if (key === "zoom") view.zoomed = follow(value.split(";"));
      if (key === "flip") view.inverted = !flame.inverted;
    } catch {
      // A link cut short shows the whole graph.
    }
  }
  input.value = wanted;
  search(wanted);
}

// As far as the path still exists.
function follow(path: string[]): number {
  let i = 0;
  for (const step of path) {
    const [text, same] = step.split("@");
    const wanted = decodeURIComponent(text);
    let child = i + 1;
    let skip = Number(same || 0);
    while (child < end[i] && (nameOf(child) !== wanted || skip-- > 0)) child = end[child];
    if (child >= end[i]) return i;
    i = child;
  }
  return i;
}
