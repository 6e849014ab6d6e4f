import { describe, expect, it } from 'vitest';
import { configMap, emulated, mergePatch, metadataOf } from './emulated.ts';

const { ask, namespace, cluster } = await emulated();
const maps = async () => `/api/v1/namespaces/${await namespace()}/configmaps`;

describe('a create', () => {
  it('gives what only the server gives, and takes none of it from the creator', async () => {
    const at = await maps();
    const stated = { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z' };
    const { status, body } = await ask(`POST ${at}`, { body: configMap('a', stated) });
    const { uid, creationTimestamp, resourceVersion } = metadataOf(body);
    expect(status).toBe(201);
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(String(creationTimestamp)).not.toContain('2001');
    expect(resourceVersion).toBe(String(cluster.revision()));
  });

  it.each([
    [
      'another namespace than the path',
      { namespace: 'other' },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a version',
      { resourceVersion: '1' },
      500,
      'resourceVersion should not be set on objects to be created',
    ],
    [
      'a name that is none',
      { name: 'B_' },
      422,
      'ConfigMap "B_" is invalid: metadata.name: Invalid value: "B_": a lowercase RFC 1123 subdomain',
    ],
    [
      'no name',
      { name: '' },
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
  ])('is refused with %s', async (_, metadata, code, message) => {
    const { status, body } = await ask(`POST ${await maps()}`, { body: configMap('a', metadata) });
    expect([status, body['code']]).toEqual([code, code]);
    expect(body['message']).toContain(message);
  });

  it.each([
    [
      'another kind',
      { apiVersion: 'v1', kind: 'Pod' },
      'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
    ],
    [
      'another group',
      { apiVersion: 'apps/v1', kind: 'ConfigMap' },
      'no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('of %s than the path is refused', async (_, type, message) => {
    const { status, body } = await ask(`POST ${await maps()}`, {
      body: { ...configMap('a'), ...type },
    });
    expect(status).toBe(400);
    expect(body['message']).toContain(message);
  });

  it('of a name that is taken is a conflict', async () => {
    const at = await maps();
    await ask(`POST ${at}`, { body: configMap('a') });
    const { status, body } = await ask(`POST ${at}`, { body: configMap('a') });
    expect([status, body['reason'], body['message']]).toEqual([
      409,
      'AlreadyExists',
      'configmaps "a" already exists',
    ]);
  });

  it('draws a name where only the beginning of one is stated', async () => {
    const at = await maps();
    const body = { metadata: { generateName: 'web-' } };
    const made = await Promise.all([1, 2, 3].map(() => ask(`POST ${at}`, { body })));
    const names = made.map((each) => String(metadataOf(each.body)['name']));
    expect(names.every((name) => /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(3);
  });

  it('that is only tried leaves nothing behind, and no version', async () => {
    const at = await maps();
    const before = cluster.revision();
    const { status, body } = await ask(`POST ${at}?dryRun=All`, { body: configMap('a') });
    expect([status, metadataOf(body)['resourceVersion'], cluster.revision()]).toEqual([
      201,
      undefined,
      before,
    ]);
    expect((await ask(`GET ${at}/a`)).status).toBe(404);
  });

  it.each([
    ['Warn', 201, '299 - "unknown field \\"foo\\""'],
    ['Ignore', 201, null],
    ['Strict', 400, null],
  ])('with %s treats a field that nobody knows', async (how, code, warning) => {
    const body = { ...configMap('a'), foo: 1 };
    const answer = await ask(`POST ${await maps()}?fieldValidation=${how}`, { body });
    expect([answer.status, answer.headers.get('warning')]).toEqual([code, warning]);
    expect(answer.body['foo']).toBeUndefined();
  });

  it('warns of a field that is stated twice', async () => {
    const body = '{"metadata":{"name":"twice"},"data":{"x":"1"},"data":{"x":"2"}}';
    const { headers } = await ask(`POST ${await maps()}`, { body });
    expect(headers.get('warning')).toBe('299 - "duplicate field \\"data\\""');
  });

  it.each([
    ['text/plain', configMap('a'), 415],
    ['application/json', 'garbage', 400],
    ['application/json', '[]', 400],
    [
      'application/json',
      `{"metadata":{"name":"big"},"data":{"x":"${'x'.repeat(3_200_000)}"}}`,
      413,
    ],
    ['application/yaml', 'metadata: {name: yaml}', 201],
  ])('takes a body of %s, if it is one', async (type, body, code) => {
    expect((await ask(`POST ${await maps()}`, { body, type })).status).toBe(code);
  });
});

describe('an update', () => {
  it('without a version is done in any case, and with an old one it is a conflict', async () => {
    const at = await maps();
    const first = await ask(`POST ${at}`, { body: configMap('a') });
    expect(
      (await ask(`PUT ${at}/a`, { body: { ...configMap('a'), data: { y: '2' } } })).status,
    ).toBe(200);
    const { resourceVersion } = metadataOf(first.body);
    const body = configMap('a', { resourceVersion: resourceVersion ?? '' });
    const { status, body: why } = await ask(`PUT ${at}/a`, { body });
    expect([status, why['reason']]).toEqual([409, 'Conflict']);
  });

  it('that says nothing new has no version of its own', async () => {
    const at = await maps();
    const { body } = await ask(`POST ${at}`, { body: configMap('a') });
    const again = await ask(`PUT ${at}/a`, { body });
    expect(metadataOf(again.body)['resourceVersion']).toBe(metadataOf(body)['resourceVersion']);
  });

  it.each([
    [
      'another name',
      { name: 'b' },
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    ['another uid', { uid: 'x' }, 409, 'Precondition failed: UID in precondition: x'],
    [
      'a deletion',
      { deletionTimestamp: '2020-01-01T00:00:00Z' },
      422,
      'metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
    ],
  ])('with %s is refused', async (_, metadata, code, message) => {
    const at = await maps();
    await ask(`POST ${at}`, { body: configMap('a') });
    const { status, body } = await ask(`PUT ${at}/a`, { body: configMap('a', metadata) });
    expect([status, String(body['message'])]).toEqual([code, expect.stringContaining(message)]);
  });

  it('makes what is not there of those kinds alone that the real server makes', async () => {
    const name = await namespace();
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${name}/leases/new`;
    expect((await ask(`PUT ${lease}`, { body: { metadata: { name: 'new' } } })).status).toBe(201);
    const map = `/api/v1/namespaces/${name}/configmaps/new`;
    expect((await ask(`PUT ${map}`, { body: configMap('new') })).status).toBe(404);
  });
});

describe('a patch', () => {
  it('of each of many is in what comes of them', async () => {
    const at = await maps();
    await ask(`POST ${at}`, { body: configMap('a') });
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    const patches = keys.map((key) =>
      ask(`PATCH ${at}/a`, { body: { data: { [key]: 'y' } }, type: mergePatch }),
    );
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual(keys.map(() => 200));
    const { body } = await ask(`GET ${at}/a`);
    expect(Object.keys(body['data'] ?? {}).toSorted()).toEqual([...keys, 'x'].toSorted());
  });

  it('by apply makes what is not there, for whoever says who he is', async () => {
    const at = await maps();
    const call = { body: configMap('a'), type: 'application/apply-patch+yaml' };
    expect((await ask(`PATCH ${at}/a`, call)).status).toBe(422);
    expect((await ask(`PATCH ${at}/a?fieldManager=me`, call)).status).toBe(201);
    expect((await ask(`PATCH ${at}/a?fieldManager=me`, call)).status).toBe(200);
  });

  it('of an unknown type is refused', async () => {
    const { status, body } = await ask(`PATCH ${await maps()}/a`, { body: {}, type: 'text/plain' });
    expect([status, body['message']]).toEqual([415, '415: Unsupported Media Type']);
  });
});

describe('a view of an object', () => {
  it('is read and written as the kind that it is of', async () => {
    const at = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await ask(`POST ${at}`, { body: { metadata: { name: 'web' }, spec } });
    const body = { spec: { replicas: 5 } };
    const scaled = await ask(`PATCH ${at}/web/scale`, { body, type: mergePatch });
    expect(scaled.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 5 },
    });
    expect((await ask(`GET ${at}/web`)).body).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 2 },
    });
    const other = { metadata: { name: 'other' }, spec: { replicas: 1 } };
    expect((await ask(`PUT ${at}/web/scale`, { body: other })).status).toBe(400);
  });
});
