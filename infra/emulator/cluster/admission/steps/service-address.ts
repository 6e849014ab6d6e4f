import { isIP } from 'node:net';
import type { JsonObject } from '#shared/domain/json.ts';
import { inside, nameOf, text, texts } from '../../access/stated.ts';
import { isServiceAddress } from '../../kinds/network/addresses.ts';
import type { Admitting, Reading } from '../../parts.ts';
import { invalid, type Refusal } from '../../refusal.ts';

/** Whoever wants a certain address gets it where it is one of the range, and nobody else's. */
export function serviceAddress(what: Admitting, reading: Reading): Refusal | undefined {
  const { kind, operation, object } = what;
  if (kind.resource !== 'services' || kind.group !== '' || operation !== 'CREATE') return undefined;
  const spec = inside(object?.['spec']);
  const wanted = text(spec['type']) === 'ExternalName' ? undefined : addressIn(spec);
  if (object === undefined || wanted === undefined) return undefined;
  const why = isServiceAddress(wanted) ? taken(wanted, reading) : outside;
  return why === undefined ? undefined : refused(nameOf(object), wanted, why);
}

const outside = 'the provided network does not match the current range';

/** What is no address at all is told by the checks. */
function addressIn(spec: JsonObject): string | undefined {
  const stated = text(spec['clusterIP']) || (texts(spec['clusterIPs'])[0] ?? '');
  return isIP(stated) === 0 ? undefined : stated;
}

function taken(address: string, reading: Reading): string | undefined {
  const isTaken = reading
    .list('services')
    .some(({ spec }) => texts(inside(spec)['clusterIPs']).includes(address));
  return isTaken ? 'provided IP is already allocated' : undefined;
}

function refused(name: string, address: string, why: string): Refusal {
  const message = `Invalid value: ["${address}"]: failed to allocate IP ${address}: ${why}`;
  return invalid({ kind: 'Service', group: '', name }, [
    { field: 'spec.clusterIPs', reason: 'FieldValueInvalid', message },
  ]);
}
