import type { Told } from '#events/forwarder/told.ts';
import type { Pace } from '#events/forwarder/world.ts';
import type { Vigil } from '../vigil.ts';

/** The forwarder's loops, one a scope: whatever the cluster and the database do, each has something to tell now and then. */
export function oversee(
  vigil: Pick<Vigil, 'sign' | 'leave'>,
  { idleMs, restoredMs }: Pick<Pace, 'idleMs' | 'restoredMs'>,
) {
  const known = new Set<string>();
  // Between two words lies at most a watch without a sign, or the time that a server is given to come to itself.
  const sign = (scope: string, ms = 0) => vigil.sign(loopOf(scope), ms + idleMs + restoredMs);
  return {
    begin(scopes: readonly string[]): void {
      for (const scope of scopes.filter((each) => !known.has(each))) {
        known.add(scope);
        sign(scope);
      }
    },
    hear(told: Told): void {
      if (known.has(told.scope)) sign(told.scope, 'ms' in told ? told.ms : 0);
    },
    keepOnly(scopes: readonly string[]): void {
      for (const scope of [...known].filter((each) => !scopes.includes(each))) {
        known.delete(scope);
        vigil.leave(loopOf(scope));
      }
    },
  };
}

/** As probes and conditions name it. */
function loopOf(scope: string): string {
  return `forwarder of ${scope}`;
}
