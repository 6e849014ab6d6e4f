import { timeText } from '../conditions.ts';
import { placeOf } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { Service } from '../shapes/surroundings.ts';

type Seen = { readonly service: number; readonly pods: ReadonlyMap<string, number> };

/** Since when each service is as its endpoints say: of what has changed since it was looked at, the earliest. */
export function openTriggerTimes() {
  const seen = new Map<string, Seen>();
  return {
    /** Whether it had been looked at. */
    forget: (place: string) => seen.delete(place),
    /** `undefined` where neither the service nor a pod's readiness is newer. */
    look(service: Service, pods: readonly Pod[]): string | undefined {
      const before = seen.get(placeOf(service));
      const after = seenIn(service, pods);
      seen.set(placeOf(service), after);
      if (before === undefined) return timeText(after.service);
      const newer = [...after.pods].filter(([name, at]) => at > (before.pods.get(name) ?? 0));
      const times = newer.map(([, at]) => at);
      if (after.service > before.service) times.push(after.service);
      return times.length === 0 ? undefined : timeText(Math.min(...times));
    },
  };
}

function seenIn({ metadata }: Service, pods: readonly Pod[]): Seen {
  const times = pods.flatMap(({ metadata: { name }, status }): [string, number][] => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const at = Date.parse(ready?.lastTransitionTime ?? '');
    return Number.isNaN(at) ? [] : [[name, at]];
  });
  return { service: Date.parse(metadata.creationTimestamp), pods: new Map(times) };
}
