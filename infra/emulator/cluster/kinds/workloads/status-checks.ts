import { invalid } from '../words/errors.ts';
import { child, type Errors, none, number, type Place } from '../words/place.ts';
import { checkedCounts } from './template.ts';

/** Counts of which none is larger than the number of replicas. */
export function partsOfReplicas(parts: readonly string[], ready: string | undefined) {
  return (status: Place): Errors => {
    const [all, readyCount] = ['replicas', 'readyReplicas'].map((key) =>
      number(child(status, key)),
    );
    const available = child(status, 'availableReplicas');
    const isAhead = ready !== undefined && number(available) > (readyCount ?? 0);
    return [
      ...checkedCounts(status, ['observedGeneration', 'replicas', ...parts, 'collisionCount']),
      ...parts
        .map((key) => child(status, key))
        .filter((at) => number(at) > (all ?? 0))
        .map((at) => invalid(at, 'cannot be greater than status.replicas', number(at))),
      ...(isAhead
        ? [invalid(available, `cannot be greater than ${ready}`, number(available))]
        : none),
    ];
  };
}
