/** Takes what has arrived of an answer, and gives on what is kept of it. */
export type Sieve = (chunk: Uint8Array) => Uint8Array;

const [quote, backslash, zero] = [0x22, 0x5c, 0x30];
/** The list, its items, one of them. */
const [listDepth, itemDepth] = [1, 3];
/** Of a key, more than it takes to know it from the two that count. */
const mostOfKey = 16;

/**
 * Of the items of a list in JSON nothing but the metadata goes on, each other value as a 0: what is larger than anybody can
 * take to pieces still says whose it is.
 */
export function metadataSieve(): Sieve {
  const place = placeInList();
  return (chunk) => {
    // A value is left out where its colon is read, so that a 0 may come before there is anything to leave out.
    const kept = Buffer.allocUnsafe(2 * chunk.length);
    let size = 0;
    const keep = (byte: number) => {
      kept[size] = byte;
      size += 1;
    };
    for (const byte of chunk) {
      const wasLeftOut = place.isLeftOut();
      place.read(byte);
      if (!wasLeftOut || !place.isLeftOut()) keep(byte);
      if (!wasLeftOut && place.isLeftOut()) keep(zero);
    }
    // A part of it would hold the whole for as long as there is an answer.
    return Buffer.from(kept.subarray(0, size));
  };
}

function placeInList() {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isKeyNext = false;
  let isLeftOut = false;
  let list = '';
  let key = '';

  const begin = (isObject: boolean) => () => {
    depth += 1;
    isKeyNext = isObject;
  };
  const end = () => {
    depth -= 1;
    if (depth < itemDepth) isLeftOut = false;
  };
  const marks: Readonly<Record<string, () => void>> = {
    '{': begin(true),
    '[': begin(false),
    '}': end,
    ']': end,
    ',': () => {
      isKeyNext = true;
      if (depth === itemDepth) isLeftOut = false;
    },
    ':': () => {
      isKeyNext = false;
      if (depth === listDepth) list = key;
      if (depth === itemDepth && list === 'items' && key !== 'metadata') isLeftOut = true;
    },
    '"': () => {
      isText = true;
      if (isKey()) key = '';
    },
  };
  const actOf = new Map(Object.entries(marks).map(([mark, act]) => [mark.charCodeAt(0), act]));
  const isKey = () => isKeyNext && (depth === listDepth || depth === itemDepth);

  function readText(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) isText = false;
    if (isText && isKey() && key.length < mostOfKey) key += String.fromCharCode(byte);
  }

  return {
    isLeftOut: () => isLeftOut,
    read: (byte: number) => (isText ? readText(byte) : actOf.get(byte)?.()),
  };
}
