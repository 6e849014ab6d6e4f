/**
 * About what the heap has for each once it is parsed, beside its text: of a mebibyte of `{},` it is 23 MB, of `[],` 15, of
 * `1,` 5; an object of a new key has a shape of its own, 157 bytes in all. Of values as people have them the text is more.
 */
const costs = { '{': 128, '[': 48, ',': 8, ':': 8 } as const;

const costOf = new Uint8Array(256);
for (const [mark, cost] of Object.entries(costs)) costOf[mark.charCodeAt(0)] = cost;

/** Not even the dearest is too much here: nearly every line and page is no longer, and is not looked at. */
const bearable = 512 * 1024;

const [quote, backslash] = [0x22, 0x5c];

/** Whether a text of JSON would take more than that, once it is parsed. A look takes a seventh of what parsing does. */
export function isDearToParse(text: Uint8Array, mostBytes: number): boolean {
  if (text.length <= bearable) return false;
  // What stands in strings costs nothing, but to leave that out takes longer, and is hardly ever needed.
  return costOfAll(text) > mostBytes && costOutsideStrings(text) > mostBytes;
}

function costOfAll(text: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += costOf[text[at] ?? 0] ?? 0;
  return sum;
}

function costOutsideStrings(text: Uint8Array): number {
  let sum = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) isInside = !isInside;
    else if (!isInside) sum += costOf[byte] ?? 0;
    else if (byte === backslash) at += 1;
  }
  return sum;
}
