// Model: everything the views show, derived from the profile and the state; and what a person can do to it.
import { createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { deriveTree } from "../derive";
import type { FlameController } from "../flame/controller";
import { makePalette, type Palette } from "../palette";
import { functionKeys, type Functions, type Profile, type ValueType } from "../profile";
import { search, type Found } from "../search";
import { useStore, type State, type Store } from "../state";
import { nodeAt, pathOf, type Tree } from "../tree";

export interface Model {
  profile: Profile;
  store: Store;
  state: State;
  tree: Tree;
  functions: Functions;
  keys: string[]; // names of functions in links
  found: Found | null;
  palette: Palette;
  type: ValueType;
  whole: number; // the root's value
  zoomed: number; // node
  chosen: number; // node the keyboard is on; -1: none
  choose(node: number): void;
  say(text: string): void; // a short notice, read aloud too
  flame: { current: FlameController | null };
}

const ModelContext = createContext<Model | null>(null);
export const ModelProvider = ModelContext.Provider;
export const useModel = () => useContext(ModelContext)!;

export function useDark(theme: State["theme"]): boolean {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [system, setSystem] = useState(query.matches);
  useEffect(() => {
    const listen = () => setSystem(query.matches);
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, [query]);
  return theme === "auto" ? system : theme === "dark";
}

type Live = Pick<Model, "say" | "flame">;

export function useModelOf(profile: Profile, store: Store, live: Live): Model {
  const state = useStore(store);
  const { value, side, group, collapse, reverse, hide, focus, tasks, labels, time } = state;
  const { tree, functions } = useMemo(
    () => deriveTree(profile, { value, tasks, labels, time, focus }, { side, group, hide, collapse, reverse }),
    [profile, value, side, group, collapse, reverse, hide, focus, tasks, labels, time],
  );
  const found = useMemo(() => search(tree, functions, state.search), [tree, functions, state.search]);
  const dark = useDark(state.theme);
  const palette = useMemo(() => makePalette(functions, dark), [functions, dark]);
  const keys = useMemo(() => functionKeys(functions), [functions]);
  const zoomed = useMemo(
    () => nodeAt(tree, state.zoom, keys),
    [tree, keys, state.zoom],
  );
  const [chosen, setChosen] = useState({ tree, node: -1 });
  return {
    profile,
    store,
    state,
    tree,
    functions,
    keys,
    found,
    palette,
    type: typeOf(profile, value),
    whole: tree.total[0],
    zoomed,
    chosen: chosen.tree === tree ? chosen.node : -1,
    choose: (node) => setChosen({ tree, node }),
    ...live,
  };
}

// A difference's values are named "before" and "after": its numbers are said without a name.
function typeOf({ differential, values }: Profile, value: number): ValueType {
  if (differential) return { type: "", unit: values[0]?.unit ?? "" };
  return values[value] ?? { type: "", unit: "" };
}

export function nameOf(model: Pick<Model, "functions">, fn: number): string {
  return fn < 0 ? "all" : model.functions.name[fn];
}

export function exactly(name: string): string {
  return `^${name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$`;
}

export const actions = {
  zoom(model: Model, node: number): void {
    model.store.set({ zoom: pathOf(model.tree, node).map((fn) => model.keys[fn]) });
    model.flame.current?.zoomTo(node, true);
  },
  zoomOut(model: Model): void {
    if (model.zoomed > 0) actions.zoom(model, Math.max(model.tree.parent[model.zoomed], 0));
  },
  reset(model: Model): void {
    const { initial } = model.store;
    model.store.set({ ...initial, view: model.state.view, theme: model.state.theme, value: model.state.value });
    model.choose(-1);
    model.flame.current?.zoomTo(0, true);
  },
  sandwich(model: Model, fn: number): void {
    if (fn >= 0) model.store.set({ view: "sandwich", fn: model.keys[fn] });
  },
  focusOn(model: Model, fn: number): void {
    if (fn >= 0) model.store.set({ focus: [...model.state.focus, exactly(nameOf(model, fn))], zoom: [] });
  },
  hide(model: Model, fn: number): void {
    if (fn >= 0) model.store.set({ hide: [...model.state.hide, exactly(nameOf(model, fn))], zoom: [] });
  },
  async copyName(model: Model, fn: number): Promise<void> {
    await copy(model, nameOf(model, fn), "name");
  },
  // Leaf first, as stacks are read.
  async copyStack(model: Model, node: number): Promise<void> {
    const names = pathOf(model.tree, node).map((fn) => nameOf(model, fn));
    await copy(model, names.reverse().join("\n"), "stack");
  },
};

async function copy(model: Model, text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text); // pages from disk may have no clipboard
  }
  model.say(`Copied the ${what}`);
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
