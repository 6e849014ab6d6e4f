import { fractions } from '../words/fractions.ts';
import { child, isStated, type Place } from '../words/place.ts';

const oldVolumes = {
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

export function volumeWarnings(volume: Place): readonly string[] {
  const claim = child(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  return [
    ...Object.entries(oldVolumes)
      .filter(([key]) => isStated(child(volume, key)))
      // One of them has another name in the real server's errors than in the API.
      .map(([key, why]) => `${volume.path}.${key === 'storageos' ? 'storageOS' : key}: ${why}`),
    ...claimWarnings(claim),
  ];
}

/** Of the spec of a claim. */
export function claimWarnings(spec: Place): readonly string[] {
  return ['requests', 'limits'].flatMap((key) =>
    fractions(child(spec, 'resources', key), ['storage']),
  );
}
