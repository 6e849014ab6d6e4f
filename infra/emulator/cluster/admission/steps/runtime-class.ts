import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { inside, objects, text } from '../../access/stated.ts';
import type { Admitting, Reading } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';
import { forbids, isPod, withSpec } from './step.ts';

/** A pod of a runtime class bears what the class costs, and goes where the class is. */
export function runtimeClass(what: Admitting, reading: Reading): JsonObject | Refusal | undefined {
  const { object, operation } = what;
  if (!isPod(what) || operation !== 'CREATE' || object === undefined) return undefined;
  const spec = inside(object['spec']);
  const name = text(spec['runtimeClassName']);
  if (name === '') {
    if (spec['overhead'] === undefined) return undefined;
    return forbids(
      what,
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  }
  const found = reading.find('runtimeclasses.node.k8s.io', { name });
  if (found === undefined) return forbids(what, `pod rejected: RuntimeClass "${name}" not found`);
  return placed(what, object, found);
}

function placed(what: Admitting, pod: JsonObject, runtime: JsonObject): JsonObject | Refusal {
  const spec = inside(pod['spec']);
  const { podFixed } = inside(runtime['overhead']);
  if (spec['overhead'] !== undefined && !sameJson(spec['overhead'], podFixed)) {
    return forbids(
      what,
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
  }
  const { nodeSelector, tolerations } = inside(runtime['scheduling']);
  const own = inside(spec['nodeSelector']);
  const wanted = Object.entries(inside(nodeSelector));
  const clash = wanted.find(([key, value]) => own[key] !== undefined && own[key] !== value);
  if (clash !== undefined) {
    return forbids(
      what,
      `conflict: runtimeClass.scheduling.nodeSelector[${clash[0]}] = ${clash[1]}; pod.spec.nodeSelector[${clash[0]}] = ${own[clash[0]]}`,
    );
  }
  const stated = objects(spec['tolerations']);
  const more = objects(tolerations).filter((each) => !stated.some((one) => sameJson(one, each)));
  return withSpec(pod, {
    ...(isJsonObject(podFixed) && { overhead: podFixed }),
    ...(wanted.length > 0 && { nodeSelector: { ...own, ...Object.fromEntries(wanted) } }),
    ...(more.length > 0 && { tolerations: [...stated, ...more] }),
  });
}
