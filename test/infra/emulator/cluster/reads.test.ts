import { describe, expect, it } from 'vitest';
import { isList, type JsonObject } from '#shared/domain/json.ts';
import { configMap, emulated, metadataOf, pod } from './emulated.ts';

const { ask, namespace, cluster } = await emulated();
const at = `/api/v1/namespaces/${await namespace()}/configmaps`;
for (const name of ['a', 'b', 'c']) {
  await ask(`POST ${at}`, { body: configMap(name, { labels: { name, tier: 'web', n: '5' } }) });
}

function namesIn({ items }: JsonObject): readonly unknown[] {
  return (items !== undefined && isList(items) ? items : []).map(
    (item) => metadataOf(item as JsonObject)['name'],
  );
}

describe('a list', () => {
  it('comes in pages of one moment, and says how many are left', async () => {
    const first = await ask(`GET ${at}?limit=2`);
    expect(namesIn(first.body)).toEqual(['a', 'b']);
    expect(metadataOf(first.body)['remainingItemCount']).toBe(1);
    await ask(`POST ${at}`, { body: configMap('d') });
    const next = await ask(
      `GET ${at}?limit=2&continue=${String(metadataOf(first.body)['continue'])}`,
    );
    expect(namesIn(next.body)).toEqual(['c']);
    await ask(`DELETE ${at}/d`);
  });

  it('from memory has no pages', async () => {
    expect(namesIn((await ask(`GET ${at}?limit=1&resourceVersion=0`)).body)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('of an exact version is as it was', async () => {
    const then = cluster.revision();
    await ask(`POST ${at}`, { body: configMap('later') });
    const past = await ask(`GET ${at}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect(namesIn(past.body)).toEqual(['a', 'b', 'c']);
    await ask(`DELETE ${at}/later`);
  });

  it.each([
    [
      'resourceVersionMatch=Exact',
      422,
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      422,
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'resourceVersionMatch=Foo&resourceVersion=1',
      422,
      'supported values: "Exact", "NotOlderThan", ""',
    ],
    ['resourceVersion=x', 400, 'invalid resource version: resourceVersion: Invalid value: "x"'],
    ['resourceVersion=99999999', 504, 'Too large resource version: 99999999'],
    ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['continue=abc', 400, 'invalid continue token: continue key is not valid'],
    [
      'sendInitialEvents=true&resourceVersion=1&resourceVersionMatch=NotOlderThan',
      422,
      'sendInitialEvents is forbidden for list',
    ],
    [
      'labelSelector=a%20b',
      400,
      "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
    ['labelSelector=a%20in%20b', 400, "unable to parse requirement: found 'b' expected: '('"],
    [
      'labelSelector=-a',
      400,
      'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of',
    ],
    ['fieldSelector=foo', 400, "invalid selector: 'foo'; can't understand 'foo'"],
    [
      'fieldSelector=foo.bar%3Dx',
      400,
      '"foo.bar" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('with %s is refused', async (query, code, message) => {
    const { status, body } = await ask(`GET ${at}?${query}`);
    expect([status, String(body['message'])]).toEqual([code, expect.stringContaining(message)]);
  });

  it.each([
    ['name=a', ['a']],
    ['name!=a', ['b', 'c']],
    ['name in (a, b),tier==web', ['a', 'b']],
    ['name notin (a,b)', ['c']],
    ['tier,!none', ['a', 'b', 'c']],
    ['n>4,n<6', ['a', 'b', 'c']],
    ['n>5', []],
    ['constructor', []],
  ])('by the labels %s has what matches', async (selector, names) => {
    const { body } = await ask(`GET ${at}?labelSelector=${encodeURIComponent(selector)}`);
    expect(namesIn(body)).toEqual(names);
  });

  it.each([
    ['pods', 'spec.nodeName=n,status.phase!=Running', ['on']],
    ['pods', 'spec.nodeName=', ['off']],
    ['pods', 'spec.hostNetwork=false', ['off', 'on']],
    ['pods', 'metadata.name=off', ['off']],
  ])('of %s by the fields %s has what matches', async (resource, selector, names) => {
    const place = `/api/v1/namespaces/${await namespace()}/${resource}`;
    await ask(`POST ${place}`, { body: pod('on', { nodeName: 'n' }) });
    await ask(`POST ${place}`, { body: pod('off') });
    const { body } = await ask(`GET ${place}?fieldSelector=${encodeURIComponent(selector)}`);
    expect(namesIn(body)).toEqual(names);
  });
});

describe('an answer', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  it('as a table has a row for each, with what kubectl shows', async () => {
    const { body } = await ask(`GET ${at}?labelSelector=name%3Da`, { accept: table });
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body['columnDefinitions']).toMatchObject([
      { name: 'Name' },
      { name: 'Data' },
      { name: 'Age' },
    ]);
    const [row] = body['rows'] as readonly [JsonObject];
    expect(row['cells']).toEqual(['a', 1, expect.stringMatching(/^\d+s$/)]);
    expect(row['object']).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  });

  it.each([
    ['None', undefined],
    ['Object', 'ConfigMap'],
    ['Metadata', 'PartialObjectMetadata'],
  ])('as a table with %s carries as much of the object', async (include, kind) => {
    const { body } = await ask(`GET ${at}/a?includeObject=${include}`, { accept: table });
    const [row] = body['rows'] as readonly [JsonObject];
    expect((row['object'] as JsonObject | undefined)?.['kind']).toBe(kind);
  });

  it('of metadata has nothing else', async () => {
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const { body } = await ask(`GET ${at}/a`, { accept });
    expect(Object.keys(body).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('is in YAML where that is asked for, in JSON for those who would rather have protobuf, and else refused', async () => {
    expect((await ask(`GET ${at}/a`, { accept: 'application/yaml' })).text).toContain(
      'kind: ConfigMap',
    );
    const accept = 'application/vnd.kubernetes.protobuf,application/json';
    expect((await ask(`GET ${at}/a`, { accept })).body['kind']).toBe('ConfigMap');
    expect((await ask(`GET ${at}/a`, { accept: 'text/html' })).status).toBe(406);
  });

  it('is packed where it is long, and none of it is lost', async () => {
    const place = `/api/v1/namespaces/${await namespace()}/configmaps`;
    const data = { x: 'größe '.repeat(20_000) };
    for (const name of ['a', 'b', 'c'])
      await ask(`POST ${place}`, { body: { ...configMap(name), data } });
    const long = await ask(`GET ${place}`);
    expect(long.headers.get('content-encoding')).toBe('gzip');
    expect(namesIn(long.body)).toEqual(['a', 'b', 'c']);
    expect((await ask(`GET ${at}/a`)).headers.get('content-encoding')).toBeNull();
  });

  it.each([
    ['/api/v1/nope', 404, 'the server could not find the requested resource'],
    ['/apis/apps/v9/deployments', 404, 'the server could not find the requested resource'],
    [
      '/api/v1/namespaces/default/pods/x/nope',
      404,
      'the server could not find the requested resource',
    ],
    ['/api/v1/namespaces/default/pods/x/status', 404, 'pods "x" not found'],
    [
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      405,
      'the server does not allow this method',
    ],
  ])('for %s says what is not there', async (path, code, message) => {
    const { status, body } = await ask(`GET ${path}`);
    expect([status, String(body['message'])]).toEqual([code, expect.stringContaining(message)]);
  });
});
