// When things happened: a time line, and below it every fiftieth of every second. A range picked in either
// filters all other views.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { amountOf } from "../format";
import { heatOf, microsPerCell, rowsPerSecond, timeline, type Heat } from "../heat";
import { useModel, type Model } from "./model";

const leftAxis = 46;

export function HeatView() {
  const model = useModel();
  const moments = model.profile.moments;
  const heat = useMemo(() => (moments ? heatOf(moments) : null), [moments]);
  if (!heat) return <p class="empty">This profile does not tell when its samples were taken.</p>;
  return (
    <section class="view heat" aria-label="Heat map">
      <Range model={model} heat={heat} />
      <Timeline model={model} heat={heat} />
      <Cells model={model} heat={heat} />
      <p class="remark">
        A column is a second, a row {microsPerCell / 1000} ms of it, stronger is more (at most {amountOf(heat.most, model.profile.values[model.profile.defaultValue])}).
        Drag from one moment to another to look at that time only.
      </p>
    </section>
  );
}

// The same by numbers: for keyboards, and for exact ranges.
function Range({ model, heat }: { model: Model; heat: Heat }) {
  const { time } = model.state;
  const end = heat.columns;
  const [from, to] = time ? [time[0] / 1e6, time[1] / 1e6] : [0, end];
  const set = (a: number, b: number) =>
    Number.isFinite(a) && Number.isFinite(b) && a < b && model.store.set({ time: [Math.round(a * 1e6), Math.round(b * 1e6)] });
  return (
    <form class="range-form" onSubmit={(event) => event.preventDefault()}>
      <label>From <input type="number" min="0" max={end} step="0.02" value={from} onChange={(event) => set(Number(event.currentTarget.value), to)} /> s</label>
      <label>to <input type="number" min="0" max={end} step="0.02" value={to} onChange={(event) => set(from, Number(event.currentTarget.value))} /> s</label>
      <button type="button" disabled={!time} onClick={() => model.store.set({ time: null })}>All of it</button>
      <button type="button" disabled={!time} onClick={() => model.store.set({ view: "flame", zoom: [] })}>Show as flame graph</button>
    </form>
  );
}

function Timeline({ model, heat }: { model: Model; heat: Heat }) {
  const box = useRef<HTMLDivElement>(null);
  const plotted = useRef<uPlot | null>(null);
  const dark = model.palette.dark;
  useLayoutEffect(() => {
    const element = box.current!;
    const { seconds, values } = timeline(heat, 400);
    const ink = dark ? "#9aa0a8" : "#5c636b";
    const grid = { stroke: dark ? "#2c3036" : "#e6e8ea", width: 1 };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: 110,
        legend: { show: false },
        cursor: { y: false, drag: { x: true, y: false, setScale: false } },
        scales: { x: { time: false } },
        axes: [
          { stroke: ink, grid, ticks: grid, size: 30, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
          { stroke: ink, grid, ticks: grid, size: leftAxis },
        ],
        series: [{}, { stroke: dark ? "#f0955a" : "#d5632a", fill: dark ? "#f0955a33" : "#d5632a22", width: 1.5, points: { show: false } }],
        hooks: {
          setSelect: [
            (self) => {
              const [a, b] = [self.posToVal(self.select.left, "x"), self.posToVal(self.select.left + self.select.width, "x")];
              if (self.select.width > 3) model.store.set({ time: [Math.max(0, Math.round(a * 1e6)), Math.round(b * 1e6)] });
            },
          ],
        },
      },
      [seconds, values],
      element,
    );
    plotted.current = plot;
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 110 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [heat, dark]);
  // What was picked below is marked here too.
  const { time } = model.state;
  useEffect(() => {
    const plot = plotted.current;
    if (!plot) return;
    const [left, right] = time ? time.map((at) => plot.valToPos(at / 1e6, "x")) : [0, 0];
    plot.setSelect({ left, top: 0, width: right - left, height: plot.over.clientHeight }, false);
  }, [time, heat, dark]);
  return <div class="timeline" ref={box} role="img" aria-label="Events over time" />;
}

function Cells({ model, heat }: { model: Model; heat: Heat }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const { time } = model.state;
  const shown = drag ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to) + 1] : time?.map((at) => Math.round(at / microsPerCell));
  const cellWidth = Math.max(2, Math.min(64, Math.floor((width - leftAxis - 16) / heat.columns)));
  const cellHeight = 7;

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(canvas.current!.parentElement!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => draw(canvas.current!, model, heat, cellWidth, cellHeight, shown), [model.palette, heat, cellWidth, shown?.[0], shown?.[1]]);

  const cellAt = (event: PointerEvent) => {
    const column = Math.min(Math.max(Math.floor((event.offsetX - leftAxis) / cellWidth), 0), heat.columns - 1);
    const row = Math.min(Math.max(rowsPerSecond - 1 - Math.floor(event.offsetY / cellHeight), 0), rowsPerSecond - 1);
    return column * rowsPerSecond + row;
  };
  const finish = () => {
    if (!drag || !shown) return;
    model.store.set({ time: [shown[0] * microsPerCell, shown[1] * microsPerCell] });
    setDrag(null);
  };
  return (
    <div class="cells">
      <canvas ref={canvas} role="img" aria-label="Heat map: seconds from left to right, the fraction of a second from bottom to top"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = cellAt(event);
          setDrag({ from: at, to: at });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: cellAt(event) })}
        onPointerUp={finish} />
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, model: Model, heat: Heat, cellWidth: number, cellHeight: number, shown?: number[]): void {
  const scale = window.devicePixelRatio || 1;
  const width = leftAxis + heat.columns * cellWidth + 8;
  const height = rowsPerSecond * cellHeight + 20;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  const { dark } = model.palette;
  heat.cells.forEach((value, cell) => {
    const outside = shown && (cell < shown[0] || cell >= shown[1]);
    context.fillStyle = shade(value / (heat.most || 1), dark);
    context.globalAlpha = outside ? 0.3 : 1;
    const column = Math.floor(cell / rowsPerSecond);
    const row = rowsPerSecond - 1 - (cell % rowsPerSecond);
    context.fillRect(leftAxis + column * cellWidth, row * cellHeight, cellWidth - (cellWidth > 4 ? 1 : 0), cellHeight - 1);
  });
  context.globalAlpha = 1;
  context.fillStyle = dark ? "#9aa0a8" : "#5c636b";
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  for (const ms of [0, 200, 400, 600, 800]) context.fillText(`${ms} ms`, leftAxis - 6, (rowsPerSecond - (ms * rowsPerSecond) / 1000) * cellHeight - 1);
  context.textAlign = "left";
  const every = Math.ceil(40 / cellWidth);
  for (let column = 0; column < heat.columns; column += every) context.fillText(`${column} s`, leftAxis + column * cellWidth, height - 6);
}

// One hue from pale to strong, even to the eye in both themes.
function shade(share: number, dark: boolean): string {
  if (share === 0) return dark ? "#22252a" : "#f1f2f3";
  const strength = Math.sqrt(share);
  return dark ? `hsl(24 ${45 + 40 * strength}% ${20 + 45 * strength}%)` : `hsl(${28 - 14 * strength} ${70 + 20 * strength}% ${88 - 48 * strength}%)`;
}
