// What a person has chosen, in one place. It is what a permalink holds.
import { useEffect, useState } from "preact/hooks";
import type { Grouping } from "./derive";
import type { Profile } from "./profile";
import type { Side } from "./tree";

export const views = ["flame", "sandwich", "table", "graph", "heat"] as const;
export type View = (typeof views)[number];
export type Theme = "auto" | "light" | "dark";
export type SortKey = "name" | "self" | "total" | "beforeSelf" | "afterSelf" | "before" | "after" | "selfChange" | "change";

export interface State {
  view: View;
  value: number;
  side: Side;
  colour: "total" | "self"; // what a difference is coloured by
  group: Grouping;
  inverted: boolean;
  reverse: boolean;
  collapse: boolean;
  zoom: string[]; // names from the root on
  search: string;
  fn: string; // the sandwich's
  focus: string[];
  hide: string[];
  tasks: string[];
  labels: string[];
  time: [number, number] | null;
  sort: SortKey;
  ascending: boolean;
  theme: Theme;
}

export function initialState(profile: Profile): State {
  return {
    view: "flame",
    value: profile.defaultValue,
    side: "both",
    colour: "total",
    group: profile.perThread ? "tid" : "comm",
    inverted: profile.inverted,
    reverse: false,
    collapse: false,
    zoom: [],
    search: "",
    fn: "",
    focus: [],
    hide: [],
    tasks: [],
    labels: [],
    time: null,
    sort: profile.differential ? "change" : "self",
    ascending: false,
    theme: "auto",
  };
}

export class Store {
  private listeners = new Set<() => void>();
  constructor(
    public state: State,
    readonly initial: State,
  ) {}

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore(store: Store): State {
  const [, redraw] = useState(0);
  useEffect(() => store.subscribe(() => redraw((n) => n + 1)), [store]);
  return store.state;
}
