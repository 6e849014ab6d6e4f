import { Gauge, type Registry } from 'prom-client';
import type { Told } from '#events/forwarder/told.ts';

/** Since the API server last said anything of a scope that is ours to hear. */
export function openSilence(registry: Registry, now: () => number) {
  const heardAt = new Map<string, number>();
  const listing = new Set<string>();
  const secondsOf = (scope: string) => {
    const at = heardAt.get(scope);
    return at === undefined ? 0 : (now() - at) / 1_000;
  };
  gaugeOf(registry, () => heardAt.keys(), secondsOf);
  const forget = (scope: string) => {
    heardAt.delete(scope);
    listing.delete(scope);
  };
  return {
    hear(told: Told): void {
      const { kind, scope } = told;
      if (isElsewhere.has(kind)) forget(scope);
      if (isSign.has(kind) || (listing.has(scope) && isPage(told))) heardAt.set(scope, now());
      if (kind === 'listing') listing.add(scope);
      if (endsList.has(kind)) listing.delete(scope);
    },
    scopes: (): readonly string[] => [...heardAt.keys()],
    secondsOf,
    forget,
  };
}

const isSign: ReadonlySet<Told['kind']> = new Set(['heard', 'watching', 'listed']);
const endsList: ReadonlySet<Told['kind']> = new Set(['listed', 'failed', 'waiting']);

/** Whoever else writes it hears of it, or nobody does. */
const isElsewhere: ReadonlySet<Told['kind']> = new Set(['fenced', 'standing-by', 'absent']);

/** Of a list, as pages or as a stream. A commit that has no object in it is our own word with the database. */
function isPage(told: Told): boolean {
  return told.kind === 'committed' && told.plan.rows.length + told.plan.marked.length > 0;
}

function gaugeOf(
  registry: Registry,
  scopes: () => Iterable<string>,
  secondsOf: (scope: string) => number,
) {
  return new Gauge({
    name: 'gatehouse_forwarder_silent_seconds',
    help: 'Since the last sign of the API server. A bookmark comes about every minute.',
    labelNames: ['scope'],
    registers: [registry],
    collect() {
      this.reset();
      for (const scope of scopes()) this.set({ scope }, secondsOf(scope));
    },
  });
}
