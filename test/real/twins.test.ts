import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { areTwins, findOwnParts } from '#shared/runtime/admission/own-parts.ts';
import { withoutManagedFields } from '#shared/runtime/admission/unread.ts';
import { ownedOf } from '#test/bench/bootstrap/owned.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { until } from '#test/support/until.ts';
import { startKube } from './kube/start.ts';

// One of its own: its pods are made by the real controllers, with the real token volumes.
const kube = await startKube({ controllerManager: true, serviceAccounts: true });
const bodies: Buffer[] = [];
const ca = await makeCa();
const { certificate, key } = await makeLeaf(ca, '127.0.0.1');
const hook = createServer({ cert: certificate, key }, async (asked, answer) => {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  bodies.push(body);
  const { apiVersion, kind, request: review } = JSON.parse(body.toString());
  answer.setHeader('content-type', 'application/json');
  answer.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }));
});

function post(path: string, body: object): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${kube.token}`, 'content-type': 'application/json' };
  const call = request(`${kube.url}${path}`, { method: 'POST', ca: kube.ca, headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  call.on('error', reject);
  call.end(JSON.stringify(body));
  return promise;
}

const spec = {
  containers: [
    { name: 'web', image: 'registry.test/web:1', args: ['<b> & "quoted"'] },
    {
      name: 'side',
      image: 'registry.test/side:2',
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'b', key: 'c' } } },
      ],
      resources: { limits: { cpu: '1' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 8080 } },
      securityContext: { capabilities: { drop: ['ALL'] } },
    },
  ],
};
const labels = { app: 'twins' };
const template = { metadata: { labels }, spec };
const selector = { matchLabels: labels };
const apps = '/apis/apps/v1/namespaces/default';

beforeAll(async () => {
  hook.listen(0, '127.0.0.1');
  await once(hook, 'listening');
  const webhooks = [
    {
      name: 'twins.test.io',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      clientConfig: {
        url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
        caBundle: Buffer.from(ca.certificate).toString('base64'),
      },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
      ],
    },
  ];
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  expect(await post(path, { metadata: { name: 'twins' }, webhooks })).toBe(201);
  const probe = { metadata: { name: 'probe' }, spec };
  await until(async () => {
    await post('/api/v1/namespaces/default/pods?dryRun=All', probe);
    return bodies.length > 0;
  }, 20_000);
});

afterAll(async () => {
  hook.closeAllConnections();
  hook.close();
  await kube.stop();
});

/** Of all that came, those of which the generated names begin so. */
function madeFor(name: string): readonly Buffer[] {
  return bodies.filter((body) => body.includes(`"generateName":"${name}`));
}

describe('what a real API server sends of pods', () => {
  it.each([
    ['a Deployment', `${apps}/deployments`, 'web', { replicas: 4, selector, template }],
    [
      'a Job',
      '/apis/batch/v1/namespaces/default/jobs',
      'work',
      { parallelism: 4, template: { spec: { ...spec, restartPolicy: 'Never' } } },
    ],
  ])('of %s differs in nothing but their own parts', async (_, path, name, stated) => {
    expect(await post(path, { metadata: { name }, spec: stated })).toBe(201);
    await until(async () => madeFor(name).length >= 4, 20_000);

    const [known = Buffer.alloc(0), ...others] = madeFor(name);
    const parts = findOwnParts(known) ?? [];
    expect(parts.map(({ kind }) => kind)).toEqual([
      'uid',
      'written-at',
      ...['token-volume', 'token-volume', 'token-volume'],
    ]);
    expect(others.map((body) => [areTwins(body, known, parts), body.equals(known)])).toEqual(
      others.map(() => [true, false]),
    );
  });

  it('says of each container who wrote which field, as benchmarks have it', () => {
    const [body] = madeFor('web');
    const { metadata, spec: sent } = JSON.parse(String(body)).request.object;
    const said = metadata.managedFields[0].fieldsV1['f:spec']['f:containers'];
    expect(said).toEqual(ownedOf(sent.containers));
  });

  it('says so where it can be cut out', () => {
    const [body = Buffer.alloc(0)] = madeFor('web');
    const { object } = JSON.parse(withoutManagedFields(body)).request;
    expect(object.metadata.managedFields).toEqual([]);
  });
});
