import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { claimErrors } from '../pods/claim-checks.ts';
import { claimSpec } from '../pods/volume-defaults.ts';
import { claimWarnings } from '../pods/volume-warnings.ts';
import { goDiff } from '../words/difference.ts';
import {
  all,
  type Edit,
  ensured,
  inside,
  metadataOf,
  partOf,
  preset,
  put,
  specOf,
  statusOf,
  textOf,
} from '../words/edit.ts';
import { forbidden, invalid } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, none, object, type Place, root } from '../words/place.ts';
import { amounts, nanoOf } from '../words/quantity.ts';
import { claimInGo } from './claim-form.ts';
import { guarded } from './protection.ts';

const grouped: Edit = (source) => ({ apiGroup: null, ...source });

export const storedClaim: Edit = all(
  ensured(
    'spec',
    all(
      claimSpec,
      inside('dataSource', grouped),
      inside('dataSourceRef', grouped),
      ensured('resources', amounts('requests', 'limits')),
    ),
  ),
  ensured('status', all(preset({ phase: 'Pending' }), amounts('capacity'))),
);

/** The older field and the newer one say the same. Of other namespaces is behind a switch of the real server. */
const sourced = ensured('spec', (spec) => {
  const { dataSource, dataSourceRef } = spec;
  const isAway = isJsonObject(dataSourceRef) && 'namespace' in dataSourceRef;
  const newer = isAway ? undefined : dataSourceRef;
  return put(put(spec, 'dataSource', dataSource ?? newer), 'dataSourceRef', newer ?? dataSource);
});

/** Basics: nothing binds a claim but whoever writes its status. */
export const claim: KindRules = {
  defaults: storedClaim,
  status: { phase: 'Pending' },
  created: all(guarded('kubernetes.io/pvc-protection'), sourced),
  kept: sourced,
  checks: (at) => [...claimErrors(child(at, 'spec')), ...checkedSource(child(at, 'spec'))],
  changes: checkedChange,
  warnings: warningsOf,
};

function checkedSource(spec: Place): Errors {
  const { dataSource, dataSourceRef } = object(spec);
  const isSame = sameJson(dataSource ?? null, dataSourceRef ?? null);
  // The real server shows a path of its own in place of the value.
  return isSame ? none : [invalid(spec, 'must match dataSourceRef', {})];
}

const oldClass = 'volume.beta.kubernetes.io/storage-class';

function warningsOf(claim: JsonObject): readonly string[] {
  const isOld = partOf(metadataOf(claim), 'annotations')[oldClass] !== undefined;
  const instead = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [
    ...(isOld ? [`metadata.annotations[${oldClass}]: ${instead}`] : []),
    ...claimWarnings(child(root(claim), 'spec')),
  ];
}

function checkedChange(next: Place, before: JsonObject): Errors {
  const spec = child(next, 'spec');
  const [old, status] = [specOf(before), statusOf(before)];
  const munged = mungedSpec(object(spec), old, textOf(status, 'phase') === 'Bound');
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [
    ...(sameJson(munged, old)
      ? none
      : [forbidden(spec, `${why}\n${goDiff(claimInGo(old), claimInGo(munged))}`)]),
    ...shrunk(spec, old, status),
    ...immutable({ ...child(spec, 'volumeMode'), path: 'volumeMode' }, old['volumeMode']),
  ];
}

function mungedSpec(next: JsonObject, old: JsonObject, isBound: boolean): JsonObject {
  const named = textOf(old, 'volumeName') === '' ? put(next, 'volumeName', undefined) : next;
  const classed =
    old['storageClassName'] === undefined ? put(named, 'storageClassName', undefined) : named;
  if (!isBound) return classed;
  const storage = sizeOf(old);
  const grown = inside(
    'resources',
    inside('requests', (each) => put(each, 'storage', storage)),
  );
  return put(grown(classed), 'volumeAttributesClassName', old['volumeAttributesClassName']);
}

function sizeOf(spec: JsonObject) {
  return partOf(partOf(spec, 'resources'), 'requests')['storage'];
}

/** A claim may shrink again as long as it was never that large. */
function shrunk(spec: Place, old: JsonObject, status: JsonObject): Errors {
  const next = nanoOf(sizeOf(object(spec)));
  if (next >= nanoOf(sizeOf(old)) || next > nanoOf(partOf(status, 'capacity')['storage'])) {
    return none;
  }
  const at = child(spec, 'resources', 'requests', 'storage');
  return [forbidden(at, 'field can not be less than status.capacity')];
}
