// The bar below every view: the chosen frame, and what can be done with it.
import type { View } from "../state";
import { describe } from "./describe";
import { actions, useModel } from "./model";

const hints: Record<View, string> = {
  flame: "Click a frame to zoom in; the wheel zooms, dragging moves.",
  sandwich: "Choose a function on the left; click a frame to zoom in.",
  table: "Click a heading to sort, a function for its callers and callees.",
  graph: "Click a function for its callers and callees; the wheel zooms, dragging moves.",
  heat: "Drag over the time that you want to look at.",
};

export function Details() {
  const model = useModel();
  const { chosen, tree, state } = model;
  if (chosen < 0 || chosen >= tree.count) {
    return (
      <div class="details">
        <span class="hint">
          {hints[state.view]} <kbd>/</kbd> searches, <kbd>0</kbd> resets, <kbd>?</kbd> lists all keys.
        </span>
      </div>
    );
  }
  const fn = tree.fn[chosen];
  const { name, kind, lines, place } = describe({ ...model, rootName: "all" }, chosen);
  return (
    <div class="details">
      <span class="name" title={name}><bdi>{name}</bdi></span>
      <span class="numbers">
        {lines.map(([label, text]) => <span><b>{label}</b> {text}</span>)}
        <span class="where" title={place}>{[kind, place].filter(Boolean).join(" · ")}</span>
      </span>
      {fn >= 0 && (
        <span class="buttons">
          {state.view === "flame" && <button onClick={() => actions.zoom(model, chosen)}>Zoom</button>}
          <button onClick={() => actions.sandwich(model, fn)}>Callers and callees</button>
          <button onClick={() => actions.focusOn(model, fn)}>Focus</button>
          <button onClick={() => actions.hide(model, fn)}>Hide</button>
          <button onClick={() => void actions.copyName(model, fn)}>Copy name</button>
          <button onClick={() => void actions.copyStack(model, chosen)}>Copy stack</button>
        </span>
      )}
    </div>
  );
}
