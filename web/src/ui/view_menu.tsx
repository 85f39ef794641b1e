// How the stacks are arranged.
import type { ComponentChildren } from "preact";
import type { Grouping } from "../derive";
import type { State } from "../state";
import type { Side } from "../tree";
import { Menu } from "./menu";
import { useModel } from "./model";

export function ViewMenu() {
  const { state, store, profile } = useModel();
  const changed = state.collapse || state.reverse || state.group !== store.initial.group || state.side !== "both" || state.inverted !== store.initial.inverted;
  return (
    <Menu id="arrange" label="Arrange" title="How stacks are arranged" active={changed}>
      {() => (
        <div class="form">
          <Check on={state.inverted} set={(inverted) => store.set({ inverted })}>Root on top (icicle) <kbd>i</kbd></Check>
          <Check on={state.reverse} set={(reverse) => store.set({ reverse, zoom: [] })}>Leaf first (bottom-up) <kbd>b</kbd></Check>
          <Check on={state.collapse} set={(collapse) => store.set({ collapse, zoom: [] })}>Collapse recursion <kbd>r</kbd></Check>
          <label>First level
            <select value={state.group} onChange={(event) => store.set({ group: event.currentTarget.value as Grouping, zoom: [] })}>
              <option value="comm">process name</option>
              <option value="pid">process</option>
              <option value="tid">thread</option>
              <option value="none">none</option>
            </select>
          </label>
          {profile.differential && (
            <label>Colour
              <select id="colour" value={state.colour} onChange={(event) => store.set({ colour: event.currentTarget.value as State["colour"] })}>
                <option value="total">change of total</option>
                <option value="self">change of self</option>
              </select>
            </label>
          )}
          {profile.differential && (
            <label>Width
              <select id="side" value={state.side} onChange={(event) => store.set({ side: event.currentTarget.value as Side })}>
                <option value="both">larger of both</option>
                <option value="before">before</option>
                <option value="after">after</option>
              </select>
            </label>
          )}
        </div>
      )}
    </Menu>
  );
}

function Check({ on, set, children }: { on: boolean; set(on: boolean): void; children: ComponentChildren }) {
  return <label><input type="checkbox" checked={on} onChange={() => set(!on)} /> <span>{children}</span></label>;
}
