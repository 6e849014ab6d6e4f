import type { JsonObject } from '#shared/domain/json.ts';
import { all, type Edit, each, ensured, inside, preset, put } from '../words/edit.ts';
import { canonicalQuantity } from '../words/quantity.ts';
import { isLatest, pointsTo } from './container-defaults.ts';

const readable = preset({ defaultMode: 0o644 });

const projection = all(
  inside('serviceAccountToken', preset({ expirationSeconds: 3600 })),
  inside('downwardAPI', each('items', pointsTo)),
);

function sized(emptyDir: JsonObject): JsonObject {
  const { sizeLimit } = emptyDir;
  return sizeLimit === undefined
    ? emptyDir
    : put(emptyDir, 'sizeLimit', canonicalQuantity(sizeLimit));
}

/** One that names no source is an empty directory. */
function sourced(volume: JsonObject): JsonObject {
  const isBare = Object.keys(volume).every((key) => key === 'name');
  return isBare ? { ...volume, emptyDir: {} } : volume;
}

export const claimSpec = preset({ volumeMode: 'Filesystem' });

function pulled(image: JsonObject): JsonObject {
  const pullPolicy = isLatest(String(image['reference'] ?? '')) ? 'Always' : 'IfNotPresent';
  return preset({ pullPolicy })(image);
}

export const volume: Edit = all(
  sourced,
  inside('emptyDir', sized),
  inside('secret', readable),
  inside('configMap', readable),
  inside('downwardAPI', all(readable, each('items', pointsTo))),
  inside('projected', all(readable, each('sources', projection))),
  inside('hostPath', (hostPath) => ({ type: '', ...hostPath })),
  inside('iscsi', preset({ iscsiInterface: 'default' })),
  inside('rbd', preset({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' })),
  inside('image', pulled),
  inside(
    'ephemeral',
    inside('volumeClaimTemplate', all(ensured('metadata'), inside('spec', claimSpec))),
  ),
);
