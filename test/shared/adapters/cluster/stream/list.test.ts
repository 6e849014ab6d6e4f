import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { secrets } from '#shared/domain/kind.ts';
import { answering, refusing } from '../scripted-server.ts';
import { forever, maps, type Script, streamFrom } from './streaming-server.ts';

const page = { limit: 100, signal: forever };

const metadataOf = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: '7' });

/** As many objects as are asked for, of so many bytes each. */
function listing(bytes: number): Script {
  return listingOf('x'.repeat(bytes));
}

function listingOf(x: unknown, more: object = {}): Script {
  return (request, response) => {
    const limit = Number(new URL(request.url ?? '', 'http://any').searchParams.get('limit'));
    const items = Array.from({ length: limit }, (_, index) => ({
      metadata: { ...metadataOf(`n${index}`), ...more },
      data: { x },
    }));
    const metadata = { resourceVersion: '9', continue: 'more' };
    answering(200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items })(request, response);
  };
}

/** All of them, whatever is asked for. */
function unlimited(names: readonly string[], bytes: number): Script {
  return (request, response) => {
    const isPartial = String(request.headers.accept).includes('PartialObjectMetadata');
    const data = isPartial ? {} : { data: { x: 'x'.repeat(bytes) } };
    const items = names.map((name) => ({ metadata: { name, namespace: 'home' }, ...data }));
    answering(200, { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items })(
      request,
      response,
    );
  };
}

/** As an aggregated server that knows no `PartialObjectMetadata`. */
function unlessPartial(script: Script): Script {
  return (request, response) => {
    const isPartial = request.headers.accept?.includes('PartialObjectMetadata');
    const answer = isPartial ? refusing(406, { reason: 'NotAcceptable' }) : script;
    answer(request, response);
  };
}

function limitsOf(requests: readonly { readonly url?: string | undefined }[]) {
  return requests.map(({ url = '' }) => new URL(url, 'http://any').searchParams.get('limit'));
}

describe('a page of a list', () => {
  it('is of the most recent state: it names no version', async () => {
    const { stream, requests } = await streamFrom(listing(1));
    await stream.list({ ...maps, labels: 'a=b' }, { ...page, continue: 'here' });
    const { searchParams } = new URL(requests[0]?.url ?? '', 'http://any');
    expect(Object.fromEntries(searchParams)).toEqual({
      limit: '100',
      continue: 'here',
      labelSelector: 'a=b',
    });
  });

  it('that is too large is asked for again with fewer objects', async () => {
    const { stream, requests } = await streamFrom(listing(1_000), { maxPageBytes: 20_000 });
    const listed = await stream.list(maps, page);
    expect(listed).toMatchObject({ kind: 'page', continue: 'more' });
    expect(limitsOf(requests)).toEqual(['100', '12']);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['cut', (response) => response.destroy()],
    ['ended', (response) => response.end()],
  ])('that is %s in its middle is no page: nothing of it is handed on', async (_, ends) => {
    const { stream } = await streamFrom((_request, response) => {
      const items = [{ metadata: { name: 'a', uid: 'u1', resourceVersion: '3' } }];
      const list = { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items };
      response.setHeader('content-type', 'application/json');
      response.write(JSON.stringify(list).slice(0, -1), () => ends(response));
    });
    await expect(stream.list(maps, page)).rejects.toThrow(/^cannot list configmaps: /);
  });

  it('that would fill the heap by its parts is asked for again with fewer objects', async () => {
    const parts = Array.from({ length: 20_000 }, () => ({}));
    const limits = { maxParsedBytes: 12 * 1024 * 1024 };
    const { stream, requests } = await streamFrom(listingOf(parts), limits);
    expect(await stream.list(maps, { ...page, limit: 32 })).toMatchObject({ kind: 'page' });
    expect(limitsOf(requests)).toEqual(['32', '4']);
  });

  it('has 8 MiB at most where nothing else is said', async () => {
    const { stream, requests } = await streamFrom(listing(90_000));
    const listed = await stream.list(maps, page);
    expect(listed.kind === 'page' && listed.bytes).toBeLessThan(8 * 1024 * 1024);
    expect(limitsOf(requests)).toEqual(['100', '12']);
  });

  it('that is too large also of one object, by a server that takes no limit, names all whom it would have had', async () => {
    const { stream } = await streamFrom(unlimited(['a', 'b', 'c'], 9_000), {
      maxPageBytes: 20_000,
    });
    const listed = await stream.list(maps, page);
    const oversized = ['a', 'b', 'c'].map((name) => ({ metadata: { namespace: 'home', name } }));
    expect(listed).toMatchObject({ kind: 'page', objects: [], oversized, continue: undefined });
  });

  it.each<[string, Script]>([
    ['refuses to list metadata', unlessPartial(listing(30_000))],
    ['sends all of an object for its metadata', listing(30_000)],
    ['lists a metadata of many parts', listingOf('x'.repeat(30_000), { labels: { app: 'web' } })],
  ])('that is too large also of one object names it, where a server %s', async (_, script) => {
    const limits = { maxPageBytes: 20_000, maxObjectBytes: 20_000 };
    const { stream } = await streamFrom(script, limits);
    const metadata = metadataOf('n0');
    const oversized = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }];
    expect(await stream.list(maps, page)).toEqual({
      ...{ kind: 'page', objects: [], oversized, resourceVersion: '9', continue: 'more' },
      bytes: expect.any(Number),
    });
  });

  it('of what is watched as metadata is never read whole', async () => {
    const { stream, requests } = await streamFrom(unlessPartial(listing(30_000)));
    const listed = await stream.list({ ...maps, metadataOnly: true }, page);
    expect(listed).toMatchObject({ kind: 'unsupported' });
    expect(requests).toHaveLength(1);
  });

  it('fails by name where not even the metadata of a single object fits', async () => {
    const { stream, requests } = await streamFrom(unlimited(['n'.repeat(30_000)], 1), {
      maxPageBytes: 20_000,
    });
    const list = stream.list(maps, page);
    await expect(list).rejects.toThrow('cannot list configmaps: too large an answer');
    expect(limitsOf(requests)).toEqual(['100', '12', '1', '1']);
  });

  it('of Secrets is of metadata, with no second choice', async () => {
    const { stream, requests } = await streamFrom(listing(1));
    await stream.list({ kind: secrets, metadataOnly: true }, page);
    expect(requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    );
  });

  it('of metadata has nothing else, whatever the server sends', async () => {
    const { stream } = await streamFrom(listing(1));
    const listed = await stream.list({ ...maps, metadataOnly: true }, { ...page, limit: 1 });
    expect(listed.kind === 'page' && listed.objects).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf('n0') },
    ]);
  });

  it('of metadata is one also where the server sends all of an object that is larger than a page', async () => {
    const { stream } = await streamFrom(listing(30_000), { maxPageBytes: 20_000 });
    expect(await stream.list({ ...maps, metadataOnly: true }, page)).toMatchObject({
      objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n0' } }],
      continue: 'more',
    });
  });

  it('is empty where Go wrote null', async () => {
    const body = { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items: null };
    const { stream } = await streamFrom(answering(200, body));
    expect(await stream.list(maps, page)).toMatchObject({ objects: [], continue: undefined });
  });

  it.each([
    ['no list', { kind: 'ConfigMap', metadata: { resourceVersion: '9' } }],
    ['a list without a version', { kind: 'ConfigMapList', metadata: {}, items: [] }],
    [
      'an item that is no object',
      { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items: [1] },
    ],
    ['a page of a proxy', '<html>'],
  ])('is none where the answer is %s', async (_, body) => {
    const { stream } = await streamFrom(answering(200, body));
    await expect(stream.list(maps, page)).rejects.toThrow('cannot list configmaps');
  });

  it.each<[string, Script, object]>([
    ['410', refusing(410, { reason: 'Expired' }), { kind: 'expired' }],
    ['plain 404', answering(404, '404 page not found\n'), { kind: 'absent' }],
    ['401', refusing(401, {}), { kind: 'forbidden' }],
    ['403', refusing(403, {}), { kind: 'forbidden' }],
    ['429', refusing(429, {}, { 'retry-after': '4' }), { kind: 'busy', afterSeconds: 4 }],
    ['a dead aggregated API', answering(503, 'service unavailable'), { kind: 'busy' }],
    ['500', refusing(500, {}), { kind: 'busy' }],
    [
      'a lagging replica',
      refusing(504, { message: 'Too large resource version: 9' }),
      { kind: 'ahead' },
    ],
    ['400', refusing(400, { reason: 'BadRequest' }), { kind: 'unsupported' }],
  ])('is refused: %s', async (_, script, expected) => {
    const { stream } = await streamFrom(script);
    expect(await stream.list(maps, page)).toMatchObject(expected);
    expect(await stream.version(maps, forever)).toMatchObject(expected);
  });

  it('throws on an answer that is no answer to this', async () => {
    const { stream } = await streamFrom(answering(302, ''));
    await expect(stream.list(maps, page)).rejects.toThrow('302');
  });

  it('is given up with its caller', async () => {
    const { stream } = await streamFrom(() => {});
    const caller = new AbortController();
    const list = stream.list(maps, { ...page, signal: caller.signal });
    caller.abort();
    await expect(list).rejects.toThrow('cannot list configmaps: no answer');
  });

  it('is waited for no longer than its deadline', async () => {
    const { stream } = await streamFrom(() => {}, { deadlineMs: 30 });
    await expect(stream.list(maps, page)).rejects.toThrow('no answer within 30 ms');
  });
});

describe('the version of a collection', () => {
  it('is had by a list of one object’s metadata, which selects by no label', async () => {
    const { stream, requests } = await streamFrom(listing(1));
    const scope = { ...maps, namespace: 'a', labels: 'a=b', fields: 'metadata.name=c' };
    expect(await stream.version(scope, forever)).toEqual({ kind: 'version', resourceVersion: '9' });
    const { pathname, searchParams } = new URL(requests[0]?.url ?? '', 'http://any');
    expect(pathname).toBe('/api/v1/namespaces/a/configmaps');
    // The name stays: a role for one Secret allows no list without it.
    expect(Object.fromEntries(searchParams)).toEqual({
      limit: '1',
      fieldSelector: 'metadata.name=c',
    });
    expect(requests[0]?.headers.accept).toContain('PartialObjectMetadataList');
  });

  it.each([
    ['read from one whole object where the server lists no metadata', false, 'version'],
    ['not read so where only metadata is watched', true, 'unsupported'],
  ])('is %s', async (_, metadataOnly, expected) => {
    const { stream, requests } = await streamFrom(unlessPartial(listing(1)));
    const scope = { ...maps, labels: 'a=b', metadataOnly };
    expect(await stream.version(scope, forever)).toMatchObject({ kind: expected });
    expect(requests.map(({ url }) => url)).not.toContain(expect.stringContaining('labelSelector'));
  });
});
