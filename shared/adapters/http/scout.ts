import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { within } from '../within.ts';

/** Whether the servers of a name say anything at all, be it that there is none of that name. Never fails. */
export type IsAnswered = (host: string) => Promise<boolean>;

type ScoutOptions = {
  readonly mostMs: number;
  /** Without: the system's. */
  readonly servers?: readonly string[];
};

/**
 * By c-ares, which keeps no thread: any number at a time. What it is told is not used, since it knows neither `/etc/hosts`
 * nor search domains: the system looks up whatever is connected to, and is told here which names would hang it.
 */
export function openScout({ mostMs, servers }: ScoutOptions): IsAnswered {
  let made: Resolver | undefined;
  const resolver = () => {
    made ??= resolverOf(mostMs, servers);
    return made;
  };
  return async (host) => {
    // A short name is one of a search domain of ours.
    if (isIP(host) !== 0 || !host.includes('.')) return true;
    // The system asks for both, and waits for both.
    const both = [resolver().resolve4(host), resolver().resolve6(host)].map(wasAnswered);
    const answered = Promise.all(both).then((each) => each.every(Boolean));
    return within(mostMs, answered).catch(() => false);
  };
}

/** A datagram that is lost, or the first of its servers, says nothing of a name: it is asked for again within that time. */
function resolverOf(mostMs: number, servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: Math.ceil(mostMs / 4), tries: 3 });
  if (servers !== undefined) resolver.setServers(servers);
  return resolver;
}

async function wasAnswered(asking: Promise<unknown>): Promise<boolean> {
  try {
    await asking;
    return true;
  } catch (cause: unknown) {
    return !(cause instanceof Error && 'code' in cause && cause.code === 'ETIMEOUT');
  }
}
