// One function: who calls it above, what it calls below, over all the places where it stands.
import { useMemo, useState } from "preact/hooks";
import { calleesOf, callersOf } from "../derive";
import { amount, amountOf, percent } from "../format";
import type { Tree } from "../tree";
import { change } from "./describe";
import { FlameCanvas } from "./flame_canvas";
import { actions, nameOf, useModel, type Model } from "./model";
import { useRows } from "./table_view";

const listed = 300;

export function SandwichView() {
  const model = useModel();
  const { tree, state, type, whole } = model;
  const rows = useRows(model);
  const wanted = model.keys.indexOf(state.fn);
  const fn = wanted >= 0 ? wanted : (rows[0]?.fn ?? -1);
  const callers = useMemo(() => (fn < 0 ? null : callersOf(tree, fn, state.side)), [tree, fn, state.side]);
  const callees = useMemo(() => (fn < 0 ? null : calleesOf(tree, fn, state.side)), [tree, fn, state.side]);
  const total = callers?.total[0] ?? 0;
  const diff = model.profile.differential;
  return (
    <section class="view sandwich" aria-label="Callers and callees">
      <aside class="functions">
        <table>
          <caption class="sr-only">Functions; choose one to see its callers and callees</caption>
          <thead><tr><th scope="col" class="number">{diff ? "Before" : "Total"}</th><th scope="col" class="number">{diff ? "After" : "Self"}</th><th scope="col">Function</th></tr></thead>
          <tbody>
            {rows.slice(0, listed).map((row) => (
              <tr key={row.fn} aria-selected={row.fn === fn}>
                <td class="number">{amount(diff ? row.before : row.total, type)}</td>
                <td class="number">{amount(diff ? row.after : row.self, type)}</td>
                <td class="name"><button onClick={() => actions.sandwich(model, row.fn)}><bdi>{nameOf(model, row.fn)}</bdi></button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </aside>
      <div class="halves">
        <h2><span class="label">Callers of</span> <bdi>{fn < 0 ? "nothing" : nameOf(model, fn)}</bdi>
          <span class="share">{callers?.diff ? change(callers.diff.before[0], callers.diff.after[0], type) : `${amountOf(total, type)}, ${percent(total, whole)} of all`}</span></h2>
        {callers && total > 0 && <Half model={model} tree={callers} inverted={false} label="Callers" />}
        <h2><span class="label">Callees</span></h2>
        {callees && total > 0 && <Half model={model} tree={callees} inverted label="Callees" />}
      </div>
    </section>
  );
}

function Half({ model, tree, inverted, label }: { model: Model; tree: Tree; inverted: boolean; label: string }) {
  const [chosen, setChosen] = useState({ tree, node: -1 });
  const [zoomed, setZoomed] = useState({ tree, node: 0 });
  const at = zoomed.tree === tree ? zoomed.node : 0;
  return (
    <FlameCanvas
      scene={{
        tree,
        functions: model.functions,
        palette: model.palette,
        match: model.found?.match ?? null,
        inverted,
        rootName: "all",
        firstDepth: 1,
        bySelf: model.state.colour === "self",
      }}
      type={model.type}
      zoomed={at}
      chosen={chosen.tree === tree ? chosen.node : -1}
      label={`${label} of the function; the list beside chooses it`}
      onChoose={(node) => setChosen({ tree, node })}
      onZoom={(node) => setZoomed({ tree, node: node === at || tree.depth[node] === 1 ? 0 : node })}
    />
  );
}
