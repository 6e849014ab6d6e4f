import type { AdmissionFunction } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { onFailureOf } from './on-failure.ts';

/** Which functions share the one call for pods, and which are entries of their own. */
export type Entries<F> = { readonly fused: readonly F[]; readonly alone: readonly F[] };

const order = ['pod-bootstrap', 'image-trust', 'node-affinity'];

/** `render` and the server both ask here, so that what is registered is what is answered. */
export function entriesOf<F extends AdmissionFunction>(
  functions: readonly F[],
  settings: Settings,
  compiles: (definition: F) => boolean,
): Entries<F> {
  const isFused = (definition: F) =>
    isPodMutation(definition) && failsOpen(definition, settings) && compiles(definition);
  return {
    fused: functions.filter(isFused).toSorted(inOrder),
    alone: functions.filter((definition) => !isFused(definition)),
  };
}

function isPodMutation({ phase, trigger }: AdmissionFunction): boolean {
  return (
    phase === 'mutate' &&
    (trigger.group ?? '') === '' &&
    trigger.resources.every((resource) => resource === 'pods' || resource.startsWith('pods/'))
  );
}

/** Functions of different failure policy never share an entry, and the shared one fails open. */
function failsOpen(definition: AdmissionFunction, settings: Settings): boolean {
  return onFailureOf(definition, settings) === 'allow-with-warning';
}

/** The three of the design in their order, then a user's own, by name. */
function inOrder(one: AdmissionFunction, other: AdmissionFunction): number {
  return rank(one) - rank(other) || one.name.localeCompare(other.name, 'en');
}

function rank({ capability }: AdmissionFunction): number {
  const at = order.indexOf(capability);
  return at === -1 ? order.length : at;
}
