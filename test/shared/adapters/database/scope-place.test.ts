import { describe, expect, it } from 'vitest';
import { followedFrom } from '#events/forwarder/followed.ts';
import {
  isOverlapping,
  isWithinPlace,
  placeOfScope,
} from '#shared/adapters/database/scope-place.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { scopeName } from '#shared/domain/watched.ts';

const labels = { matchLabels: { app: 'web' } };
const watches: readonly Watch[] = [
  { of: pods },
  { of: namespaces },
  { of: { ...pods, group: 'metrics.k8s.io' } },
  { of: pods, metadataOnly: true },
  ...['x', 'y'].flatMap((namespace): readonly Watch[] => [
    { of: pods, namespace },
    { of: pods, namespace, metadataOnly: true },
    { of: pods, namespace, name: 'a' },
    { of: pods, namespace, name: 'a&b', metadataOnly: true },
    { of: pods, namespace, labels, atServer: true },
    { of: pods, namespace, fields: 'status.phase=Running', atServer: true },
  ]),
  { of: pods, name: 'a' },
  { of: pods, name: 'a&c' },
  { of: pods, fields: 'metadata.name=a,status.phase=Running', atServer: true },
  { of: pods, name: 'b', metadataOnly: true },
  { of: pods, labels, atServer: true },
  { of: pods, labels: { matchLabels: { 'app.kubernetes.io/name': 'db' } }, atServer: true },
  { of: pods, labels, fields: 'spec.nodeName=n', atServer: true },
];

function nameOf(watch: Watch): string {
  const [only] = followedFrom([{ function: 'f', watch }]);
  if (only === undefined) throw new Error('nothing is followed');
  return scopeName(only.scope);
}

describe('isOverlapping', () => {
  it('says of names what one configuration says of its scopes, which it joins where they overlap', () => {
    const judged = watches.flatMap((one) =>
      watches.map((other) => {
        const joined = followedFrom([one, other].map((watch) => ({ function: 'f', watch })));
        const isJoined = joined.length === 1;
        return { pair: [nameOf(one), nameOf(other)] as const, isJoined };
      }),
    );
    const wrong = judged.filter(({ pair: [one, other], isJoined }) => {
      return isOverlapping(one, other) !== isJoined;
    });
    expect(wrong).toEqual([]);
    expect(judged.filter(({ isJoined }) => isJoined).length).toBeGreaterThan(watches.length);
    expect(judged.filter(({ isJoined }) => !isJoined).length).toBeGreaterThan(watches.length);
  });
});

describe('isWithinPlace', () => {
  it.each([
    ['pods/a', true],
    ['pods/b', false],
    ['pods?metadata.name=web', true],
    ['pods/a?metadata.name=db&metadata', false],
    ['pods?app=db', true],
  ])('judges the place of %s', (scope, expected) => {
    expect(isWithinPlace({ namespace: 'a', name: 'web' }, placeOfScope(scope))).toBe(expected);
  });
});
