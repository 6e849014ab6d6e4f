import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { openOwnersSeen } from '#shared/runtime/admission/owners-seen.ts';

function ownedBy(...owners: readonly unknown[]): JsonObject {
  return JSON.parse(JSON.stringify({ metadata: { ownerReferences: owners } }));
}

describe('the owners of pods', () => {
  it('are known from their second pod on', () => {
    const owners = openOwnersSeen({ most: 4 });
    const pods = ['a', 'b', 'a', 'a', 'b'].map((uid) => ownedBy({ uid }));
    expect(pods.map(owners.hasSent)).toEqual([false, false, true, true, true]);
  });

  it('are forgotten once so many others have come', () => {
    const owners = openOwnersSeen({ most: 4 });
    const pods = ['a', 'b', 'c', 'a', 'd', 'd', 'a'].map((uid) => ownedBy({ uid }));
    const found = pods.map(owners.hasSent);
    expect(found).toEqual([false, false, false, true, false, true, false]);
  });

  it.each([
    ['no metadata', {}],
    ['no owners', { metadata: {} }],
    ['an empty list', ownedBy()],
    ['an owner that is none', ownedBy('a')],
    ['an owner without uid', ownedBy({ uid: 1 })],
  ])('are nobody where a pod has %s', (_, pod) => {
    const owners = openOwnersSeen({ most: 2 });
    expect([owners.hasSent(pod), owners.hasSent(pod)]).toEqual([false, false]);
  });
});
