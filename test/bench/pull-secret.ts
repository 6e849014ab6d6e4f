import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import { openDatabase } from './chaos/database.ts';
import { type Served, serve } from './chaos/processes.ts';
import { namesOf, openBareLoop, type Passed } from './pull-secret/bare-loop.ts';
import type { Job, Rotated } from './pull-secret/cluster-process.ts';
import { atMost, type Bench, type Numbers, type Report, rounded, say } from './support/bench.ts';
import { makeCertificate } from './support/certificate.ts';
import { alsoStop } from './support/processes.ts';
import { buildCommand, writeConfig } from './support/program.ts';
import { spreadOf } from './support/statistics.ts';
import { nodeFlags, openFolder } from './support/subjects.ts';
import { startWorker, type Worker } from './support/worker.ts';

export const bench: Bench = {
  about: 'a rotated pull secret in all namespaces of the emulated cluster, 5 ms a call',
  options: { namespaces: 1_000, delay: 5, groups: 4, failing: 10, rounds: 3 },
  run,
};

type Cluster = Worker<Job, Rotated>;

async function run(options: Numbers): Promise<Report> {
  const { namespaces = 0, delay: delayMs = 0, failing = 0, rounds = 0 } = options;
  const cluster: Cluster = startWorker<Job, Rotated>('../pull-secret/cluster-process.ts');
  const { kubeconfig } = await cluster.run({ kind: 'open', namespaces, delayMs });
  const directory = openFolder();
  writeFileSync(join(directory, 'kubeconfig'), kubeconfig);
  const bare = await bareRounds(cluster, directory, options);
  const worker = await startOurs(directory, options);
  await cluster.run({ kind: 'rest' });
  say(`${namespaces} namespaces have their replicas`);

  const sides = { cluster, worker };
  await untilQuiet(worker);
  const before = await runsOf(worker);
  const whole = await inRounds(sides, rounds, 0);
  const runs = runsBetween(before, await runsOf(worker));
  const broken = await inRounds(sides, rounds, failing);
  const healed = [await cluster.run({ kind: 'heal' })];
  return report(options, { bare, whole, broken, healed, runs });
}

type Bare = Passed & { readonly millis: number };

/** Before ours are there, who would meddle. The first round makes what the others change. */
async function bareRounds(cluster: Cluster, directory: string, options: Numbers) {
  const { namespaces = 0, groups = 1, rounds = 0 } = options;
  const loop = await openBareLoop(join(directory, 'kubeconfig'));
  const found: Bare[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const rotating = cluster.run({ kind: 'rotate', failing: 0 });
    const passed = await loop.through(namesOf(namespaces), groups);
    found.push({ ...passed, millis: (await rotating).millis });
  }
  loop.close();
  const [, ...rest] = found;
  say(`a bare loop: ${rest.map(({ millis }) => Math.round(millis)).join(', ')} ms`);
  return rest;
}

type Sides = { readonly cluster: Cluster; readonly worker: Served };

async function inRounds({ cluster, worker }: Sides, rounds: number, failing: number) {
  const found: Rotated[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const rotated = await cluster.run({ kind: 'rotate', failing });
    say(`${failing} failing: ${rotated.writes} writes in ${Math.round(rotated.millis)} ms`);
    found.push(rotated);
    await untilQuiet(worker);
  }
  return found;
}

/** Forwarder and worker as they are published, on the servers' core with Postgres. */
async function startOurs(directory: string, { groups }: Numbers): Promise<Served> {
  const database = await openDatabase(true);
  alsoStop(database.close);
  await makeCertificate('localhost', directory);
  writeConfig(join(directory, 'config.yaml'), {
    capabilities: ['pod-bootstrap'],
    server: { address: '127.0.0.1', port: 0, probePort: 0 },
    // Mounted ones: nobody writes a Secret of its own among what is counted.
    certificates: { source: 'files', directory },
    worker: { groups },
    podBootstrap: {
      document: { overrides: {}, availableFeatures: [featureKey('add-img-pull-secret')] },
      pullSecret: { namespace: 'home' },
    },
  });
  // Switched off: that a process be told of some is a habit of those who start it.
  const functions = fileURLToPath(new URL('functions/fused', import.meta.url));
  const program = await buildCommand(directory);
  const env = { DATABASE_URL: database.url, GATEHOUSE_CONFIG: '' };
  const given = { directory, functions, program, env, node: nodeFlags };
  const forwarder = await serve({ ...given, role: 'forwarder', name: 'forwarder' });
  const worker = await serve({ ...given, role: 'worker', name: 'worker' });
  for (const { stop } of [forwarder, worker]) alsoStop(stop);
  return worker;
}

type Runs = { readonly count: number; readonly seconds: number };

/** Each write wakes the function once more: no rotation is to begin behind the echoes of the one before. */
async function untilQuiet(worker: Served): Promise<void> {
  const { count } = await runsOf(worker);
  await after(500);
  if ((await runsOf(worker)).count !== count) await untilQuiet(worker);
}

/** By the worker's own count: those as well that each write wakes, and that find nothing to do. */
async function runsOf({ probePort }: Served): Promise<Runs> {
  const text = await (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
  const sumOf = (part: string) =>
    [
      ...text.matchAll(
        /^gatehouse_run_seconds_(\w+)\{.*function="replicate-pull-secret".*\} (\S+)$/gm,
      ),
    ]
      .filter(([, name]) => name === part)
      .reduce((sum, [, , value]) => sum + Number(value), 0);
  return { count: sumOf('count'), seconds: sumOf('sum') };
}

function runsBetween(before: Runs, after: Runs): Runs {
  return { count: after.count - before.count, seconds: after.seconds - before.seconds };
}

type Found = Readonly<Record<'whole' | 'broken' | 'healed', readonly Rotated[]>> & {
  readonly bare: readonly Bare[];
  readonly runs: Runs;
};

/** What a namespace needs, one after the other: to read what is there, and to write. */
const callsANamespace = 2;

/** So many turns of all who work at once, each of the calls that a namespace needs, of so long each. */
function idealOf({ namespaces = 0, groups = 1 }: Numbers, millisACall: number): number {
  return Math.ceil(namespaces / groups) * callsANamespace * millisACall;
}

function report(options: Numbers, { bare, whole, broken, healed, runs }: Found): Report {
  const { namespaces = 0, delay = 0, groups = 1, failing = 0 } = options;
  const of = (found: readonly Rotated[], key: Exclude<keyof Rotated, 'kubeconfig'>) =>
    spreadOf(found.map((each) => each[key]));
  const call = spreadOf(bare.map(({ meanMillisACall }) => meanMillisACall));
  // By the delay alone: that a call takes longer than that, on a busy machine, excuses nobody.
  const named = idealOf(options, delay);
  // At what a call takes here and now, which no loop could do without.
  const ideal = idealOf(options, call.median);
  const millis = of(whole, 'millis');
  const beside = of(broken, 'millis');
  const off = (found: readonly Rotated[], wanted: number) =>
    Math.max(...found.map(({ writes }) => Math.abs(writes - wanted)));
  return {
    bench: 'pull-secret',
    figures: {
      ...{ namespaces, delayMillisACall: delay, groupsAtOnce: groups },
      millisACallInABareLoop: call,
      ideal: `ceil(${namespaces} namespaces / ${groups} at once) x ${callsANamespace} calls x ${delay} ms a call, or ${rounded(call.median)} ms as measured`,
      [`idealMillisAt${delay}ms`]: named,
      idealMillisAsMeasured: ideal,
      millisOfABareLoop: spreadOf(bare.map((each) => each.millis)),
      millisUntilAllAreCurrent: millis,
      [`timesTheIdealAt${delay}ms`]: spreadOf(whole.map((each) => each.millis / named)),
      [`timesOfABareLoopTheIdealAt${delay}ms`]: spreadOf(bare.map((each) => each.millis / named)),
      timesTheIdealAsMeasured: spreadOf(whole.map((each) => each.millis / ideal)),
      writes: of(whole, 'writes'),
      readsOfSecrets: of(whole, 'getsOfSecrets'),
      readsOfNamespaces: of(whole, 'getsOfNamespaces'),
      lists: of(whole, 'lists'),
      runsARotation: runs.count / whole.length,
      meanMillisARun: (runs.seconds / runs.count) * 1_000,
      failing,
      millisOfTheOthersBesideThem: beside,
      writesBesideThem: of(broken, 'writes'),
      writesOnceTheyAreHealed: of(healed, 'writes'),
    },
    bars: [
      atMost('writes too many or too few of a rotation', off(whole, namespaces), 0),
      atMost('reads of Secrets a namespace', of(whole, 'getsOfSecrets').median / namespaces, 2.1),
      ...[
        { at: `${delay} ms a call`, of: named },
        { at: 'what a call takes', of: ideal },
      ].flatMap(({ at, of: least }) => [
        atMost(`all current, times the ideal at ${at}`, millis.median / least, 1.5),
        atMost(
          `all others current beside those that fail, times the ideal at ${at}`,
          beside.median / least,
          1.5,
        ),
      ]),
      atMost('writes too many or too few once those are healed', off(healed, namespaces), 0),
    ],
  };
}
