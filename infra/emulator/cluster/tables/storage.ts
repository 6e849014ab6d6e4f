import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { ageColumn, at, nameColumn, text, textAt } from './cells.ts';
import type { Columns } from './table.ts';

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Each once, in this order. */
function modes(object: JsonObject, path: string): string {
  const stated = at(object, path);
  const all = stated !== undefined && isList(stated) ? stated.map(String) : [];
  return Object.entries(shortModes)
    .flatMap(([mode, short]) => (all.includes(mode) ? [short] : []))
    .join(',');
}

function storage(object: JsonObject, path: string): string {
  const capacity = at(object, path);
  return isJsonObject(capacity) ? textAt(capacity, 'storage') : '';
}

function classOf(object: JsonObject): string {
  const annotated = at(object, 'metadata.annotations');
  const old = isJsonObject(annotated) ? annotated['volume.beta.kubernetes.io/storage-class'] : '';
  return typeof old === 'string' && old !== '' ? old : textAt(object, 'spec.storageClassName');
}

const classes: Columns = [
  text('StorageClass', classOf),
  text(
    'VolumeAttributesClass',
    (object) => textAt(object, 'spec.volumeAttributesClassName') || '<unset>',
  ),
];

const mode = text('VolumeMode', (object) => textAt(object, 'spec.volumeMode') || '<unset>', 1);

/** What is on its way out is shown so. */
function phase(object: JsonObject): string {
  const isLeaving = textAt(object, 'metadata.deletionTimestamp') !== '';
  return isLeaving ? 'Terminating' : textAt(object, 'status.phase');
}

export const volumeColumns: Columns = [
  nameColumn,
  text('Capacity', (object) => storage(object, 'spec.capacity')),
  text('Access Modes', (object) => modes(object, 'spec.accessModes')),
  text('Reclaim Policy', (object) => textAt(object, 'spec.persistentVolumeReclaimPolicy')),
  text('Status', phase),
  text('Claim', (object) => {
    const name = textAt(object, 'spec.claimRef.name');
    return name === '' ? '' : `${textAt(object, 'spec.claimRef.namespace')}/${name}`;
  }),
  ...classes,
  text('Reason', (object) => textAt(object, 'status.reason')),
  ageColumn,
  mode,
];

/** What it has is told only of one that is bound. */
export const claimColumns: Columns = [
  nameColumn,
  text('Status', phase),
  text('Volume', (object) => textAt(object, 'spec.volumeName')),
  text('Capacity', (object) => bound(object, storage(object, 'status.capacity'))),
  text('Access Modes', (object) => bound(object, modes(object, 'status.accessModes'))),
  ...classes,
  ageColumn,
  mode,
];

function bound(object: JsonObject, shown: string): string {
  return textAt(object, 'spec.volumeName') === '' ? '' : shown;
}
