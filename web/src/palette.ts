// Colours of frames: by kind, then a shade by name, as in the SVG (src/formats/svg/svg_colours.cpp), so a
// function looks the same in both. Colours are 0xAABBGGRR, as ImageData wants them.
import { Kind, type Functions } from "./profile";
import type { Diff } from "./tree";

export interface Palette {
  dark: boolean;
  background: number;
  frame: Uint32Array; // by function
  root: number;
  dimmed: number; // while something is searched for and this is not it
  match: number;
  changes: Uint32Array; // from much less (0) over the same (middle) to much more
  text: string;
  matchText: string;
  focus: string;
}

interface Hue {
  hue: number;
  step: number;
  saturation: number;
  lightness: number;
}
const shades = 8;
const hues: Hue[] = [
  { hue: 8, step: 6, saturation: 90, lightness: 66 }, // user
  { hue: 202, step: 3, saturation: 68, lightness: 71 }, // kernel
  { hue: 84, step: 6, saturation: 52, lightness: 62 }, // jit
  { hue: 164, step: 4, saturation: 42, lightness: 66 }, // inlined
  { hue: 40, step: 0, saturation: 8, lightness: 76 }, // note
  { hue: 262, step: 5, saturation: 48, lightness: 76 }, // waker
  { hue: 221, step: 2, saturation: 66, lightness: 69 }, // waiting
  { hue: 35, step: 0, saturation: 23, lightness: 75 }, // process
];

export function rgba(red: number, green: number, blue: number): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function cssOf(colour: number): string {
  return `rgb(${colour & 255},${(colour >> 8) & 255},${(colour >> 16) & 255})`;
}

function hsl(hue: number, saturation: number, lightness: number): number {
  const s = saturation / 100;
  const l = lightness / 100;
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return rgba(channel(0), channel(8), channel(4));
}

const encoder = new TextEncoder();

function shadeOf(name: string): number {
  let hash = 2166136261;
  for (const byte of encoder.encode(name)) hash = Math.imul(hash ^ byte, 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) % shades;
}

export function kindColour(kind: number, dark: boolean, shade = 3): number {
  const { hue, step, saturation, lightness } = hues[kind];
  const varied = 3 * (shade % 3);
  const light = lightness + varied - 3;
  return hsl(hue + step * shade, (saturation - varied) * (dark ? 0.62 : 1), dark ? light * 0.56 : light);
}

export function makePalette(functions: Functions, dark: boolean): Palette {
  const grey = dark ? rgba(88, 88, 88) : rgba(170, 170, 170);
  const table = hues.map((_, kind) => Array.from({ length: shades }, (__, shade) => kindColour(kind, dark, shade)));
  const frame = Uint32Array.from(functions.name, (name, fn) => {
    if (name === "-" || name === "--") return grey;
    const kind = functions.kind[fn];
    return table[kind][kind === Kind.task ? 3 : shadeOf(name)];
  });
  return {
    dark,
    background: dark ? rgba(22, 24, 28) : rgba(255, 255, 255),
    frame,
    root: dark ? rgba(70, 68, 64) : rgba(221, 214, 204),
    dimmed: dark ? rgba(52, 55, 61) : rgba(226, 228, 231),
    match: dark ? rgba(190, 80, 215) : rgba(160, 32, 190),
    changes: changeColours(dark),
    text: dark ? "#f0f1f3" : "#16181c",
    matchText: "#ffffff",
    focus: dark ? "#ffffff" : "#111111",
  };
}

export const changeSteps = 8; // to each side of "the same"

// Blue for less, orange for more: told apart by all common kinds of colour vision, and by lightness.
function changeColours(dark: boolean): Uint32Array {
  return Uint32Array.from({ length: 2 * changeSteps + 1 }, (_, i) => {
    const strength = Math.abs(i - changeSteps) / changeSteps;
    if (strength === 0) return dark ? rgba(64, 67, 73) : rgba(232, 232, 230);
    const hue = i < changeSteps ? 212 : 28;
    return dark ? hsl(hue, 35 + 50 * strength, 28 + 18 * strength) : hsl(hue, 55 + 25 * strength, 89 - 31 * strength);
  });
}

// Which of the change colours a node has: its change as a share of the larger side, roots pulled. By its
// total, or by its own value alone.
export function changeShade(diff: Diff, node: number, bySelf: boolean): number {
  const before = (bySelf ? diff.beforeSelf : diff.before)[node];
  const after = (bySelf ? diff.afterSelf : diff.after)[node];
  const most = Math.max(before, after);
  if (most === 0 || before === after) return changeSteps;
  const share = (after - before) / most;
  const strength = Math.max(1, Math.round(Math.sqrt(Math.abs(share)) * changeSteps));
  return changeSteps + Math.sign(share) * strength;
}
