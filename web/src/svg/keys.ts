// What the keys do.
import { draw } from "./draw";
import { hover, showTip } from "./hover";
import { remember } from "./links";
import { depth, end, nameOf, parent, shownName } from "./nodes";
import { mark, pad, reset, sayDetails, tip, top, view } from "./picture";
import { input, look, search, searched, walkMatches, zoom } from "./search";

const help = [
  "Ctrl-F or /   search by regular expression; small letters match capital ones too",
  "n, N   next and previous match",
  "Esc   end the search, then the zoom",
  "0   reset the zoom",
  "Arrows   walk from frame to frame",
  "Enter   zoom to the marked frame",
  "c   copy the marked frame's name",
  "i   flip: flame graph or icicle",
];

const actions: Record<string, () => void> = {
  "0": () => zoom(0),
  n: () => walkMatches(1),
  N: () => walkMatches(-1),
  c: copyName,
  i: flip,
  I: flip,
  "?": () => showTip(help.map((text) => ({ name: true, text })), pad, top - 18),
  Enter: () => {
    if (view.hovered >= 0) zoom(view.hovered);
  },
};

function flip(): void {
  view.inverted = !view.inverted;
  draw();
  remember(false);
}

function copyName(): void {
  const i = view.hovered < 0 ? view.zoomed : view.hovered;
  const say = (text: string) => sayDetails(text + " " + shownName(i));
  const refused = () => say("The browser does not let us copy");
  if (!navigator.clipboard) return refused();
  navigator.clipboard.writeText(nameOf(i)).then(() => say("Copied"), refused);
}

// The next node for an arrow key, from the one under the mark.
function step(key: string): number {
  const { hovered, drawn } = view;
  if (hovered < 0) return view.zoomed;
  if (key === (view.inverted ? "ArrowUp" : "ArrowDown")) return Math.max(parent[hovered], 0);
  if (key === "ArrowUp" || key === "ArrowDown") {
    const above = drawn[depth[hovered] + 1] || [];
    return above.find((i) => i > hovered && i < end[hovered]) ?? hovered;
  }
  const row = drawn[depth[hovered]];
  return row[row.indexOf(hovered) + (key === "ArrowRight" ? 1 : -1)] ?? hovered;
}

function escape(): void {
  input.value = "";
  input.blur();
  if (tip.style.display === "" && tip.children.length) hover(-1);
  else if (searched.pattern) {
    search("");
    remember(false);
  } else zoom(0);
}

export function onKey(event: KeyboardEvent): void {
  const typing = event.target === input;
  if (((event.ctrlKey || event.metaKey) && event.key === "f") || (event.key === "/" && !typing)) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === "Escape") {
    escape();
  } else if (typing && event.key === "Enter") {
    look();
    input.blur();
    walkMatches(event.shiftKey ? -1 : 1);
  } else if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    hover(step(event.key));
    mark.scrollIntoView({ block: "nearest" });
  } else if (event.target === reset && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    zoom(0);
  } else if (Object.hasOwn(actions, event.key)) {
    actions[event.key]();
  }
}
