import type { LookupAddress } from 'node:dns';
import type { Resolve } from './guarded-lookup.ts';
import { type LineOptions, openLine } from './lookup-line.ts';
import type { IsAnswered } from './scout.ts';

export type FairOptions = LineOptions & {
  /** In which a name that is known is looked up anew; afterwards it is what it was. */
  readonly patienceMs: number;
  /** For which it is what it was. */
  readonly keptMs: number;
  /** Asked before the system is, of each name. */
  readonly isAnswered: IsAnswered;
};

export const usualPatience: FairOptions = {
  patienceMs: 500,
  keptMs: 3_600_000,
  mostMs: 20_000,
  lastsMs: 1_000,
  slowMs: 300_000,
  isAnswered: async () => true,
};

const mostKept = 10_000;

type Addresses = readonly LookupAddress[];
type Kept = { readonly addresses: Addresses; readonly since: number };

/**
 * A process looks up two names at a time, whoever asks (libuv gives them half of its four threads), and a server that never
 * answers keeps one for ten seconds. Whoever may name an image may name many of its hosts: what nobody answers for, or hung
 * before, has one of the two, and what was found before is not waited for. All of a process have to share one of these.
 */
export function fairly(resolve: Resolve, options: Partial<FairOptions> = {}): Resolve {
  const { patienceMs, keptMs, isAnswered, ...line } = { ...usualPatience, ...options };
  const kept = new Map<string, Kept>();
  const underway = new Map<string, Promise<Addresses>>();
  const inLine = openLine(line);
  const keep = (host: string, addresses: Addresses) => {
    kept.delete(host);
    kept.set(host, { addresses, since: performance.now() });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return addresses;
  };
  const forget = (host: string, cause: unknown): never => {
    if (isGone(cause)) kept.delete(host);
    throw cause;
  };
  const ask = (host: string) => {
    const asked = isAnswered(host)
      .then((isIt) => inLine({ host, isUnanswered: !isIt }, () => resolve(host)))
      .then(
        (found) => keep(host, found),
        (cause: unknown) => forget(host, cause),
      )
      .finally(() => underway.delete(host));
    underway.set(host, asked);
    return asked;
  };
  return (host) => {
    const asked = underway.get(host) ?? ask(host);
    const known = kept.get(host);
    const isKnown = known !== undefined && performance.now() - known.since < keptMs;
    return isKnown ? orKnown(asked, known.addresses, patienceMs) : asked;
  };
}

function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND';
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
