import { isSecret, nameIn } from '#events/forwarder/followed.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { Scope } from '#shared/domain/watched.ts';
import { askedBy, followedOf } from '#shared/runtime/forwarding/followed.ts';
import type { Plan } from './plan.ts';
import { everywhere, mergeRights, type Right } from './rights.ts';

const watching = ['get', 'list', 'watch'];

/** Its uid tells this cluster from every other one. */
const identity: Right = { ...everywhere(namespaces, ['get']), names: ['kube-system'] };

/** As narrow as the forwarder's loops: what overlaps is followed by one, which needs the right to all that it lists. */
export function watchRights(plan: Plan): readonly Right[] {
  const loops = followedOf(plan.definitions, plan.settings).map(({ scope }) => scope);
  if (loops.some(isEverySecret)) refuseUnasked(plan);
  return mergeRights([...loops.map(rightOf), identity]);
}

function rightOf(scope: Scope): Right {
  const { kind, namespace } = scope;
  const name = nameIn(scope);
  return {
    ...everywhere(kind, watching),
    ...(namespace === undefined ? {} : { namespace }),
    names: name === undefined ? [] : [name],
  };
}

/** Nobody is given all Secrets because two functions each asked for a few. */
function refuseUnasked({ definitions, settings }: Plan): void {
  const asked = definitions.flatMap((each) =>
    askedBy(each, settings).map((scope) => ({ name: each.name, scope })),
  );
  const ofSecrets = asked.filter(({ scope }) => isSecret(scope.kind));
  if (ofSecrets.some(({ scope }) => isEverySecret(scope))) return;
  const all = ofSecrets.map(({ name, scope }) => `${name} ${placeText(scope)}`);
  throw new Error(
    `Secrets are watched in one namespace, and by name in all of them: ${[...new Set(all)].join(', ')}. Together that is one list of all Secrets of the cluster, to which the forwarder would need the right\n  to mend it: watch those of the namespace by their names, or the named one in stated namespaces`,
  );
}

function isEverySecret(scope: Scope): boolean {
  return isSecret(scope.kind) && scope.namespace === undefined && nameIn(scope) === undefined;
}

function placeText(scope: Scope): string {
  const { namespace = 'all namespaces' } = scope;
  return `(${nameIn(scope) ?? 'all'} in ${namespace})`;
}
