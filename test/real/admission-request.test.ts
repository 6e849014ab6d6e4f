import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openAdmission } from '#infra/emulator/cluster/admission/open-admission.ts';
import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { asking, type Answer as Told } from '#test/infra/emulator/cluster/access/asking.ts';
import { objectsRead } from '#test/infra/emulator/cluster/access/objects-read.ts';
import { admitting, mapKind, namespace } from '#test/infra/emulator/cluster/admission/admitting.ts';
import {
  type Answer,
  type HookServer,
  hookServer,
  jsonPatch,
  type Received,
} from '#test/infra/emulator/cluster/admission/hook-server.ts';
import { until } from '#test/support/until.ts';

const ask = asking(inject('kube'));
const home = 'ea-hooks';
const maps = `/api/v1/namespaces/${home}/configmaps`;
const reading = objectsRead(namespace(home));
const ours = openAdmission({ reading, refusedGrant: () => undefined });

/** Something other than a review, with a code. */
function raw(code: number, text: string): Answer {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(text);
    return undefined;
  };
}

const answers: Readonly<Record<string, Answer>> = {
  allows: () => ({}),
  denies: () => ({ allowed: false }),
  explains: () => ({
    allowed: false,
    status: { message: 'because', code: 418, reason: 'NotFound' },
  }),
  reasons: () => ({ allowed: false, status: { reason: 'Forbidden' } }),
  warns: () => ({ warnings: ['w1', 'w2'] }),
  patches: () => jsonPatch({ op: 'add', path: '/metadata/labels', value: { a: 'b' } }),
  misfits: () => jsonPatch({ op: 'remove', path: '/metadata/nothing' }),
  misses: () => jsonPatch({ op: 'replace', path: '/spec/x', value: 1 }),
  tests: () => jsonPatch({ op: 'test', path: '/metadata/name', value: 'z' }),
  frobs: () => jsonPatch({ op: 'frob', path: '/metadata' }),
  untyped: () => ({ patch: jsonPatch()['patch'] ?? '' }),
  empty: () => ({ patchType: 'JSONPatch' }),
  merges: () => ({ ...jsonPatch({ op: 'remove', path: '/data' }), patchType: 'Merge' }),
  stranger: () => ({ uid: 'nope' }),
  mistaken: () => ({ allowed: 'yes' }),
  absent: raw(200, '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
  plain: raw(200, 'hello'),
  nothing: raw(200, ''),
  broken: raw(500, 'boom'),
  lost: raw(404, '{}'),
  hangs: (_, response) => {
    response.destroy();
    return undefined;
  },
  silent: () => undefined,
};
const cases = Object.keys(answers);

let server: HookServer;

/** One configuration of each phase, with a webhook for each case; the name of the object chooses among them. */
function configuration(phase: 'Mutating' | 'Validating'): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${phase}WebhookConfiguration`,
    metadata: { name: 'ea-hooks' },
    webhooks: cases.map((name) => ({
      name: `${name}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 1,
      clientConfig: { url: `https://127.0.0.1:${server.port}/${name}`, caBundle: server.caBundle },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
      ],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': home } },
      matchConditions: [
        {
          name: 'mine',
          expression: `(object == null ? oldObject : object).metadata.name == "${phase.toLowerCase()}-${name}"`,
        },
      ],
    })),
  };
}

const registered = '/apis/admissionregistration.k8s.io/v1';
const resources = {
  Mutating: 'mutatingwebhookconfigurations',
  Validating: 'validatingwebhookconfigurations',
};

beforeAll(async () => {
  server = await hookServer('127.0.0.1');
  for (const [name, answer] of Object.entries(answers)) server.on(`/${name}`, answer);
  await ask('POST', '/api/v1/namespaces', { metadata: { name: home } });
  reading.put(namespace(home, { labels: { 'kubernetes.io/metadata.name': home } }));
  for (const phase of ['Mutating', 'Validating'] as const) {
    reading.put(configuration(phase));
    await ask('POST', `${registered}/${resources[phase]}`, configuration(phase));
    const denied = async () => (await created(`${phase.toLowerCase()}-denies`)).code === 400;
    await until(denied, 20_000);
  }
});

afterAll(async () => {
  for (const resource of Object.values(resources))
    await ask('DELETE', `${registered}/${resource}/ea-hooks`);
  ours.close();
  await server.close();
});

function map(name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: home },
    data: { a: 'b' },
  };
}

function created(name: string): Promise<Told> {
  return ask('POST', `${maps}?dryRun=All`, map(name));
}

const admin = {
  name: 'admin-token',
  uid: 'admin-token-uid',
  groups: ['system:masters', 'system:authenticated'],
};

function writing(name: string, more: Partial<Admitting> = {}): Admitting {
  const options = { dryRun: ['All'] };
  return admitting(mapKind, map(name), {
    namespace: home,
    user: admin,
    dryRun: true,
    options,
    ...more,
  });
}

/** What only one request has. */
function normal(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uid');
}

function told(answer: object): unknown {
  const { code, body } = answer as { code?: number; body?: JsonObject };
  if (code === undefined || code < 300) return 'admitted';
  return JSON.parse(normal(JSON.stringify({ code, body })));
}

describe('what webhooks answer is taken by the emulated server as by the real one', () => {
  it.each(cases)('where a mutating one %s', async (name) => {
    const theirs = await created(`mutating-${name}`);
    expect(told(await ours.mutate(writing(`mutating-${name}`)))).toEqual(told(theirs));
  });

  it.each(cases)('where a validating one %s', async (name) => {
    const theirs = await created(`validating-${name}`);
    expect(told(await ours.validate(writing(`validating-${name}`)))).toEqual(told(theirs));
  });
});

/** The last request to the server, without what only this one has. */
function lastSeen(): JsonObject {
  const [last] = server.received.slice(-1);
  if (last === undefined) throw new Error('nobody asked');
  const { headers, method, review }: Received = last;
  const length = headers.indexOf('Content-Length');
  const shown = { method, headers: headers.with(length + 1, 'length'), review: bare(review) };
  return JSON.parse(normal(JSON.stringify(shown)));
}

/** Who owns which field the pipeline says, and not admission. */
function bare({ request, ...review }: JsonObject): JsonObject {
  const { object, oldObject, ...rest } = request as { object: JsonObject; oldObject: JsonObject };
  return {
    ...review,
    request: { ...rest, object: unmanaged(object), oldObject: unmanaged(oldObject) },
  };
}

function unmanaged(object: JsonObject | null): JsonObject | null {
  if (object === null) return null;
  const {
    managedFields: _,
    resourceVersion: __,
    creationTimestamp: ___,
    uid: ____,
    ...metadata
  } = object['metadata'] as JsonObject;
  return { ...object, metadata };
}

describe('what webhooks are asked', () => {
  const name = 'mutating-allows';
  const before = map(name);

  it.each<[string, () => Promise<Told>, Partial<Admitting>]>([
    ['a create', () => created(name), {}],
    [
      'an update',
      async () => {
        await ask('POST', maps, map(name));
        return ask('PUT', `${maps}/${name}?dryRun=All&fieldManager=me`, map(name));
      },
      { operation: 'UPDATE', before, options: { dryRun: ['All'], fieldManager: 'me' } },
    ],
    [
      'a delete',
      () => ask('DELETE', `${maps}/${name}`),
      { operation: 'DELETE', object: undefined, before, options: {}, dryRun: false },
    ],
  ])('by %s is the same to the last header', async (_, asked, more) => {
    expect((await asked()).code).toBeLessThan(300);
    const theirs = lastSeen();
    await ours.mutate(writing(name, more));
    expect(lastSeen()).toEqual(theirs);
    expect(keysOf(lastSeen())).toEqual(keysOf(theirs));
  });
});

/** In their order. */
function keysOf(seen: JsonObject): readonly string[] {
  return Object.keys((seen['review'] as { request: JsonObject }).request);
}
