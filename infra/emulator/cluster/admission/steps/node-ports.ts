import type { JsonObject } from '#shared/domain/json.ts';
import { inside, nameOf, objects, text } from '../../access/stated.ts';
import { nodePortOf } from '../../kinds/network/addresses.ts';
import type { Admitting, FieldError, Reading } from '../../parts.ts';
import { invalid, type Refusal } from '../../refusal.ts';

/** Whoever wants a certain port of the nodes gets it where it is one of the range, and nobody else's. */
export function nodePorts(what: Admitting, reading: Reading): Refusal | undefined {
  const { kind, operation, object, before, subresource } = what;
  if (kind.resource !== 'services' || kind.group !== '' || subresource !== undefined)
    return undefined;
  if (operation === 'DELETE' || object === undefined) return undefined;
  // Of another type none are given, and whoever states one is told that elsewhere.
  if (!given.has(text(inside(object['spec'])['type']))) return undefined;
  const kept = new Set(portsOf(before).map(numberOf));
  const errors = portsOf(object).flatMap((port, index): readonly FieldError[] => {
    const wanted = numberOf(port);
    if (wanted === 0 || kept.has(wanted) || wanted === nodePortOf(object, port)) return [];
    const why = isOfNodes(wanted) ? taken(port, object, reading) : outside;
    if (why === undefined) return [];
    const field = `spec.ports[${index}].nodePort`;
    return [{ field, reason: 'FieldValueInvalid', message: `Invalid value: ${wanted}: ${why}` }];
  });
  return errors.length === 0
    ? undefined
    : invalid({ kind: 'Service', group: '', name: nameOf(object) }, errors);
}

const given: ReadonlySet<string> = new Set(['NodePort', 'LoadBalancer']);

const outside = 'provided port is not in the valid range. The range of valid ports is 30000-32767';

function isOfNodes(port: number): boolean {
  return port >= 30_000 && port <= 32_767;
}

function portsOf(service: JsonObject | undefined): readonly JsonObject[] {
  return objects(inside(service?.['spec'])['ports']);
}

/** A service may state it for several protocols; of two services only one may, for whichever. */
function numberOf(port: JsonObject): number {
  return Number(port['nodePort'] ?? 0);
}

function taken(port: JsonObject, own: JsonObject, reading: Reading): string | undefined {
  const { uid } = inside(own['metadata']);
  const others = reading
    .list('services')
    .filter(({ metadata }) => uid === undefined || inside(metadata)['uid'] !== uid);
  const isTaken = others.some((each) =>
    portsOf(each).some((one) => numberOf(one) === numberOf(port)),
  );
  return isTaken ? 'provided port is already allocated' : undefined;
}
