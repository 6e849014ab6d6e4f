import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { decode } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { newPod } from '#shared/domain/node-affinity/pod.ts';
import { type Facts, preferPool } from '#shared/domain/node-affinity/prefer.ts';
import type { NodeAffinitySettings } from '#shared/domain/node-affinity/settings.ts';

/** What differs from a managed namespace, upstream's settings and a pool with nodes. */
export type Case = {
  readonly settings?: Partial<NodeAffinitySettings>;
  readonly facts?: Partial<Facts>;
};

export function decided(pod: JsonObject, { settings = {}, facts = {} }: Case = {}) {
  const result = decode(newPod, pod);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { nodeAffinity } = settingsFixed({ nodeAffinity: settings }).current();
  return preferPool(result.value, nodeAffinity, {
    namespace: 'team-a',
    poolHasNodes: true,
    ...facts,
  });
}

/** The pod as the API server would store it. */
export function stored(pod: JsonObject, given?: Case): JsonObject {
  const verdict = decided(pod, given);
  return verdict.kind === 'patch' ? applyPatch(pod, verdict.changes) : pod;
}
