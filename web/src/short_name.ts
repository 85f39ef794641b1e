// C++ and Rust names without what is in brackets: "wick::command<…>(wick::Session&)" is "wick::command".
// Names that have none are returned as they are.

const known = new Map<string, string>();

export function shortName(name: string): string {
  if (!/[<(]/.test(name)) return name;
  let short = known.get(name);
  if (short === undefined) {
    short = shorten(name);
    known.set(name, short);
  }
  return short;
}

function shorten(name: string): string {
  const operator = /operator\s*(new|delete|[^\w\s(]+|\(\))/.exec(name)?.[0] ?? "";
  // "<lambda>" and "[unknown]" alone are names, not arguments of one.
  const plain = name.replace(operator, "\u0001").replace(/\(anonymous namespace\)::/g, "").replace(/\{lambda[^]*?\}/g, "{lambda}");
  let out = "";
  let depth = 0;
  for (const c of plain) {
    if (c === "<" || c === "(") depth++;
    else if ((c === ">" || c === ")") && depth > 0) depth--;
    else if (depth === 0) out += c;
  }
  if (depth !== 0) return name; // brackets that do not match: no name of ours
  out = out.replace(/( (const|noexcept|&+|\[clone[^\]]*\]))+$/, "").trim();
  const word = out.slice(out.lastIndexOf(" ") + 1); // behind the return type
  const short = word.replace("\u0001", operator);
  return /^\w|^~|^\{/.test(short) ? short : name;
}
