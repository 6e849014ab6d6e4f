import type { KindRules } from '../kind-rules.ts';
import { all, ensured, inside, preset } from '../words/edit.ts';
import { oneOf, stated } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child } from '../words/place.ts';
import { amounts } from '../words/quantity.ts';
import { timestamp } from '../words/time.ts';
import { guarded } from './protection.ts';

/** Stored, with its defaults; nothing provisions. */
export const storageClass: KindRules = {
  defaults: preset({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  isClusterWide: true,
  checks: (at) => [
    ...stated(child(at, 'provisioner')),
    ...oneOf(child(at, 'reclaimPolicy'), ['Delete', 'Retain']),
    ...oneOf(child(at, 'volumeBindingMode'), ['Immediate', 'WaitForFirstConsumer']),
  ],
  changes: (next, before) => [
    ...immutable(child(next, 'provisioner'), before['provisioner']),
    ...immutable(child(next, 'reclaimPolicy'), before['reclaimPolicy']),
    ...immutable(child(next, 'volumeBindingMode'), before['volumeBindingMode']),
  ],
};

export const volume: KindRules = {
  defaults: ensured(
    'spec',
    all(
      preset({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
      amounts('capacity'),
      inside('hostPath', (hostPath) => ({ type: '', ...hostPath })),
    ),
  ),
  status: (_, { now }) => ({ phase: 'Pending', lastPhaseTransitionTime: timestamp(now) }),
  created: guarded('kubernetes.io/pv-protection'),
  isClusterWide: true,
};
