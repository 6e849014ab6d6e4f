import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { type Edit, itemsOf, partOf } from '../words/edit.ts';
import { nanoOf, printedQuantity } from '../words/quantity.ts';
import { resources } from './container-defaults.ts';

const shared = /^(cpu|memory|hugepages-.+)$/;

/** Resources of the whole pod: what its limits leave unsaid is what its containers request, or the limit. */
export const podResources: Edit = (spec) => {
  const own = spec['resources'];
  if (!isJsonObject(own)) return spec;
  const stated = resources(own);
  const limits = namesOf(partOf(stated, 'limits'));
  if (limits.length === 0) return { ...spec, resources: stated };
  const summed = limits
    .concat(requestedNames(spec))
    .filter((name) => !name.startsWith('hugepages'));
  const sums = Object.fromEntries(summed.flatMap((name) => sumOf(spec, name)));
  const limited = limits.map((name) => [name, partOf(stated, 'limits')[name] ?? '0'] as const);
  const requests = { ...Object.fromEntries(limited), ...sums, ...partOf(stated, 'requests') };
  return { ...spec, resources: { ...stated, requests } };
};

function namesOf(amounts: JsonObject): string[] {
  return Object.keys(amounts).filter((name) => shared.test(name));
}

function requestedNames(spec: JsonObject): string[] {
  return ['containers', 'initContainers'].flatMap((key) =>
    itemsOf(spec, key).flatMap((each) => namesOf(requestsOf(each))),
  );
}

function requestsOf(container: JsonObject): JsonObject {
  return partOf(partOf(container, 'resources'), 'requests');
}

/** Containers run together with sidecars; what prepares them runs one after the other. */
function sumOf(spec: JsonObject, name: string): readonly (readonly [string, string])[] {
  const holders = [...itemsOf(spec, 'containers'), ...itemsOf(spec, 'initContainers')];
  if (!holders.some((each) => name in requestsOf(each))) return [];
  const amount = (each: JsonObject) => nanoOf(requestsOf(each)[name]);
  const first = itemsOf(spec, 'initContainers');
  const sidecars = first.filter((each) => each['restartPolicy'] === 'Always');
  const running = [...itemsOf(spec, 'containers'), ...sidecars];
  const together = running.reduce((sum, each) => sum + amount(each), 0n);
  const most = first.reduce(
    (soFar, each) => (amount(each) > soFar ? amount(each) : soFar),
    together,
  );
  const style = name === 'cpu' ? 'decimal' : 'binary';
  return [[name, printedQuantity({ nano: most, style })]];
}
