import type { JsonObject } from '#shared/domain/json.ts';
import { inside } from '../../access/stated.ts';
import { nanoOf } from '../../kinds/words/quantity.ts';
import type { Admitting, Reading } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';
import { idOf } from '../../served-kinds.ts';
import { storageClassOf } from './default-class.ts';
import { forbids } from './step.ts';

/** A claim grows once it is bound, where its class says that it may. */
export function claimGrowth(what: Admitting, reading: Reading): Refusal | undefined {
  const { kind, subresource, object, before } = what;
  if (idOf(kind) !== 'persistentvolumeclaims' || subresource !== undefined) return undefined;
  if (object === undefined || before === undefined || !isLarger(object, before)) return undefined;
  if (inside(before['status'])['phase'] !== 'Bound') {
    return forbids(what, 'Only bound persistent volume claims can be expanded');
  }
  const name = storageClassOf(before);
  const found = reading.find('storageclasses.storage.k8s.io', { name });
  if (name === storageClassOf(object) && found?.['allowVolumeExpansion'] === true) return undefined;
  return forbids(
    what,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}

function isLarger(object: JsonObject, before: JsonObject): boolean {
  return sizeOf(object) > sizeOf(before);
}

function sizeOf(claim: JsonObject): bigint {
  return nanoOf(inside(inside(inside(claim['spec'])['resources'])['requests'])['storage']);
}
