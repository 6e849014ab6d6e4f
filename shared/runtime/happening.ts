import {
  anything,
  choice,
  type Decoded,
  decode,
  either,
  list,
  maybe,
  number,
  record,
  text,
} from '#shared/domain/decode.ts';

const object = record({
  cluster: text,
  group: text,
  resource: text,
  namespace: text,
  name: text,
  uid: text,
});

const happening = either(
  /** What happened in the cluster, and whom it woke. */
  record({
    kind: choice('event'),
    at: text,
    change: choice('added', 'modified', 'deleted', 'existing'),
    object,
    eventId: text,
    wakes: list(text),
    /** So many that a list found and that wake nobody; they are not named. */
    objects: maybe(number),
  }),
  /** What became of a message. */
  record({
    kind: choice('run'),
    at: text,
    function: text,
    /** None where time woke it. */
    object: maybe(object),
    eventId: text,
    outcome: text,
    why: maybe(text),
    ms: number,
    waitedMs: number,
    attempt: number,
  }),
  /** What a function answered to a review. Told to an onlooker in the process only. */
  record({
    kind: choice('review'),
    at: text,
    function: text,
    operation: text,
    object,
    answered: choice('allow', 'patch', 'deny', 'left-out', 'failed'),
    why: maybe(text),
    ms: number,
  }),
);

/** One line for whoever looks on: references, never state. */
export type Happening = Decoded<typeof happening>;

/** Of whom: one database serves a fleet. Versions before this one did not say. */
const payload = record({ cluster: maybe(text), lines: list(anything), dropped: number });

/** Several at once, and how many there was no room for, or who hears them does not understand. */
export type Told = Omit<Decoded<typeof payload>, 'lines'> & Lines;

/** `undefined` for what another version of us may have sent. Of its lines those count that are of a kind of ours. */
export function toldFrom(text: string): Told | undefined {
  try {
    const read = decode(payload, JSON.parse(text));
    return read.ok ? understood(read.value) : undefined;
  } catch (cause: unknown) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function understood({ lines: said, dropped, ...of }: Decoded<typeof payload>): Told {
  const lines = said.flatMap((line) => {
    const read = decode(happening, line);
    return read.ok ? [read.value] : [];
  });
  return { ...of, lines, dropped: dropped + said.length - lines.length };
}

/** Postgres takes 8,000 bytes. */
const maxBytes = 7_000;
const longestWhy = 500;
const mostWoken = 50;

type Lines = { readonly lines: readonly Happening[]; readonly dropped: number };

/** As few payloads as will hold them. A line that none can hold counts as dropped. */
export function payloadsOf(
  cluster: string,
  { lines: happenings, dropped }: Lines,
): readonly string[] {
  const fitting = happenings.flatMap((each) => textOf(each) ?? []);
  const lost = dropped + happenings.length - fitting.length;
  const batches = batched(fitting);
  const of = JSON.stringify(cluster);
  return (batches.length === 0 && lost > 0 ? [[]] : batches).map(
    (batch, index) =>
      `{"cluster":${of},"dropped":${index === 0 ? lost : 0},"lines":[${batch.join(',')}]}`,
  );
}

function batched(lines: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let bytes = maxBytes;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) {
      batches.push([]);
      bytes = Buffer.byteLength(line);
    }
    batches.at(-1)?.push(line);
  }
  return batches;
}

/** `undefined` for what has no room, or cannot be said at all: no one line keeps the others from being heard. */
function textOf(happening: Happening): string | undefined {
  try {
    const text = JSON.stringify(shortened(happening));
    return Buffer.byteLength(text) <= maxBytes ? text : undefined;
  } catch {
    return undefined;
  }
}

function shortened(happening: Happening): Happening {
  if (happening.kind === 'event') {
    return { ...happening, wakes: happening.wakes.slice(0, mostWoken) };
  }
  const { why } = happening;
  return why === undefined ? happening : { ...happening, why: why.slice(0, longestWhy) };
}
