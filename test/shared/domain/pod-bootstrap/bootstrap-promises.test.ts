import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { stored as withPreference } from '#test/support/preferring.ts';
import { decided, podRead as read, stored } from './bootstrapping.ts';
import { cases, pods } from './random-bootstrap.ts';

/** What may become other than it was; anything else is the user's. */
const meant = [
  /^\/spec\/(initContainers|containers|ephemeralContainers)\/\d+\/image$/,
  /^\/spec\/volumes\/\d+\/image\/reference$/,
  /^\/metadata\/annotations\/(gatehouse\.io\/pod-bootstrap|rt-bootstrapper\.)/,
];

const told = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED', 'KYMA_LANDSCAPE'];

/** The paths at which something of before is no longer there, or no longer in its place. */
function lost(before: Json, after: Json | undefined, path = ''): readonly string[] {
  if (before === null || meant.some((each) => each.test(path))) return [];
  if (isTold(before)) return isTold(after) ? [] : [path];
  if (isList(before)) {
    const items = isList(after) ? after : [];
    return before.flatMap((item, index) => lost(item, items[index], `${path}/${index}`));
  }
  if (isJsonObject(before)) {
    return Object.entries(before).flatMap(([key, value]) =>
      lost(value, isJsonObject(after) ? after[key] : undefined, `${path}/${key}`),
    );
  }
  return before === after ? [] : [path];
}

function isTold(value: Json | undefined): boolean {
  return isJsonObject(value) && told.includes(String(value['name'])) && 'value' in value;
}

function isChanged(pod: JsonObject, given: Parameters<typeof decided>[1]): boolean {
  return decided(pod, given).kind === 'patch';
}

describe('what bootstrapPod promises of any pod and any document', () => {
  it('changes nothing the second time, and never denies', () => {
    let changed = 0;
    fc.assert(
      fc.property(pods, cases, (pod, given) => {
        const first = decided(pod, given);
        if (first.kind !== 'patch') return first.kind === 'allow';
        changed += 1;
        return decided(applyPatch(pod, first.changes), given).kind === 'allow';
      }),
      { numRuns: 6_000 },
    );
    expect(changed).toBeGreaterThan(3_000);
  });

  it('loses nothing of what the user wrote, and moves nothing in a list', () => {
    fc.assert(
      fc.property(pods, cases, (pod, given) => {
        expect(lost(pod, stored(pod, given))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('may come before or after the preference for a pool of nodes', () => {
    fc.assert(
      fc.property(pods, cases, (pod, given) => {
        expect(withPreference(stored(pod, given))).toEqual(stored(withPreference(pod), given));
      }),
      { numRuns: 1_500 },
    );
  });

  it('does in an update nothing but to images that the update brings', () => {
    fc.assert(
      fc.property(pods, cases, (pod, given) => {
        const old = { ...pod, spec: { ...(pod['spec'] as JsonObject), containers: [] } };
        for (const request of ['update', 'ephemeral'] as const) {
          expect(isChanged(pod, { ...given, request: { kind: request, old: read(pod) } })).toBe(
            false,
          );
          expect(isChanged(pod, { ...given, request: { kind: request, old: read(old) } })).toBe(
            false,
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});
