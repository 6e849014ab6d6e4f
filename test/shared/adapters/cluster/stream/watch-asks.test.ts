import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { secrets } from '#shared/domain/kind.ts';
import { kubeconfigFor, refusing } from '../scripted-server.ts';
import { forever, heard, maps, saying, streamFrom, watching } from './streaming-server.ts';

const options = { resourceVersion: '5', timeoutSeconds: 7, idleMs: 5_000, signal: forever };

describe('what a watch asks for', () => {
  it('is a version, bookmarks and an end', async () => {
    const { stream, requests } = await streamFrom(saying());
    await watching(stream, options, { ...maps, namespace: 'team-a', labels: 'a=b', fields: 'x=y' });
    const { pathname, searchParams } = new URL(requests[0]?.url ?? '', 'http://any');
    expect(pathname).toBe('/api/v1/namespaces/team-a/configmaps');
    expect(Object.fromEntries(searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '7',
      resourceVersion: '5',
      labelSelector: 'a=b',
      fieldSelector: 'x=y',
    });
  });

  it('is a list first where no version is known, and never an old one', async () => {
    const { stream, requests } = await streamFrom(saying());
    await watching(stream, { ...options, resourceVersion: undefined });
    const { searchParams } = new URL(requests[0]?.url ?? '', 'http://any');
    expect(searchParams.get('sendInitialEvents')).toBe('true');
    expect(searchParams.get('resourceVersionMatch')).toBe('NotOlderThan');
    expect(searchParams.has('resourceVersion')).toBe(false);
  });

  it('is metadata where no more may be known, with no second choice', async () => {
    const { stream, requests } = await streamFrom(saying());
    await watching(stream, options, { kind: secrets, metadataOnly: true });
    expect(requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    );
    expect(requests[0]?.headers['accept-encoding']).toBeUndefined();
  });
});

describe('a watch that is refused', () => {
  it.each([
    [410, 'Expired', 'expired'],
    [404, 'NotFound', 'absent'],
    [403, 'Forbidden', 'forbidden'],
    [400, 'BadRequest', 'unsupported'],
    [503, 'ServiceUnavailable', 'busy'],
  ])('with %i %s is %s', async (code, reason, kind) => {
    const { stream } = await streamFrom(refusing(code, { reason, message: 'because' }));
    const watch = await stream.watch(maps, options);
    expect(watch).toMatchObject({ kind, why: `${reason}: because` });
  });

  it('throws what the server said where it is no refusal that we know', async () => {
    const { stream } = await streamFrom(refusing(302, { reason: 'Elsewhere' }));
    const watch = stream.watch(maps, options);
    await expect(watch).rejects.toThrow('cannot watch configmaps: 302 Elsewhere');
  });

  it('says how long to wait', async () => {
    const script = refusing(429, { reason: 'TooManyRequests' }, { 'retry-after': '3' });
    const { stream } = await streamFrom(script);
    expect(await stream.watch(maps, options)).toMatchObject({ kind: 'busy', afterSeconds: 3 });
  });

  it('repeats nothing that the server says about Secrets', async () => {
    const { stream } = await streamFrom(refusing(403, { reason: 'Forbidden', message: 'hunter2' }));
    const watch = await stream.watch({ kind: secrets }, options);
    expect(watch).toEqual({ kind: 'forbidden', why: 'Forbidden' });
  });

  it('asks again with the renewed token, once', async () => {
    const path = kubeconfigFor('http://replaced', { token: 'old' });
    const { stream, requests } = await streamFrom(
      (request, response) => {
        if (request.headers.authorization === 'Bearer new') saying()(request, response);
        else {
          writeFileSync(path, kubeconfigText(`http://${request.headers.host}`, 'new'));
          refusing(401, { reason: 'Unauthorized' })(request, response);
        }
      },
      {
        login(url) {
          writeFileSync(path, kubeconfigText(url, 'old'));
          return { kind: 'kubeconfig', path };
        },
      },
    );
    expect(await heard(await watching(stream, options))).toMatchObject({ end: { kind: 'closed' } });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
  });

  it('is forbidden where the second token is refused as well', async () => {
    const { stream, requests } = await streamFrom(refusing(401, { reason: 'Unauthorized' }));
    expect(await stream.watch(maps, options)).toMatchObject({ kind: 'forbidden' });
    expect(requests).toHaveLength(2);
  });
});

function kubeconfigText(server: string, token: string): string {
  const cluster = { server, 'insecure-skip-tls-verify': true };
  return JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
