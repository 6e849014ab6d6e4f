import { describe, expect, it } from 'vitest';
import { configMap, emulated, mergePatch, metadataOf, pod } from './emulated.ts';

const { ask, namespace, cluster } = await emulated({ hasLedger: true });

async function made(...names: readonly string[]): Promise<string> {
  const at = `/api/v1/namespaces/${await namespace()}/configmaps`;
  for (const name of names) await ask(`POST ${at}`, { body: configMap(name) });
  return at;
}

describe('a deletion', () => {
  it('says what is gone', async () => {
    const at = await made('a');
    const { uid } = metadataOf((await ask(`GET ${at}/a`)).body);
    const { status, body } = await ask(`DELETE ${at}/a`);
    expect([status, body['details']]).toEqual([200, { name: 'a', kind: 'configmaps', uid }]);
    expect((await ask(`DELETE ${at}/a`)).status).toBe(404);
  });

  it.each([
    [
      { preconditions: { uid: 'x' } },
      409,
      'the UID in the precondition (x) does not match the UID in record',
    ],
    [
      { preconditions: { resourceVersion: '1' } },
      409,
      'the ResourceVersion in the precondition (1) does not match',
    ],
    [{ propagationPolicy: 'x' }, 422, 'propagationPolicy: Unsupported value: "x"'],
    [{ dryRun: ['x'] }, 422, 'dryRun: Unsupported value: ["x"]'],
  ])('is refused with %j', async (options, code, message) => {
    const at = await made('a');
    const { status, body } = await ask(`DELETE ${at}/a`, { body: options });
    expect([status, String(body['message'])]).toEqual([code, expect.stringContaining(message)]);
    expect((await ask(`GET ${at}/a`)).status).toBe(200);
  });

  it('that is only tried takes nothing away', async () => {
    const at = await made('a');
    expect((await ask(`DELETE ${at}/a?dryRun=All`)).status).toBe(200);
    expect((await ask(`GET ${at}/a`)).status).toBe(200);
  });

  it('waits for the last finalizer, and takes no new one', async () => {
    const at = await made();
    await ask(`POST ${at}`, { body: configMap('f', { finalizers: ['x/y'] }) });
    const { body } = await ask(`DELETE ${at}/f`);
    expect(metadataOf(body)).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['x/y'] });
    const more = { body: { metadata: { finalizers: ['x/y', 'a/b'] } }, type: mergePatch };
    expect((await ask(`PATCH ${at}/f`, more)).status).toBe(422);
    const none = { body: { metadata: { finalizers: null } }, type: mergePatch };
    expect((await ask(`PATCH ${at}/f`, none)).status).toBe(200);
    expect((await ask(`GET ${at}/f`)).status).toBe(404);
  });

  it.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ])('with %s leaves it to the garbage collector', async (policy, finalizers) => {
    const at = await made('a');
    const { body } = await ask(`DELETE ${at}/a?propagationPolicy=${policy}`);
    expect(metadataOf(body)['finalizers']).toEqual(finalizers);
  });

  it('of a whole collection takes what is selected', async () => {
    const at = await made('a', 'b');
    await ask(`PATCH ${at}/a`, { body: { metadata: { labels: { go: 'y' } } }, type: mergePatch });
    const { body } = await ask(`DELETE ${at}?labelSelector=go`);
    expect(body['kind']).toBe('ConfigMapList');
    expect([(await ask(`GET ${at}/a`)).status, (await ask(`GET ${at}/b`)).status]).toEqual([
      404, 200,
    ]);
  });
});

describe('the deletion of a pod', () => {
  async function podOn(node: string | undefined): Promise<string> {
    const at = `/api/v1/namespaces/${await namespace()}/pods`;
    const { status } = await ask(`POST ${at}`, {
      body: pod('p', node === undefined ? {} : { nodeName: node }),
    });
    expect(status).toBe(201);
    return `${at}/p`;
  }

  it('that nobody runs is done at once', async () => {
    const at = await podOn(undefined);
    cluster.ledger.forget();
    const { body } = await ask(`DELETE ${at}`);
    expect(body['kind']).toBe('Pod');
    expect((await ask(`GET ${at}`)).status).toBe(404);
    expect(cluster.ledger.entries().map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
  });

  it('that somebody runs waits for its grace, which can only become shorter', async () => {
    const at = await podOn('n');
    const graceAfter = async (seconds: string) =>
      metadataOf((await ask(`DELETE ${at}${seconds}`)).body)['deletionGracePeriodSeconds'];
    expect(await graceAfter('')).toBe(30);
    expect(await graceAfter('?gracePeriodSeconds=50')).toBe(30);
    expect(await graceAfter('?gracePeriodSeconds=5')).toBe(5);
    expect((await ask(`GET ${at}`)).status).toBe(200);
    expect(await graceAfter('?gracePeriodSeconds=0')).toBe(0);
    expect((await ask(`GET ${at}`)).status).toBe(404);
  });
});

describe('the deletion of a namespace', () => {
  it('leaves it there until its finalizers are gone', async () => {
    const name = await namespace();
    const { body } = await ask(`DELETE /api/v1/namespaces/${name}`);
    expect(body).toMatchObject({
      status: { phase: 'Terminating' },
      spec: { finalizers: ['kubernetes'] },
    });
    const done = { metadata: { name }, spec: { finalizers: [] } };
    await ask(`PUT /api/v1/namespaces/${name}/finalize`, { body: done });
    expect((await ask(`GET /api/v1/namespaces/${name}`)).status).toBe(404);
  });

  it('is forbidden for those that the cluster lives by', async () => {
    expect((await ask('DELETE /api/v1/namespaces/kube-system')).status).toBe(403);
  });
});
