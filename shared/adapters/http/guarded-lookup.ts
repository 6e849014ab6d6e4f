import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { type OutsideHost, type Reach, whyNotReached } from '#shared/domain/outside.ts';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export type Ground = { readonly reach: Reach; readonly host: OutsideHost | undefined };

const blocked = 'AddressBlocked';

export function isBlocked(cause: unknown): cause is Error {
  return cause instanceof Error && cause.name === blocked;
}

export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * The socket connects to what this hands on and asks nobody again: a name that resolves to something else a moment
 * later (DNS rebinding) gains nothing. Of several addresses those stay that may be reached.
 */
export function guardedLookup(resolve: Resolve, ground: Ground): LookupFunction {
  return (name, options, callback) => {
    reachable(name, resolve, ground).then(
      ([first, ...rest]) =>
        options.all
          ? callback(null, [first, ...rest])
          : callback(null, first.address, first.family),
      (cause: Error) => callback(cause, ''),
    );
  };
}

type Reachable = readonly [LookupAddress, ...LookupAddress[]];

async function reachable(name: string, resolve: Resolve, ground: Ground): Promise<Reachable> {
  const all = await resolve(name);
  const [first, ...rest] = all.filter(({ address }) => whyNot(address, ground) === undefined);
  if (first !== undefined) return [first, ...rest];
  const why = all.map(({ address }) => whyNot(address, ground)).join(', ');
  const error = new Error(why === '' ? `${name} has no address` : `${name}: ${why}`);
  throw Object.assign(error, why === '' ? { code: 'ENOTFOUND' } : { name: blocked });
}

/** A host that is an address is connected to without a lookup. */
export function whyLiteralBlocked(url: URL, ground: Ground): string | undefined {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : whyNot(bare, ground);
}

function whyNot(address: string, { reach, host }: Ground): string | undefined {
  return whyNotReached(address, reach, host);
}
