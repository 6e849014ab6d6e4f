import { describe, expect, it } from 'vitest';
import { collectionPath, objectPath } from '#shared/adapters/cluster/address.ts';
import { leases, namespaces, nodes, pods } from '#shared/domain/kind.ts';

describe('the path of a kind', () => {
  it.each([
    ['in a namespace', collectionPath(pods, 'team-a'), '/api/v1/namespaces/team-a/pods'],
    ['in all of them', collectionPath(pods), '/api/v1/pods'],
    ['that has none', collectionPath(nodes), '/api/v1/nodes'],
    ['of a group', collectionPath(leases, 'a'), '/apis/coordination.k8s.io/v1/namespaces/a/leases'],
  ])('%s', (_, path, expected) => {
    expect(path).toBe(expected);
  });
});

describe('the path of an object', () => {
  it('has its subresource at the end', () => {
    const target = { kind: pods, namespace: 'a', name: 'web', subresource: 'status' };
    expect(objectPath(target)).toBe('/api/v1/namespaces/a/pods/web/status');
  });

  it('keeps a name from becoming another path', () => {
    expect(objectPath({ kind: namespaces, name: 'a/../b?x' })).toBe(
      '/api/v1/namespaces/a%2F..%2Fb%3Fx',
    );
  });

  it.each([
    ['no name', { kind: nodes, name: '' }, 'none is named'],
    ['two dots', { kind: nodes, name: '..' }, 'names nothing'],
    ['two dots as namespace', { kind: pods, namespace: '..', name: 'a' }, 'names nothing'],
    ['no namespace', { kind: pods, name: 'a' }, 'pods are named with a namespace'],
    ['a namespace too many', { kind: nodes, namespace: 'a', name: 'a' }, 'nodes have no namespace'],
  ])('is refused with %s', (_, target, why) => {
    expect(() => objectPath(target)).toThrow(why);
  });
});
