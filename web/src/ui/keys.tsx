// Every key, once: what it does, and what `?` says of it.
import { useEffect, useRef } from "preact/hooks";
import { neighbour } from "../flame/controller";
import { exportFolded, exportSvg } from "./export_menu";
import { actions, type Model } from "./model";
import { moveToMatch, nextTheme, viewsOf } from "./toolbar";

interface Key {
  keys: string[]; // as KeyboardEvent.key says them
  shown: string;
  does: string;
  run(model: Model): void;
}

const click = (id: string) => document.getElementById(id)?.click();
const fnOf = (model: Model) => (model.chosen > 0 ? model.tree.fn[model.chosen] : -1);

function move(model: Model, way: "left" | "right" | "in" | "out"): void {
  const levels = model.flame.current?.currentScene()?.levels;
  if (!levels) return;
  model.choose(model.chosen < 0 ? model.zoomed : neighbour(model.tree, levels, model.chosen, way));
}

function escape(model: Model): void {
  const { state, store } = model;
  if (state.search) store.set({ search: "" });
  else if (model.zoomed > 0) actions.zoom(model, 0);
  else model.choose(-1);
}

function nextValue({ profile, state, store }: Model): void {
  if (!profile.differential) store.set({ value: (state.value + 1) % profile.values.length });
}

const upIs = (model: Model) => (model.state.inverted ? "out" : "in");
const downIs = (model: Model) => (model.state.inverted ? "in" : "out");

export const keyTable: Key[] = [
  { keys: ["/"], shown: "/ or Ctrl F", does: "search", run: () => document.getElementById("search")?.focus() },
  { keys: ["n"], shown: "n", does: "next match", run: (model) => moveToMatch(model, true) },
  { keys: ["N"], shown: "N", does: "previous match", run: (model) => moveToMatch(model, false) },
  { keys: ["Escape"], shown: "Esc", does: "clear the search, then the zoom, then the choice", run: escape },
  { keys: ["0"], shown: "0", does: "reset zoom, search and filters", run: actions.reset },
  { keys: ["ArrowLeft"], shown: "←", does: "frame to the left", run: (model) => move(model, "left") },
  { keys: ["ArrowRight"], shown: "→", does: "frame to the right", run: (model) => move(model, "right") },
  { keys: ["ArrowUp"], shown: "↑", does: "frame above", run: (model) => move(model, upIs(model)) },
  { keys: ["ArrowDown"], shown: "↓", does: "frame below", run: (model) => move(model, downIs(model)) },
  { keys: ["Enter"], shown: "Enter", does: "zoom to the chosen frame", run: (model) => model.chosen >= 0 && actions.zoom(model, model.chosen) },
  { keys: ["Backspace", "u"], shown: "Backspace or u", does: "zoom out by one frame", run: actions.zoomOut },
  { keys: ["w"], shown: "w", does: "closer", run: (model) => model.flame.current?.scaleBy(0.7) },
  { keys: ["s"], shown: "s", does: "farther", run: (model) => model.flame.current?.scaleBy(1 / 0.7) },
  { keys: ["a"], shown: "a", does: "move left", run: (model) => model.flame.current?.panBy(-0.2) },
  { keys: ["d"], shown: "d", does: "move right", run: (model) => model.flame.current?.panBy(0.2) },
  { keys: ["PageUp"], shown: "Page up", does: "scroll up", run: (model) => model.flame.current?.scrollBy(model.state.inverted ? -15 : 15) },
  { keys: ["PageDown"], shown: "Page down", does: "scroll down", run: (model) => model.flame.current?.scrollBy(model.state.inverted ? 15 : -15) },
  { keys: ["i", "I"], shown: "i", does: "flip: root on top or at the bottom", run: ({ state, store }) => store.set({ inverted: !state.inverted }) },
  { keys: ["b"], shown: "b", does: "leaf first (bottom-up)", run: ({ state, store }) => store.set({ reverse: !state.reverse, zoom: [] }) },
  { keys: ["r"], shown: "r", does: "collapse recursion", run: ({ state, store }) => store.set({ collapse: !state.collapse, zoom: [] }) },
  { keys: ["f"], shown: "f", does: "focus: only stacks with the chosen function", run: (model) => actions.focusOn(model, fnOf(model)) },
  { keys: ["h"], shown: "h", does: "hide the chosen function", run: (model) => actions.hide(model, fnOf(model)) },
  { keys: ["x"], shown: "x", does: "callers and callees of the chosen function", run: (model) => actions.sandwich(model, fnOf(model)) },
  { keys: ["c"], shown: "c", does: "copy the chosen function's name", run: (model) => model.chosen >= 0 && void actions.copyName(model, fnOf(model)) },
  { keys: ["C"], shown: "C", does: "copy the chosen frame's stack", run: (model) => model.chosen > 0 && void actions.copyStack(model, model.chosen) },
  { keys: ["1", "2", "3", "4", "5"], shown: "1 to 5", does: "flame graph, sandwich, table, call graph, heat map", run: () => undefined },
  { keys: ["v"], shown: "v", does: "next value", run: nextValue },
  { keys: ["p"], shown: "p", does: "processes and threads", run: () => click("tasks") },
  { keys: ["o"], shown: "o", does: "arrange", run: () => click("arrange") },
  { keys: ["e"], shown: "e", does: "export", run: () => click("export") },
  { keys: ["E"], shown: "E", does: "save the picture", run: exportSvg },
  { keys: ["F"], shown: "F", does: "save folded stacks", run: exportFolded },
  { keys: ["t"], shown: "t", does: "light or dark", run: nextTheme },
];

export function useKeys(model: Model, openHelp: () => void): void {
  const latest = useRef(model);
  latest.current = model;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const now = latest.current;
      if ((event.ctrlKey || event.metaKey) && event.key === "f") {
        event.preventDefault();
        document.getElementById("search")?.focus();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (document.querySelector("dialog[open]")) return;
      if (event.key === "?") return openHelp();
      const view = viewsOf(now)[Number(event.key) - 1];
      if (view) return now.store.set({ view });
      const key = keyTable.find(({ keys }) => keys.includes(event.key));
      if (!key) return;
      event.preventDefault();
      key.run(now);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

// Keys that a control needs itself are not ours.
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest(".panel")) return true;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return true;
  return (target.tagName === "BUTTON" || target.getAttribute("role") === "button") && event.key === "Enter";
}

export function KeysDialog({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={close} onClick={(event) => event.target === dialog.current && dialog.current!.close()}>
      <h2>Keys</h2>
      <table>
        <tbody>
          {keyTable.map(({ shown, does }) => <tr><th scope="row"><kbd>{shown}</kbd></th><td>{does}</td></tr>)}
          <tr><th scope="row"><kbd>?</kbd></th><td>this list</td></tr>
        </tbody>
      </table>
      <h2>Pointer</h2>
      <p>Click zooms to a frame. The wheel zooms, Shift and the wheel scroll, dragging moves, Shift and dragging zoom to a range.</p>
      <button onClick={() => dialog.current!.close()}>Close</button>
    </dialog>
  );
}
