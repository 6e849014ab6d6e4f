/** A line's bytes without its end; or of one that is too long, its beginning. */
export type Cut =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'oversized'; readonly head: Buffer; readonly bytes: number };

export type Splitter = {
  /** Only when `next` has nothing more. */
  push(chunk: Buffer): void;
  /** The next line that is whole. */
  next(): Cut | undefined;
  /** Bytes that have been pushed, and not looked at yet. */
  behind(): number;
  /** Whether a line has begun that has not ended. */
  isInside(): boolean;
};

const newline = 10;
const nothing: Buffer = Buffer.alloc(0);

/** Splits at newlines, on bytes: a border between chunks may cut a character in two. */
export function splitter(maxLineBytes: number): Splitter {
  const begun = beginning(maxLineBytes);
  let rest = nothing;
  return {
    push(chunk) {
      rest = chunk;
    },
    next() {
      const end = rest.indexOf(newline);
      const part = end === -1 ? rest : rest.subarray(0, end);
      rest = end === -1 ? nothing : rest.subarray(end + 1);
      if (end !== -1) return begun.ended(part);
      begun.add(part);
      return undefined;
    },
    behind: () => rest.length,
    isInside: () => begun.size() > 0,
  };
}

/** Where the name may stand: before it come 256 KiB of annotations, each byte of which JSON may make six, and what manages them. */
export const headBytes = 2 * 1024 * 1024;

/** A line that came in several chunks, in one buffer that doubles: a million chunks of a byte are copied twice. */
function beginning(maxBytes: number) {
  let held = nothing;
  let size = 0;
  const add = (part: Buffer) => {
    const isKept = size <= maxBytes;
    size += part.length;
    if (isKept) held = size > maxBytes ? head(held, part) : appended(held, part, size);
  };
  return {
    add,
    size: () => size,
    ended(part: Buffer): Cut {
      if (size === 0 && part.length <= maxBytes) return { kind: 'line', bytes: part };
      add(part);
      const [bytes, line] = [size, held];
      [held, size] = [nothing, 0];
      if (bytes > maxBytes) return { kind: 'oversized', head: line, bytes };
      return { kind: 'line', bytes: line.subarray(0, bytes) };
    },
  };

  function head(before: Buffer, part: Buffer): Buffer {
    const known = size - part.length;
    const begun = before.subarray(0, Math.min(known, headBytes));
    // What is left out between two pieces could make one name of two.
    return Buffer.concat([begun, part.subarray(0, headBytes - begun.length)]);
  }
}

/** `size` is what it will hold. */
function appended(held: Buffer, part: Buffer, size: number): Buffer {
  const roomy = held.length >= size ? held : grown(held, size);
  part.copy(roomy, size - part.length);
  return roomy;
}

function grown(held: Buffer, size: number): Buffer {
  const next = Buffer.allocUnsafe(Math.max(size, held.length * 2));
  held.copy(next);
  return next;
}
