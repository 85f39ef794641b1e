import { useEffect, useRef, useState } from "preact/hooks";
import type { FlameController } from "../flame/controller";
import { fromFragment, toFragment } from "../permalink";
import type { Profile } from "../profile";
import type { Store } from "../state";
import { spoken } from "./describe";
import { Details } from "./details";
import { FlameView } from "./flame_view";
import { Footer } from "./footer";
import { GraphView } from "./graph_view";
import { HeatView } from "./heat_view";
import { KeysDialog, useKeys } from "./keys";
import { ModelProvider, useModelOf, type Model } from "./model";
import { SandwichView } from "./sandwich_view";
import { TableView } from "./table_view";
import { Chips, Toolbar } from "./toolbar";

const views = { flame: FlameView, sandwich: SandwichView, table: TableView, graph: GraphView, heat: HeatView };
const noticeMs = 1800;

export function App({ profile, store }: { profile: Profile; store: Store }) {
  const flame = useRef<FlameController | null>(null);
  const [notice, setNotice] = useState("");
  const [help, setHelp] = useState(false);
  const model = useModelOf(profile, store, { flame, say: setNotice });
  useKeys(model, () => setHelp(true));
  usePermalink(model);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(""), noticeMs);
    return () => clearTimeout(timer);
  }, [notice]);
  useEffect(() => void (document.documentElement.dataset["theme"] = model.palette.dark ? "dark" : "light"), [model.palette.dark]);
  const View = views[model.state.view];
  return (
    <ModelProvider value={model}>
      <Toolbar onKeys={() => setHelp(true)} />
      <Chips />
      <main><div role="tabpanel" aria-labelledby={`tab-${model.state.view}`}><View /></div></main>
      <Details />
      <Footer />
      <div class="sr-only" aria-live="polite" id="live">{notice || spokenChoice(model)}</div>
      {notice && <div class="notice" aria-hidden="true">{notice}</div>}
      {help && <KeysDialog close={() => setHelp(false)} />}
    </ModelProvider>
  );
}

function spokenChoice(model: Model): string {
  return model.chosen < 0 ? "" : spoken({ ...model, rootName: "all" }, model.chosen);
}

// The fragment follows the state, and the state the fragment when a person changes it.
function usePermalink(model: Model): void {
  const { state, store, profile } = model;
  useEffect(() => {
    const fragment = toFragment(state, store.initial);
    if (location.hash.slice(1) === fragment) return;
    history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  }, [state]);
  useEffect(() => {
    const follow = () => store.set(fromFragment(location.hash, store.initial, profile.values.length));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
}
