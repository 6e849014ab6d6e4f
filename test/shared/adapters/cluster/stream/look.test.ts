import { describe, expect, it } from 'vitest';
import type { Scope } from '#shared/domain/watched.ts';
import { answering, refusing, type Script } from '../scripted-server.ts';
import { forever, maps, streamFrom } from './streaming-server.ts';

const of = (namespaced: boolean): Scope => ({
  kind: { group: 'ex.io', version: 'v1', kind: 'Gate', resource: 'gates', namespaced },
});
const scopes = [of(true), of(false)];

describe('a look at an object', () => {
  it.each([
    ['with a namespace', 'team-a', '/apis/ex.io/v1/namespaces/team-a/gates/a'],
    ['without one', '', '/apis/ex.io/v1/gates/a'],
  ])('%s is where it was seen, whatever its definition says', async (_, namespace, path) => {
    const { stream, requests } = await streamFrom(answering(200, { metadata: { name: 'a' } }));
    for (const scope of scopes) {
      const found = await stream.find(scope, { namespace, name: 'a' }, forever);
      expect(found).toMatchObject({ kind: 'found' });
    }
    expect(requests.map(({ url }) => url)).toEqual([path, path]);
  });

  const page = answering(200, { kind: 'List', metadata: { resourceVersion: '9' }, items: [] });
  const unsaid = refusing(404, { reason: 'NotFound' });
  const proxied = answering(404, '404 page not found\n');

  it.each<[string, { object: Script; collection: Script }, string]>([
    ['nobody, where the collection is there', { object: unsaid, collection: page }, 'none'],
    ['an absent kind, where that is not', { object: unsaid, collection: unsaid }, 'absent'],
    ['no word on an object, from a proxy', { object: proxied, collection: page }, 'absent'],
    [
      'no word on an object, where nobody can tell',
      { object: unsaid, collection: refusing(503, {}) },
      'absent',
    ],
  ])('that ends in a 404 without a name is %s', async (_, { object, collection }, expected) => {
    const { stream } = await streamFrom((request, response) => {
      const script = request.url?.includes('?') ? collection : object;
      script(request, response);
    });
    const found = await stream.find(maps, { namespace: 'b', name: 'a' }, forever);
    expect(found).toMatchObject({ kind: expected });
  });
});
