import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addFault } from '#infra/cli/fault.ts';
import type { Places } from '#infra/emulator/dev/state-files.ts';
import { faults } from '#infra/emulator/world/faults/table.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import { configMaps, type Kind, mutatingWebhooks, serviceAccounts } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { descendantsOf, stillThere } from '../../../support/descendants.ts';
import { type DevProcess, type Line, startDev } from '../../../support/dev-process.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { servername } from '../../../support/tls.ts';
import { until } from '../../../support/until.ts';
import { callVerb } from '../../../support/verb.ts';

const directory = temporaryFolder('knobs-');
const state = join(directory, 'state');
const functions = join(directory, 'functions');
/** Made by the function's role. */
const team = 'knobs';
const stamped = 'samples.gatehouse.io/at';

/** Says on standard error which object it has in its hands, and stamps it with the time of its clock, once, if it is called so. */
const stamping = `
import { conflict, defineReconcile, done, kinds } from 'gatehouse/define';
const kind = kinds.configMaps;
export default defineReconcile({
  name: 'stamp',
  capability: 'samples',
  trigger: { watch: { of: kind, namespace: '${team}' } },
  uses: ['cluster', 'clock'],
  access: [{ kind, verbs: ['get', 'patch'] }],
  deadlineMs: 20_000,
  async handler(wake, { cluster, clock }) {
    console.error('in hand: ' + wake.name + '.');
    if (!wake.name.startsWith('stamped-')) return done;
    const target = { kind, namespace: wake.namespace, name: wake.name };
    const found = await cluster.find(target);
    if (found === undefined || found.metadata.annotations?.['${stamped}']) return done;
    const { resourceVersion } = found.metadata;
    const body = { metadata: { annotations: { '${stamped}': clock.now().toISOString() } } };
    const write = await cluster.patch(target, { type: 'merge', body }, { resourceVersion });
    console.error('written: ' + wake.name + ' ' + write.kind + '.');
    return write.kind === 'written' ? done : conflict('somebody wrote first');
  },
});
`;

/** Of another kind, whose news come by another watch. */
const noticing = `
import { defineReconcile, done, kinds } from 'gatehouse/define';
export default defineReconcile({
  name: 'notice',
  capability: 'samples',
  trigger: { watch: { of: kinds.serviceAccounts, namespace: '${team}' } },
  uses: [],
  deadlineMs: 20_000,
  handler: () => done,
});
`;

const greeting = (word: string) => `
import { defineEndpoint } from 'gatehouse/define';
export default defineEndpoint({
  name: 'greet',
  capability: 'samples',
  trigger: { path: '/greetings' },
  uses: [],
  deadlineMs: 5_000,
  handler: () => ({ fetch: () => new Response('${word}') }),
});
`;

let dev: DevProcess;

beforeAll(async () => {
  mkdirSync(functions);
  const files = { stamp: stamping, notice: noticing, greet: greeting('hello') };
  for (const [name, source] of Object.entries(files)) write(name, source);
  // As people type it.
  dev = await startDev({ state, args: ['--functions', relative(process.cwd(), functions)] });
}, 90_000);

afterAll(async () => {
  const started = descendantsOf(dev.pid);
  await dev.end('SIGKILL');
  await until(() => stillThere(started).length === 0, 20_000);
}, 30_000);

function write(name: string, source: string): void {
  writeFileSync(join(functions, `${name}.ts`), source);
}

function places(): Places {
  return JSON.parse(readFileSync(join(state, 'endpoints.json'), 'utf8')) as Places;
}

/** As a person turns it. */
async function turn(name: string, ...given: readonly string[]): Promise<void> {
  const said = await callVerb(addFault, ['fault', name, ...given, '--state', state]);
  expect(said).toEqual({ exit: 0, out: `${name} is turned\n`, err: '' });
}

async function make(kind: Kind, name: string): Promise<KubeObject> {
  const metadata = { name, namespace: team };
  const made = await dev.cluster.create(kind, { apiVersion: 'v1', kind: kind.kind, metadata });
  if (made.kind !== 'written') throw new Error(`it was not made: ${JSON.stringify(made)}`);
  return made.object;
}

const found = (name: string) => dev.cluster.find({ kind: configMaps, namespace: team, name });

const isRunOf = (name: string) => (line: Line) => line.kind === 'run' && nameIn(line) === name;

function nameIn({ object }: Line): unknown {
  return isJsonObject(object as never) ? (object as { name?: unknown }).name : undefined;
}

/** How the runs for one object ended so far. */
const runsOf = (name: string) => dev.lines.filter(isRunOf(name));

/** Makes it, and waits for the first run that settles it. */
async function run(kind: Kind, name: string): Promise<Line> {
  const coming = dev.heard((line) => isRunOf(name)(line) && line['outcome'] === 'done');
  await make(kind, name);
  return coming;
}

const inHand = () => [...dev.complaints().matchAll(/in hand: (.*)\./g)].map(([, name]) => name);
const timesInHand = (name: string) => inHand().filter((each) => each === name).length;

/** Of the forwarder, for ConfigMaps: `gatehouse_forwarder_reconnects_total{scope="…",how="…"} 1` */
async function counted(counter: string, label: string): Promise<number> {
  const answer = await fetch(`${places().probes}/metrics`);
  const lines = (await answer.text()).split('\n');
  const meant = lines.filter(
    (line) =>
      line.startsWith(`gatehouse_forwarder_${counter}{`) &&
      line.includes('configmaps') &&
      line.includes(label),
  );
  return meant.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function counts(counter: string, label: string, act: () => Promise<void>): Promise<void> {
  const before = await counted(counter, label);
  await act();
  await until(async () => (await counted(counter, label)) > before, 20_000);
}

/** What the API server says to a watch from there. */
async function watchFrom(resourceVersion: string) {
  const session = await openSession({ kind: 'kubeconfig', path: join(state, 'kubeconfig') });
  onTestFinished(() => session.close());
  const { signal } = new AbortController();
  const options = { resourceVersion, timeoutSeconds: 1, idleMs: 5_000, signal };
  const watching = await openStream({ session }).watch({ kind: configMaps }, options);
  if (watching.kind !== 'open') return watching.kind;
  const first = await watching.next();
  await watching.close();
  return 'kind' in first ? first.kind : 'told';
}

let tries = 0;

/** In which order they were in hand: the second one is made as soon as the first has happened. */
async function orderOfTwo(): Promise<readonly unknown[]> {
  tries += 1;
  const [first, second] = [`first-${tries}`, `second-${tries}`];
  await turn('reorderGroups');
  const happened = dev.heard((line) => line.kind === 'event' && nameIn(line) === first);
  const both = Promise.all([first, second].map((name) => dev.heard(isRunOf(name))));
  await make(configMaps, first);
  await happened;
  await make(configMaps, second);
  await both;
  const names = inHand().filter((name) => name === first || name === second);
  return names.map((name) => name?.split('-')[0]);
}

/** Whoever runs next meets the fault, and that may be another: then once more. */
async function timesInHandOf(fault: string): Promise<number> {
  tries += 1;
  const name = `object-${tries}`;
  await run(configMaps, `${name}-alone`);
  await turn(fault);
  await run(configMaps, name);
  return timesInHand(name) - timesInHand(`${name}-alone`) + 1;
}

async function coldMs(): Promise<number> {
  tries += 1;
  await turn('coldStart', '600');
  return Number((await run(configMaps, `cold-${tries}`))['ms']);
}

type Seen = readonly [name: string, what: string, see: () => Promise<void>];

/** In this order: a restart begins to count anew, elsewhere. */
const seen: readonly Seen[] = [
  [
    'gone',
    'has the forwarder list the kind anew',
    () => counts('lists_total', '', () => turn('gone', 'ConfigMap')),
  ],
  [
    'dropWatches',
    'ends the watches in good order, and they go on',
    async () => {
      // Behind a list that has only begun there is no watch yet.
      await run(configMaps, 'before-drop');
      await counts('reconnects_total', 'closed', () => turn('dropWatches', 'configmaps'));
      await run(configMaps, 'after-drop');
    },
  ],
  [
    'compact',
    'refuses a watch from before',
    async () => {
      const { resourceVersion = '' } = (await make(configMaps, 'before-compact')).metadata;
      await make(configMaps, 'after-it');
      expect(await watchFrom(resourceVersion)).toBe('told');
      await turn('compact');
      expect(await watchFrom(resourceVersion)).toBe('expired');
    },
  ],
  [
    'slow',
    'lets a write take so long',
    async () => {
      await turn('slow', '600', 'verb=patch', 'kind=ConfigMap');
      expect(Number((await run(configMaps, 'stamped-slowed'))['ms'])).toBeGreaterThanOrEqual(600);
    },
  ],
  [
    'fail',
    'refuses a write, and the run is tried again',
    async () => {
      await turn('fail', '500', 'verb=patch', 'kind=ConfigMap');
      await run(configMaps, 'stamped-failed');
      expect(runsOf('stamped-failed')[0]).toMatchObject({ outcome: 'retry' });
    },
  ],
  [
    'conflict',
    'answers a write by 409',
    async () => {
      await turn('conflict');
      await run(configMaps, 'stamped-contested');
      // The worker runs it again at once, with live reads. What it says of it comes by a pipe of its own.
      const told = /contested conflict\.[\s\S]*contested written\./;
      await expect.poll(dev.complaints, { timeout: 30_000 }).toMatch(told);
    },
  ],
  [
    'duplicate',
    'runs the handler twice for one message',
    async () => {
      await expect.poll(() => timesInHandOf('duplicate'), { timeout: 30_000 }).toBe(2);
    },
  ],
  [
    'reorderGroups',
    'works on the last object first',
    async () => {
      // Only whoever comes soon is waited for, and this machine may be slow.
      await expect.poll(orderOfTwo, { timeout: 30_000 }).toEqual(['second', 'first']);
    },
  ],
  [
    'coldStart',
    'lets the next run of a function begin later',
    async () => {
      await expect.poll(coldMs, { timeout: 30_000 }).toBeGreaterThanOrEqual(600);
    },
  ],
  [
    'recreate',
    'gives an object another uid, and the function what is new',
    async () => {
      await run(configMaps, 'made-anew');
      const before = await found('made-anew');
      await turn('recreate', `ConfigMap ${team}/made-anew`);
      const after = await found('made-anew');
      expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    },
  ],
  [
    'staleMirror',
    'lets another kind’s news overtake',
    async () => {
      await turn('staleMirror', 'ConfigMap', 'forMs=2500');
      const late = run(configMaps, 'late');
      await run(serviceAccounts, 'in-time');
      expect(runsOf('late')).toEqual([]);
      await late;
    },
  ],
  [
    'skewClock',
    'moves the clock of functions',
    async () => {
      await turn('skewClock', '-3600000');
      await run(configMaps, 'stamped-behind');
      await turn('skewClock', '0');
      const { annotations, creationTimestamp } = (await found('stamped-behind'))?.metadata ?? {};
      const aheadMs =
        Date.parse(annotations?.[stamped] ?? '') - Date.parse(String(creationTimestamp));
      expect(aheadMs).toBeLessThan(-3_000_000);
    },
  ],
  [
    'halfOpen',
    'lets a watch fall silent, of which nobody is told',
    async () => {
      await turn('halfOpen', 'ConfigMap');
      await make(configMaps, 'unheard');
      await run(serviceAccounts, 'heard');
      expect(runsOf('unheard')).toEqual([]);
    },
  ],
  [
    'restartAll',
    'begins anew, and hears of what was missed',
    async () => {
      const missed = dev.heard(isRunOf('unheard'));
      await turn('restartAll');
      await missed;
      // Where endpoints.json says.
      expect(await fetch(`${places().probes}/healthz`)).toMatchObject({ ok: true });
    },
  ],
  [
    'killAfterHandler',
    'gives the message back, and its handler runs again',
    async () => {
      await expect.poll(() => timesInHandOf('killAfterHandler'), { timeout: 40_000 }).toBe(2);
    },
  ],
];

describe('a fault of the running gatehouse dev', () => {
  it('is seen to act, each one that there is', () => {
    const names = faults.map(({ name }) => name);
    expect(seen.map(([name]) => name).toSorted()).toEqual(names.toSorted());
  });

  it.each(seen)('%s %s', async (_, _what, see) => see(), 60_000);
});

describe('an endpoint in the running gatehouse dev', () => {
  it('answers below the address that endpoints.json has, and anew when it is saved', async () => {
    expect(await greeted()).toBe('hello');
    const reloaded = dev.heard(({ kind }) => kind === 'reload');
    write('greet', greeting('good day'));
    await reloaded;
    expect(await greeted()).toBe('good day');
  });

  async function greeted(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { servername, ca: await bundle() };
    const asked = request(new URL('/greetings', places().admission), options, (answer) => {
      text(answer).then(resolve, reject);
    });
    asked.on('error', reject).end();
    return promise;
  }

  /** As the API server is told to trust it. */
  async function bundle(): Promise<string> {
    for await (const { webhooks } of dev.cluster.list(mutatingWebhooks)) {
      const [{ clientConfig }] = webhooks as unknown as [{ clientConfig: { caBundle: string } }];
      return Buffer.from(clientConfig.caBundle, 'base64').toString();
    }
    throw new Error('nothing is installed');
  }
});
