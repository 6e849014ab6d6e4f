import type { LookupAddress } from 'node:dns';
import type { Resolve } from './guarded-lookup.ts';

export type FairOptions = {
  /** In which a name that is known is looked up anew; afterwards it is what it was. */
  readonly patienceMs: number;
  /** Who has waited for longer is not looked up any more. */
  readonly mostMs: number;
};

export const usualPatience: FairOptions = { patienceMs: 500, mostMs: 20_000 };

const mostKept = 10_000;

type Addresses = readonly LookupAddress[];

/**
 * A process looks up two names at a time, whoever asks (libuv gives them half of its four threads), and a server that never
 * answers keeps one for ten seconds. Whoever may name an image may name many of its hosts: we take one at a time, so that
 * the database is found meanwhile, and what was found before is not waited for.
 */
export function fairly(
  resolve: Resolve,
  { patienceMs, mostMs }: FairOptions = usualPatience,
): Resolve {
  const kept = new Map<string, Addresses>();
  const underway = new Map<string, Promise<Addresses>>();
  const inLine = openLine(mostMs);
  const keep = (host: string, found: Addresses) => {
    kept.delete(host);
    kept.set(host, found);
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return found;
  };
  const ask = (host: string) => {
    const asked = inLine(() => resolve(host))
      .then((found) => keep(host, found))
      .finally(() => underway.delete(host));
    underway.set(host, asked);
    return asked;
  };
  return (host) => {
    const asked = underway.get(host) ?? ask(host);
    const known = kept.get(host);
    return known === undefined ? asked : orKnown(asked, known, patienceMs);
  };
}

/** One after the other: what is asked for too late is not begun. */
function openLine(mostMs: number) {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const since = performance.now();
    const turn = last.then(() => {
      if (performance.now() - since > mostMs) throw late();
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** As the system says it of a server that did not answer. */
function late(): Error {
  return Object.assign(new Error('too many names are looked up'), { code: 'EAI_AGAIN' });
}

/** A name that is gone is gone: only who says nothing is not waited for. */
async function orKnown(
  asked: Promise<Addresses>,
  known: Addresses,
  patienceMs: number,
): Promise<Addresses> {
  const { promise: soon, resolve } = Promise.withResolvers<Addresses>();
  const timer = setTimeout(resolve, patienceMs, known);
  try {
    return await Promise.race([asked, soon]);
  } finally {
    clearTimeout(timer);
    asked.catch(() => undefined);
  }
}
