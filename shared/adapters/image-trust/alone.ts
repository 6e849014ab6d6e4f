import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Flight, Verdicts } from './flight.ts';
import type { Hangar } from './hangar.ts';
import { sha256 } from './sha256.ts';
import type { Subject, Wish } from './subject.ts';
import { turnstile } from './turnstile.ts';
import { unasked } from './unasked.ts';

type Asked = Pick<Subject['collection'], 'server'> & { readonly wish: Wish };

/** Who is asked for alone: what another one was not shown he may be. */
export type Alone = {
  /** Not in the way of those who are asked for together. */
  claimFor(collection: Subject['collection'], wish: Wish): Subject['collection'];
  /** A few of a namespace and a registry at a time; the others when it is their turn, if that comes in time. */
  inTurn(flight: Flight, asked: Asked, flying: () => Promise<Verdicts>): Promise<Verdicts>;
  hasWaited(flight: Flight): boolean;
};

/** Whoever may name accounts in a namespace can name any number of them. */
const mostAlone = 3;

export function openAlone({ clock, leaseMs }: Pick<Hangar, 'clock' | 'leaseMs'>): Alone {
  const turns = turnstile(mostAlone);
  return {
    claimFor: (collection, { account }) => ({
      ...collection,
      key: sha256(`${collection.key} ${account.key}`),
    }),
    async inTurn(flight, { server, wish: { account, pulled } }, flying) {
      // One who hangs keeps nobody waiting for another one.
      const line = JSON.stringify([account.namespace, server, pulled.registry]);
      // What an admission may take.
      const told = await turns.pass({ line, whose: flight }, 2 * leaseMs(), flying);
      return told ?? unasked(flight, clock.now(), crowdedAlone);
    },
    hasWaited: turns.hasWaited,
  };
}

export const crowdedAlone: Judgement = {
  kind: 'unavailable',
  why: 'not-verified',
  note: 'too many accounts of its namespace are asked for there at once, each for itself',
};
