import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import { buildBundles, type Source } from '#infra/build/bundles.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import copyNote from '#test/fixtures/functions/copy-note.ts';
import followNote from '#test/fixtures/functions/follow-note.ts';
import greet from '#test/fixtures/functions/greet.ts';
import { answerOf, podWith, reviewOf } from '#test/support/admission.ts';
import { writeNote, written } from '#test/support/notes.ts';
import { mapChanged } from '#test/support/running.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';
import { freePort, type Running, run } from './kube/program.ts';

const { kubeconfig } = inject('kube');
const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
const home = mkdtempSync(join(tmpdir(), 'knative-'));
const runtime = join(import.meta.dirname, '../../node_modules/faas-js-runtime/bin/cli.js');
const running: Running[] = [];
const ports = new Map<string, number>();

const fixtures = [copyNote, followNote, greet].map((definition): Source => {
  return { file: `test/fixtures/functions/${definition.name}.ts`, definition };
});
const sources: readonly Source[] = [
  ...fixtures,
  { file: 'functions/node-affinity/prefer-pool.ts', definition: preferPool },
];

beforeAll(async () => {
  await buildBundles(sources, home);
  for (const { definition } of sources) await start(definition.name);
});
afterAll(async () => {
  for (const program of running) await program.kill();
  cluster.close();
  rmSync(home, { recursive: true });
});

async function start(name: string): Promise<void> {
  const port = await freePort();
  const bundle = join(home, `${name}.mjs`);
  const args = [`KUBECONFIG=${kubeconfig}`, process.execPath, runtime, '--port', `${port}`, bundle];
  const program = run('env', args, join(home, `${name}.log`));
  running.push(program);
  ports.set(name, port);
  await program.until(`the runtime of ${name}`, () =>
    fetch(`http://127.0.0.1:${port}/health/readiness`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

function send(name: string, init: RequestInit, query = ''): Promise<Response> {
  return fetch(`http://127.0.0.1:${ports.get(name)}/${query}`, { method: 'POST', ...init });
}

function binary(data: object): RequestInit {
  const headers = {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': 'e1',
    'ce-source': '/clusters/default',
    'ce-type': 'object.changed.v1',
  };
  return { headers, body: JSON.stringify(data) };
}

function structured(data: object): RequestInit {
  const context = { specversion: '1.0', id: 'e1', source: '/clusters/default' };
  return {
    headers: { 'content-type': 'application/cloudevents+json' },
    body: JSON.stringify({ ...context, type: 'object.changed.v1', data }),
  };
}

const modes = [
  ['binary', binary],
  ['structured', structured],
] as const;

describe.each(modes)('an event in %s mode through the functions runtime', (mode, event) => {
  it.each([
    ['done', { kind: 'done' }],
    ['later', { kind: 'later', afterSeconds: 7 }],
    ['conflict', { kind: 'retry', why: 'somebody wrote first' }],
    ['give-up', { kind: 'give-up', why: 'its name is not one' }],
  ])('is answered with its outcome: %s', async (name, outcome) => {
    const response = await send('follow-note', event(mapChanged({ name })));
    expect(response.status).toBe(200);
    expect(response.headers.get('ce-type')).toBe('function.ran.v1');
    expect(response.headers.get('ce-source')).toBe('/functions/follow-note');
    expect(await response.json()).toEqual(outcome);
  });

  it('that cannot be decoded is answered 400', async () => {
    const response = await send('follow-note', event({ kind: 'object' }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ kind: 'undecodable' });
  });

  it('writes to the cluster', async () => {
    const namespace = await freshNamespace(cluster);
    const note = await writeNote(cluster, namespace, `note-${mode}`);
    const response = await send('copy-note', event(note.message.data as object));
    expect(await response.json()).toEqual({ kind: 'done' });
    expect(written(await note.find())).toMatchObject({
      annotations: { 'samples.gatehouse.io/copied': 'grüß' },
    });
  });
});

describe('a plain request through the functions runtime', () => {
  it('that is no event wakes nobody', async () => {
    const response = await send('follow-note', { body: '{}' });
    expect(response.status).toBe(400);
  });

  it('reaches an endpoint at its own path', async () => {
    const response = await send('greet', {
      body: 'grüezi',
      headers: { 'content-type': 'text/plain' },
    });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('grüezi');
  });

  it('is a review for an admission function', async () => {
    const response = await send('prefer-pool', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(reviewOf({ object: podWith('nginx:1') })),
    });
    expect(await answerOf(response)).toMatchObject({ status: 200, allowed: true });
  });
});
