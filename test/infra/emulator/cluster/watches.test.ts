import { describe, expect, it } from 'vitest';
import { configMap, emulated, openClient } from './emulated.ts';
import { linesOf } from './watched.ts';

const { ask, namespace, cluster } = await emulated();

describe('a watch', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  it('as tables says its columns once', async () => {
    const at = `/api/v1/namespaces/${await namespace()}/configmaps`;
    for (const name of ['a', 'b']) await ask(`POST ${at}`, { body: configMap(name) });
    const lines = await linesOf(cluster, `${at}?watch=1`, table);
    expect(await lines.next()).toMatchObject({
      type: 'ADDED',
      object: {
        kind: 'Table',
        columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
      },
    });
    expect(await lines.next()).toMatchObject({
      type: 'ADDED',
      object: { columnDefinitions: null, rows: [{ cells: ['b', 1, expect.any(String)] }] },
    });
    lines.close();
  });

  it('of events hears of them by both names', async () => {
    const at = await namespace();
    const lines = await linesOf(cluster, `/apis/events.k8s.io/v1/namespaces/${at}/events?watch=1`);
    const involvedObject = { kind: 'Pod', namespace: at, name: 'p' };
    const body = { metadata: { name: 'e' }, involvedObject, message: 'hello' };
    await ask(`POST /api/v1/namespaces/${at}/events`, { body });
    expect(await lines.next()).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: 'events.k8s.io/v1', note: 'hello', regarding: { name: 'p' } },
    });
    lines.close();
  });

  it('ends in good order when the server does', async () => {
    const other = await openClient({});
    const lines = await linesOf(other.cluster, '/api/v1/namespaces/default/secrets?watch=1');
    const last = lines.next();
    await other.cluster.close(1_000);
    expect(await last).toBeUndefined();
  });
});

describe('a kind that is to go', () => {
  it('is answered with a warning', async () => {
    const { headers } = await ask('GET /api/v1/endpoints');
    expect(headers.get('warning')).toContain('v1 Endpoints is deprecated in v1.33+');
  });
});
