// The profile as src/formats/html/html_writer.cpp wrote it: a header in JSON and columns of numbers.
import type { Profile, ProfileInfo, ValueType } from "./profile";

interface Header {
  version: number;
  title: string;
  info: ProfileInfo;
  values: ValueType[];
  value: number;
  differential: boolean;
  inverted: boolean;
  perThread: boolean;
  nodes: number;
  negativeValues: number;
  columns: Record<string, [width: number, offset: number, length: number]>;
  strings: string[];
  labels: string[];
}

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export async function loadProfile(base64: string): Promise<Profile> {
  const bytes = await unzip(fromBase64(base64));
  const headerBytes = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerBytes))) as Header;
  if (header.version !== 1) throw new Error(`this report has version ${header.version}, the viewer knows 1`);
  return assemble(header, bytes.buffer as ArrayBuffer, 4 + headerBytes);
}

function fromBase64(text: string): Uint8Array {
  const modern = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array };
  if (modern.fromBase64) return modern.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unzip(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function column(header: Header, buffer: ArrayBuffer, base: number, name: string): Numbers {
  const place = header.columns[name];
  if (!place) return new Uint8Array(0);
  const [width, offset, length] = place;
  if (width === 1) return new Uint8Array(buffer, base + offset, length);
  if (width === 2) return new Uint16Array(buffer, base + offset, length);
  if (width === 4) return new Uint32Array(buffer, base + offset, length);
  return Float64Array.from(new BigUint64Array(buffer, base + offset, length), Number);
}

function assemble(header: Header, buffer: ArrayBuffer, base: number): Profile {
  const get = (name: string) => column(header, buffer, base, name);
  const strings = header.strings;
  const texts = (name: string) => Array.from(get(name), (at) => strings[at]);
  const moments = get("moment_row");
  return {
    title: header.title,
    info: header.info,
    values: header.values,
    defaultValue: header.value,
    differential: header.differential,
    inverted: header.inverted,
    perThread: header.perThread,
    negativeValues: header.negativeValues,
    functions: {
      name: texts("function_name"),
      kind: Uint8Array.from(get("function_kind")),
      path: texts("function_path"),
      file: texts("function_file"),
      line: get("function_line"),
    },
    tasks: { comm: texts("task_comm"), pid: get("task_pid"), tid: get("task_tid") },
    labels: header.labels,
    nodes: nodesOf(get("node_up"), get("node_function")),
    rows: {
      node: runningSum(get("row_node")),
      task: get("row_task"),
      label: get("row_labels"),
      values: header.values.map((_, i) => get(`value${i}`)),
    },
    moments:
      moments.length === 0
        ? null
        : { micros: Float64Array.from(runningSumWide(get("moment_step"))), row: moments, value: get("moment_value") },
  };
}

// Node 0 is the root of all; the columns begin with node 1.
function nodesOf(up: Numbers, functions: Numbers): Profile["nodes"] {
  const count = up.length + 1;
  const parent = new Int32Array(count);
  const depth = new Int32Array(count);
  const fn = new Int32Array(count);
  fn[0] = parent[0] = -1;
  let last = 0;
  let maxDepth = 0;
  for (let i = 1; i < count; i++) {
    let above = last;
    for (let climb = up[i - 1]; climb > 0; climb--) above = parent[above];
    parent[i] = above;
    depth[i] = depth[above] + 1;
    if (depth[i] > maxDepth) maxDepth = depth[i];
    fn[i] = functions[i - 1];
    last = i;
  }
  return { count, parent, depth, fn, maxDepth };
}

function runningSum(steps: Numbers): Uint32Array {
  const out = new Uint32Array(steps.length);
  let sum = 0;
  for (let i = 0; i < steps.length; i++) out[i] = sum += steps[i];
  return out;
}

function runningSumWide(steps: Numbers): Float64Array {
  const out = new Float64Array(steps.length);
  let sum = 0;
  for (let i = 0; i < steps.length; i++) out[i] = sum += steps[i];
  return out;
}
