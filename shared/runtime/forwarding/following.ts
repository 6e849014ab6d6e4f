import type { Told } from '#events/forwarder/told.ts';

type Clock = {
  readonly now: () => number;
  /** A living watch is never silent for so long. */
  readonly idleMs: number;
};

/**
 * Which scopes are being watched, by us or by whoever has their term; of what nobody serves, nothing is missed. Whoever
 * backs off for a moment counts as before, or readiness would flap: not as long as a watch may be silent, and not without rights.
 * A loop that begins anew does not, until it has woken whoever was switched on for what exists.
 */
export function openFollowing({ now, idleMs }: Clock) {
  const following = new Set<string>();
  const waitingSince = new Map<string, number>();
  return {
    hear({ kind, scope }: Told): void {
      if (kind === 'waiting') waitingSince.set(scope, waitingSince.get(scope) ?? now());
      if (breaksOff.has(kind)) following.delete(scope);
      if (!begins.has(kind)) return;
      following.add(scope);
      waitingSince.delete(scope);
    },
    has: (scope: string) =>
      following.has(scope) && now() - (waitingSince.get(scope) ?? now()) < idleMs,
    keepOnly(scopes: readonly string[]): void {
      for (const scope of [...following, ...waitingSince.keys()]) {
        if (scopes.includes(scope)) continue;
        following.delete(scope);
        waitingSince.delete(scope);
      }
    },
  };
}

const begins: ReadonlySet<Told['kind']> = new Set(['watching', 'standing-by', 'absent']);
const breaksOff: ReadonlySet<Told['kind']> = new Set(['begun', 'listing', 'failed', 'forbidden']);
