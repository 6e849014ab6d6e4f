import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBundles, type Source } from '#infra/build/bundles.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { AdmissionFunction, Definition, ReconcileFunction } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { openMetrics } from '#shared/runtime/metrics.ts';
import { wire } from '#shared/runtime/wire.ts';
import followNote from '#test/fixtures/functions/follow-note.ts';
import greet from '#test/fixtures/functions/greet.ts';
import { podWith, reviewOf } from '#test/support/admission.ts';
import type { Shelf } from '#test/support/bundles.ts';
import { logRecorded, mapChanged } from '#test/support/running.ts';
import { makeCa, makeLeaf, servername } from '#test/support/tls.ts';
import {
  type Answer,
  asCloudEvents,
  behindHttpApi,
  behindKnative,
  type Call,
  inNodeServer,
  inSqsBatch,
  inWorker,
  type Shape,
} from './invocation.ts';

export type Bundled = Source & { readonly definition: Definition };

const fixtures = [greet, followNote].map((definition): Bundled => {
  return { file: `test/fixtures/functions/${definition.name}.ts`, definition };
});
const home = mkdtempSync(join(tmpdir(), 'invocation-'));
const shelf: Shelf = {
  directory: home,
  environment: { GATEHOUSE_CONFIG: join(home, 'gatehouse.yaml') },
};
const settings: Partly<Settings> = {
  nodeAffinity: { presence: 'assumed' },
  installation: { cluster: 'fleet-7' },
  server: { address: '127.0.0.1', port: 0 },
  certificates: { source: 'files', directory: home },
};
let ca = '';

/** Bundles of these functions and of the fixtures: processes that are run as production runs them, in every shape. */
export function bundleContract(sources: readonly Bundled[]): void {
  beforeAll(async () => {
    const authority = await makeCa();
    const leaf = await makeLeaf(authority);
    ca = authority.certificate;
    writeFileSync(join(home, 'tls.crt'), leaf.certificate);
    writeFileSync(join(home, 'tls.key'), leaf.key);
    writeFileSync(join(home, 'gatehouse.yaml'), JSON.stringify(settings));
    await buildBundles([...sources, ...fixtures], home);
  }, 60_000);
  afterAll(() => rmSync(home, { recursive: true }));

  const definitions = sources.map(({ definition }) => definition);
  describe('an admission bundle', { timeout: 30_000 }, () => {
    const admissions = definitions.filter((each) => each.shape === 'admission');
    it.each(admissions)('of $name answers the same bytes in every shape', reviewed);
  });
  describe('an endpoint bundle', { timeout: 30_000 }, () => {
    it('answers the same bytes in every shape', asked);
  });
  describe('a reconcile bundle', { timeout: 30_000 }, () => {
    it('tells the same outcome in every shape', woken);
    it('leaves to others what only another trigger watches', leftToOthers);
    const ours = definitions.filter((each) => each.shape === 'reconcile');
    it.each(ours)('of $name does so without a cluster', wokenByTime);
  });
}

const json = { 'content-type': 'application/json' };
const post = (path: string, body: string, headers: Call['headers'] = json): Call => {
  return { method: 'POST', path, headers, body };
};

/** Of those that change a pod where nothing is configured, and of those that refuse where no cluster can be asked. */
const answers: Readonly<Record<string, string>> = {
  'prefer-pool': '"patchType":"JSONPatch"',
  'require-trusted-images': '"allowed":false',
  'require-user-images': '"allowed":false',
};

async function reviewed({ name, phase }: AdmissionFunction): Promise<void> {
  const path = paths.alone(phase, name);
  const pod = podWith('nginx:1', 'registry.example/bücher:latest');
  const bodies = [
    reviewOf({ object: pod }),
    reviewOf({ object: pod, apiVersion: 'admission.k8s.io/v1beta1' }),
    reviewOf({ object: pod, operation: 'UPDATE', old: pod }),
    reviewOf({ object: { ...pod, spec: { containers: 'none' } } }),
    reviewOf({ object: pod, resource: 'services' }),
    { kind: 'AdmissionReview' },
  ].map((review) => JSON.stringify(review));
  const calls = [
    ...bodies.map((body) => post(`${path}?timeout=5s`, body)),
    ...bodies.slice(0, 1).map((body) => post(paths.fusedPods, body)),
    post(path, 'no JSON'),
    post(path, bodies[0] ?? '', { 'content-type': 'text/plain' }),
    { method: 'GET', path: '/elsewhere', headers: {} },
  ];

  const [first, ...others] = await answersOf(
    await Promise.all([
      inNodeServer(name, shelf, { ca, servername }),
      behindKnative(name, shelf),
      behindHttpApi(name, shelf),
    ]),
    calls,
  );

  expect(textOf(first?.[0])).toContain(answers[name] ?? '"allowed":true');
  for (const other of others) expect(other).toEqual(first);
}

async function asked(): Promise<void> {
  const calls: readonly Call[] = [
    { method: 'GET', path: '/greetings/Ada?polite=s%C3%AD', headers: {} },
    post('/greetings', 'grüezi', { 'content-type': 'text/plain' }),
    { method: 'GET', path: '/greetings/broken/now', headers: {} },
    { method: 'GET', path: '/elsewhere', headers: {} },
  ];
  const [first, second] = await answersOf(
    [await behindKnative('greet', shelf), behindHttpApi('greet', shelf)],
    calls,
  );

  expect(JSON.parse(textOf(first?.[0]))).toEqual({ greeting: 'Grüß Gott, Ada', polite: 'sí' });
  expect(first?.map(({ status }) => status)).toEqual([200, 201, 500, 404]);
  expect(first?.[0]?.headers).toMatchObject({
    'x-cluster': 'fleet-7',
    'set-cookie': 'greeted=yes; Path=/',
  });
  expect(second).toEqual(first);
}

const changed = (name: string) => {
  return { id: `e-${name}`, type: 'object.changed.v1', data: mapChanged({ name }) };
};

/** In a roll-out, of a kind that only the newer trigger watches. */
const ofAnother = { ...changed('done'), data: mapChanged({ resource: 'nodes' }) };

async function woken(): Promise<void> {
  const calls = [
    ...['done', 'later', 'conflict', 'retry', 'give-up', 'throw'].map(changed),
    { ...changed('done'), type: 'object.changed.v9' },
    { ...changed('done'), data: { kind: 'object' } },
    { ...ofAnother, attempt: 100 },
  ];
  const [first, ...others] = await answersOf(await inEveryShape(followNote), calls);

  expect(first?.map(({ kind }) => kind)).toEqual([
    'done',
    'later',
    'retry',
    'retry',
    'give-up',
    'retry',
    'undecodable',
    'undecodable',
    'undecodable',
  ]);
  for (const other of others) expect(other).toEqual(first);
}

/** On SQS nothing counts what has no envelope of ours: there it is buried at once, as a stranger's is. */
async function leftToOthers(): Promise<void> {
  const { name } = followNote;
  const shapes = [inOurWorker(followNote), ...(await asCloudEvents(name, shelf))];
  const all = await answersOf(shapes, [{ ...ofAnother, attempt: 0 }]);
  const why = `it is not for ${name}`;
  expect(all).toEqual(shapes.map(() => [{ kind: 'retry', why }]));
}

async function wokenByTime(definition: ReconcileFunction): Promise<void> {
  const data = { kind: 'period', function: definition.name };
  const call = { id: 'e1', type: 'period.elapsed.v1', data };
  const [first, ...others] = await answersOf(await inEveryShape(definition), [call]);

  expect(first?.[0]?.kind).toMatch(/^(done|later|retry)$/);
  for (const other of others) expect(other).toEqual(first);
}

async function inEveryShape(definition: ReconcileFunction) {
  const { name } = definition;
  return [inOurWorker(definition), inSqsBatch(name, shelf), ...(await asCloudEvents(name, shelf))];
}

/** In this process, on the same ports as in a bundle's. */
function inOurWorker(definition: ReconcileFunction) {
  const wiring = wire({
    settings: settingsFixed(settings),
    conditions: { report: () => {} },
    measures: openMetrics({ process: false }).measures,
    login: undefined,
  });
  return inWorker(definition, { ports: wiring.portsOf(definition), log: logRecorded() });
}

/** The first shape's answer is what the others are held to. */
async function answersOf<In, Out>(
  shapes: readonly Shape<In, Out>[],
  calls: readonly In[],
): Promise<readonly (readonly Out[])[]> {
  try {
    return await Promise.all(shapes.map((shape) => inTurn(shape, calls)));
  } finally {
    await Promise.all(shapes.map((shape) => shape.stop()));
  }
}

async function inTurn<In, Out>(shape: Shape<In, Out>, calls: readonly In[]): Promise<Out[]> {
  const answers: Out[] = [];
  for (const call of calls) answers.push(await shape.call(call));
  return answers;
}

function textOf(answer: Answer | undefined): string {
  return Buffer.from(answer?.body ?? '', 'base64').toString('utf8');
}
