import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { stored as withPreference } from '#test/support/preferring.ts';
import { decided, podRead as read, stored } from './bootstrapping.ts';
import { lost } from './lost.ts';
import { cases, pods } from './random-bootstrap.ts';

const { resolve } = posix;

/** Reading a document takes longer than deciding by it. */
const some = fc.constantFrom(...fc.sample(cases, 500));

function isChanged(pod: JsonObject, given: Parameters<typeof decided>[1]): boolean {
  return decided(pod, given).kind === 'patch';
}

function isBelow(path: string, above: string): boolean {
  return path === above || above === '/' || path.startsWith(`${above}/`);
}

describe('what bootstrapPod promises of any pod and any document', () => {
  it('changes nothing the second time, and never denies', () => {
    let changed = 0;
    fc.assert(
      fc.property(pods, some, (pod, given) => {
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
      fc.property(pods, some, (pod, given) => {
        expect(lost(pod, stored(pod, given))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('mounts the bundle neither over nor under anything of the user’s, however that is spelled', () => {
    let mounted = 0;
    fc.assert(
      fc.property(pods, some, (pod, given) => {
        const after = read(stored(pod, given)).spec;
        for (const [at, { volumeMounts: before }] of read(pod).spec.containers.entries()) {
          const mounts = after.containers[at]?.volumeMounts ?? [];
          for (const { mountPath } of mounts.slice(before.length)) {
            mounted += 1;
            const own = resolve('/', mountPath);
            const others = before.map((each) => resolve('/', each.mountPath));
            expect(others.filter((other) => isBelow(own, other) || isBelow(other, own))).toEqual(
              [],
            );
          }
        }
      }),
      { numRuns: 2_000 },
    );
    expect(mounted).toBeGreaterThan(100);
  });

  it('may come before or after the preference for a pool of nodes', () => {
    fc.assert(
      fc.property(pods, some, (pod, given) => {
        expect(withPreference(stored(pod, given))).toEqual(stored(withPreference(pod), given));
      }),
      { numRuns: 1_500 },
    );
  });

  it('does in an update nothing but to images that the update brings', () => {
    fc.assert(
      fc.property(pods, some, (pod, given) => {
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
