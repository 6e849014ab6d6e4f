import { describe, expect, it } from 'vitest';
import { nodes, pods } from '#shared/domain/kind.ts';
import {
  isSameObject,
  parseApiVersion,
  referenceText,
  referenceTo,
} from '#shared/domain/reference.ts';

const web = { group: '', resource: 'pods', namespace: 'team-a', name: 'web', uid: '1' };

describe('a reference', () => {
  it('is made of an object', () => {
    const metadata = { name: 'web', namespace: 'team-a', uid: '1', labels: { a: 'b' } };
    expect(referenceTo(pods, { metadata })).toEqual(web);
    expect(referenceTo(nodes, { metadata: { name: 'n1', uid: '2' } })).toEqual({
      group: '',
      resource: 'nodes',
      namespace: '',
      name: 'n1',
      uid: '2',
    });
  });

  it.each([
    ['of a core kind', web, 'pods/team-a/web'],
    [
      'of another group',
      { ...web, group: 'apps', resource: 'deployments' },
      'deployments.apps/team-a/web',
    ],
    ['of a kind without namespaces', { ...web, resource: 'nodes', namespace: '' }, 'nodes/web'],
  ])('has a text, %s', (_, reference, text) => {
    expect(referenceText(reference)).toBe(text);
  });

  it.each([
    ['itself', web, true],
    ['one made anew', { ...web, uid: '2' }, false],
    ['one elsewhere', { ...web, namespace: 'team-b' }, false],
    ['one of another kind', { ...web, group: 'x', resource: 'pods' }, false],
  ])('is compared with %s', (_, other, expected) => {
    expect(isSameObject(web, other)).toBe(expected);
  });
});

describe('parseApiVersion', () => {
  it.each([
    ['v1', { group: '', version: 'v1' }],
    ['apps/v1', { group: 'apps', version: 'v1' }],
    ['cert.gardener.cloud/v1alpha1', { group: 'cert.gardener.cloud', version: 'v1alpha1' }],
    ['', undefined],
    ['/v1', undefined],
    ['apps/', undefined],
    ['a/b/c', undefined],
    ['apps /v1', undefined],
  ])('reads %j', (text, expected) => {
    expect(parseApiVersion(text)).toEqual(expected);
  });
});
