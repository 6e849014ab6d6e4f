import { fractions } from '../words/fractions.ts';
import { child, isStated, type Place } from '../words/place.ts';

type OldVolume = {
  readonly key: string;
  /** One of them has another name in the real server's errors than in the API. */
  readonly shown: string;
  readonly why: string;
  /** Of a volume that stands by itself nobody is told. */
  readonly isOfPods: boolean;
};

const stated = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

export const oldVolumes: readonly OldVolume[] = Object.entries(stated).map(([key, why]) => ({
  ...{ key, why, shown: key === 'storageos' ? 'storageOS' : key },
  isOfPods: ['gitRepo', 'flocker', 'quobyte'].includes(key),
}));

export function volumeWarnings(volume: Place): readonly string[] {
  const claim = child(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  return [
    ...oldVolumes
      .filter(({ key }) => isStated(child(volume, key)))
      .map(({ shown, why }) => `${volume.path}.${shown}: ${why}`),
    ...claimWarnings(claim),
  ];
}

/** Of the spec of a claim. */
export function claimWarnings(spec: Place): readonly string[] {
  return ['requests', 'limits'].flatMap((key) =>
    fractions(child(spec, 'resources', key), ['storage']),
  );
}
