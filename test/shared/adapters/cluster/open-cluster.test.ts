import { describe, expect, it } from 'vitest';
import { refusalOf } from '#shared/adapters/cluster/failure.ts';
import { configMaps, nodes, pods, secrets } from '#shared/domain/kind.ts';
import { answering, clusterOf, inTurn, refusing, type Script } from './scripted-server.ts';

const web = { kind: pods, namespace: 'team-a', name: 'web' };
const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'team-a' } };
const never: Script = () => undefined;

describe('a request', () => {
  it('goes to the path of the kubeconfig, with its token and our name', async () => {
    const headers: unknown[] = [];
    const { cluster, requests } = await clusterOf(
      (request, response) => {
        headers.push(request.headers.authorization, request.headers['user-agent']);
        answering(200, object)(request, response);
      },
      { userAgent: 'gatehouse/1.2.3' },
    );
    expect(await cluster.find(web)).toEqual(object);
    expect(requests).toEqual(['GET /behind/a/proxy/api/v1/namespaces/team-a/pods/web']);
    expect(headers).toEqual(['Bearer a-token', 'gatehouse/1.2.3']);
  });

  it('keeps its connection for the next one', async () => {
    const ports = new Set<unknown>();
    const { cluster } = await clusterOf((request, response) => {
      ports.add(request.socket.remotePort);
      answering(200, object)(request, response);
    });
    await cluster.find(web);
    await cluster.find(web);
    expect(ports.size).toBe(1);
  });

  it('fails after its deadline when no answer comes', { timeout: 2_000 }, async () => {
    const { cluster } = await clusterOf(never, { deadlineMs: 30 });
    await expect(cluster.find(web)).rejects.toThrow(
      'cannot get pods team-a/web: no answer within 30 ms',
    );
  });

  it('fails after its deadline when the answer stops half way', { timeout: 2_000 }, async () => {
    const half: Script = (_, response) => void response.writeHead(200).write('{"kind":');
    const { cluster } = await clusterOf(half, { deadlineMs: 50 });
    await expect(cluster.find(web)).rejects.toThrow('no answer within 50 ms');
  });

  it('fails on an answer that is cut off', async () => {
    const cut: Script = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"kind":', () => response.destroy());
    };
    const { cluster } = await clusterOf(cut);
    await expect(cluster.find(web)).rejects.toThrow('cannot get pods team-a/web: no answer');
  });

  it('reads an answer up to its cap and not a byte more', async () => {
    const body = JSON.stringify(object);
    const { cluster: enough } = await clusterOf(answering(200, body), {
      maxAnswerBytes: body.length,
    });
    expect(await enough.find(web)).toEqual(object);

    const { cluster: scant } = await clusterOf(answering(200, body), {
      maxAnswerBytes: body.length - 1,
    });
    const refused = scant.find(web);
    await expect(refused).rejects.toMatchObject({
      cause: { message: expect.stringContaining('larger than') },
    });
  });

  it('is made again on a new connection when the kept one was closed meanwhile', async () => {
    const closing: Script = (request) => request.socket.destroy();
    const { cluster, requests } = await clusterOf(
      inTurn(answering(200, object), closing, answering(200, object)),
    );
    await cluster.find(web);
    expect(await cluster.find(web)).toEqual(object);
    expect(requests).toHaveLength(3);
  });

  it('that writes is not made again when nobody knows what became of it', async () => {
    const closing: Script = (request) => request.socket.destroy();
    const { cluster, requests } = await clusterOf(inTurn(answering(200, object), closing));
    await cluster.find(web);
    await expect(cluster.delete(web)).rejects.toThrow('cannot delete pods team-a/web');
    expect(requests).toHaveLength(2);
  });

  it('is made once more after a 401, and not a third time', async () => {
    const { cluster, requests } = await clusterOf(refusing(401, { reason: 'Unauthorized' }));
    await expect(cluster.find(web)).rejects.toThrow('401 Unauthorized');
    expect(requests).toHaveLength(2);
  });
});

describe('a refusal', () => {
  it('is an error with the status and the words of the server', async () => {
    const { cluster } = await clusterOf(
      refusing(403, { reason: 'Forbidden', message: 'pods "web" is forbidden' }),
    );
    const error = await cluster.find(web).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      message: 'cannot get pods team-a/web: 403 Forbidden: pods "web" is forbidden',
    });
    expect(refusalOf(error)).toMatchObject({ status: 403 });
  });

  it('has its words shortened', async () => {
    const { cluster } = await clusterOf(refusing(500, { message: 'x'.repeat(100_000) }));
    const error = await cluster.find(web).catch((cause: unknown) => cause);
    expect(String(error).length).toBeLessThan(600);
  });

  it('of a Secret says no more than its reason', async () => {
    const { cluster } = await clusterOf(
      refusing(422, { reason: 'Invalid', message: 'data: c2VjcmV0', details: { causes: [{}] } }),
    );
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' } };
    const error = await cluster.create(secrets, secret).catch((cause: unknown) => cause);
    expect(String(error)).toContain('422 Invalid');
    expect(String(error)).not.toContain('c2VjcmV0');
  });

  it('in plain text is one as well', async () => {
    const { cluster } = await clusterOf(answering(502, '<html>bad gateway</html>'));
    await expect(cluster.find(web)).rejects.toThrow('502 no reason given');
  });

  it.each(['null', '[]', '"text"', '{"kind":"Pod"}', 'not JSON'])(
    'is what an answer of 200 with %s counts as',
    async (body) => {
      const { cluster } = await clusterOf(answering(200, body));
      await expect(cluster.find(web)).rejects.toThrow('no object of the API');
    },
  );

  it('of a list because its kind is not there is none of an empty list', async () => {
    const { cluster } = await clusterOf(answering(404, '404 page not found'));
    await expect(cluster.list(nodes)[Symbol.asyncIterator]().next()).rejects.toThrow('404');
  });

  it('of a read because of too many requests is an error that says how long to wait', async () => {
    const { cluster } = await clusterOf(refusing(429, {}, { 'retry-after': '7' }));
    const error = await cluster.find(web).catch((cause: unknown) => cause);
    expect(refusalOf(error)).toMatchObject({ status: 429, afterSeconds: 7 });
  });
});

describe('a write', () => {
  it.each<[string, Script, object]>([
    ['409', refusing(409, { message: 'changed' }), { kind: 'conflict', why: 'changed' }],
    ['412', refusing(412, { message: 'changed' }), { kind: 'conflict' }],
    ['404', refusing(404, {}), { kind: 'not-found' }],
    ['429', refusing(429, {}, { 'retry-after': '3' }), { kind: 'busy', afterSeconds: 3 }],
    [
      '429 with a date',
      refusing(429, {}, { 'retry-after': 'Mon' }),
      { kind: 'busy', afterSeconds: 1 },
    ],
    [
      '429 with seconds in its body',
      refusing(429, { details: { retryAfterSeconds: 10 } }),
      { kind: 'busy', afterSeconds: 10 },
    ],
  ])('that is answered with %s has a value for it', async (_, script, expected) => {
    const { cluster } = await clusterOf(script);
    expect(await cluster.delete(web)).toMatchObject(expected);
  });

  it('that is invalid is an error, and no conflict', async () => {
    const causes = [{ field: 'spec.containers', reason: 'FieldValueRequired' }];
    const { cluster } = await clusterOf(refusing(422, { reason: 'Invalid', details: { causes } }));
    const operations = [{ op: 'remove', path: '/spec/containers' }] as const;
    await expect(cluster.patch(web, { type: 'json', operations })).rejects.toThrow('422 Invalid');
    await expect(cluster.create(pods, object)).rejects.toThrow('422 Invalid');
  });
});

describe('a list', () => {
  const page = (name: string, next?: string) =>
    answering(200, {
      kind: 'ConfigMapList',
      metadata: { continue: next },
      items: [{ metadata: { name } }],
    });

  it('follows its pages, and asks for the most recent state', async () => {
    const { cluster, requests } = await clusterOf(inTurn(page('a', 'then+b/='), page('b')));
    const names: unknown[] = [];
    for await (const { metadata } of cluster.list(configMaps, { pageSize: 1 })) {
      names.push(metadata.name);
    }
    expect(names).toEqual(['a', 'b']);
    expect(requests).toEqual([
      'GET /behind/a/proxy/api/v1/configmaps?limit=1',
      'GET /behind/a/proxy/api/v1/configmaps?limit=1&continue=then%2Bb%2F%3D',
    ]);
  });

  it('asks for no page that nobody reads', async () => {
    const { cluster, requests } = await clusterOf(inTurn(page('a', 'next'), page('b')));
    for await (const _ of cluster.list(configMaps)) break;
    expect(requests).toHaveLength(1);
  });

  it.each(['{}', '{"kind":"Status","items":[]}', '{"kind":"PodList"}', '[]', 'null'])(
    'is not empty because the answer is %s',
    async (body) => {
      const { cluster } = await clusterOf(answering(200, body));
      const first = cluster.list(configMaps)[Symbol.asyncIterator]().next();
      await expect(first).rejects.toThrow('the answer is no list');
    },
  );

  it('of metadata is empty when the server writes null', async () => {
    const empty = { kind: 'PartialObjectMetadataList', metadata: {}, items: null };
    const { cluster } = await clusterOf(answering(200, empty));
    const pages = cluster.list(configMaps, { metadataOnly: true })[Symbol.asyncIterator]();
    expect((await pages.next()).done).toBe(true);
  });

  it('whose place was compacted away says so', async () => {
    const expired = refusing(410, {
      reason: 'Expired',
      message: 'the continue parameter is too old',
    });
    const { cluster } = await clusterOf(inTurn(page('a', 'next'), expired));
    const pages = cluster.list(configMaps)[Symbol.asyncIterator]();
    await pages.next();
    await expect(pages.next()).rejects.toThrow('the list has to be read anew');
  });
});
