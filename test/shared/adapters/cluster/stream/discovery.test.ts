import { describe, expect, it } from 'vitest';
import type { Kind } from '#shared/domain/kind.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { answering, inTurn, refusing } from '../scripted-server.ts';
import { forever, type Script, streamFrom } from './streaming-server.ts';

const gates: Kind = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Gate',
  resource: 'gates',
  namespaced: true,
};

function group(...versions: readonly string[]): Script {
  const named = versions.map((version) => ({ version }));
  return answering(200, { kind: 'APIGroup', versions: named, preferredVersion: named[0] });
}

function resources(...names: readonly string[]): Script {
  const named = names.map((name) => ({ name, kind: 'Gate', namespaced: true }));
  return answering(200, { kind: 'APIResourceList', resources: named });
}

function groups(...names: readonly string[]): Script {
  return answering(200, { kind: 'APIGroupList', groups: names.map((name) => ({ name })) });
}

const unavailable = answering(503, 'service unavailable\n');
const plainNotFound = answering(404, '404 page not found\n');

/** By path; what is not named fails. */
async function servedBy(paths: Readonly<Record<string, Script>>, kind: Kind = gates) {
  const { stream } = await streamFrom((request, response) => {
    const script = paths[request.url ?? ''] ?? answering(500, 'not in the script');
    script(request, response);
  });
  return stream.served(kind, forever);
}

describe('served', () => {
  it('is the version that is asked for, whatever is preferred', async () => {
    const paths = {
      '/apis/example.dev': group('v2', 'v1'),
      '/apis/example.dev/v2': unavailable,
      '/apis/example.dev/v1': resources('gates', 'gates/status'),
    };
    expect(await servedBy(paths)).toEqual(gates);
  });

  it('is the preferred version that has the resource, where the one asked for is not offered', async () => {
    const paths = {
      '/apis/example.dev': group('v3', 'v2'),
      '/apis/example.dev/v3': resources('gates', 'gates/status'),
      '/apis/example.dev/v2': unavailable,
    };
    expect(await servedBy(paths)).toEqual({ ...gates, version: 'v3' });
  });

  it('is the next version where the preferred one lacks the resource', async () => {
    const paths = {
      '/apis/example.dev': group('v3', 'v2'),
      '/apis/example.dev/v3': resources('others', 'gates/status'),
      '/apis/example.dev/v2': resources('gates'),
    };
    expect(await servedBy(paths)).toEqual({ ...gates, version: 'v2' });
  });

  it.each<[string, Readonly<Record<string, Script>>]>([
    [
      'the group is not there, nor among all of them',
      { '/apis/example.dev': plainNotFound, '/apis': groups('apps') },
    ],
    [
      'the server says so in a Status',
      { '/apis/example.dev': refusing(404, { reason: 'NotFound' }), '/apis': groups('apps') },
    ],
    [
      'no version has the resource',
      {
        '/apis/example.dev': group('v2', 'v1'),
        '/apis/example.dev/v2': resources('others'),
        '/apis/example.dev/v1': resources(),
      },
    ],
  ])('is nothing where %s', async (_, paths) => {
    expect(await servedBy(paths)).toBeUndefined();
  });

  it('is nothing where the core lacks the resource', async () => {
    expect(await servedBy({ '/api/v1': resources('pods') }, configMaps)).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, Script>>]>([
    [
      'the aggregated API is dead',
      { '/apis/example.dev': group('v1'), '/apis/example.dev/v1': unavailable },
    ],
    [
      'the version that may have it cannot be read',
      {
        '/apis/example.dev': group('v2', 'v1'),
        '/apis/example.dev/v2': resources('others'),
        '/apis/example.dev/v1': unavailable,
      },
    ],
    [
      'a version that is listed is not there',
      { '/apis/example.dev': group('v1'), '/apis/example.dev/v1': plainNotFound },
    ],
    [
      'a load balancer knows no such page',
      { '/apis/example.dev': answering(404, '<html>Not found') },
    ],
    [
      'a proxy says so of a group that the server has',
      { '/apis/example.dev': plainNotFound, '/apis': groups('apps', 'example.dev') },
    ],
    [
      'it is there when it is asked for once more',
      { '/apis/example.dev': inTurn(plainNotFound, group('v1')), '/apis': groups('apps') },
    ],
    ['we may not ask', { '/apis/example.dev': refusing(403, { reason: 'Forbidden' }) }],
    ['the server fails', { '/apis/example.dev': refusing(500, {}) }],
    ['the answer is anything else', { '/apis/example.dev': answering(200, { kind: 'Status' }) }],
    [
      'the list of resources is none',
      { '/apis/example.dev': group('v1'), '/apis/example.dev/v1': answering(200, {}) },
    ],
  ])('is an error, and no absence, where %s', async (_, paths) => {
    await expect(servedBy(paths)).rejects.toThrow('cannot discover /apis/example.dev');
  });

  it('is an error, and no absence, where nothing is there at all', async () => {
    const paths = { '/apis/example.dev': plainNotFound, '/apis': plainNotFound };
    await expect(servedBy(paths)).rejects.toThrow('cannot discover /apis: 404');
  });
});

describe('identity', () => {
  it('is thrown where there is none', async () => {
    const { stream } = await streamFrom(answering(200, { metadata: { name: 'kube-system' } }));
    await expect(stream.identity(forever)).rejects.toThrow('it has no uid');
  });
});
