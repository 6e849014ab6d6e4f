import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { namespaces } from '#shared/domain/kind.ts';
import { present } from '#test/support/tuf/present.ts';
import { admitThrough } from './admit.ts';
import { inTurns, postTo } from './ask-target.ts';
import type { Corpus } from './corpus.ts';
import type { Played } from './run.ts';
import type { Stage } from './vector.ts';

const usage = `npm run attacks -- --url https://HOST:PORT [--url …] [--ca FILE] [--servername NAME] [--kubeconfig FILE] [--port N] [--write FOLDER] [--wait SECONDS] [--json]

Starts a Notary and a registry on loopback, says what the target has to be told of them, waits until the target admits
what is signed there, and then plays every attack and its twin by AdmissionReviews to the URL: to several in turns.
Ends with 0 if no attack was admitted, every twin was, and each of them got an answer; with 1 otherwise.
`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', multiple: true },
    ca: { type: 'string' },
    /** By which name the certificate is checked. */
    servername: { type: 'string' },
    /** Of the servers; the next two as well. With 0, any that are free. */
    port: { type: 'string', default: '39443' },
    /** Of the target's cluster: its namespaces are made, and what needs it is played too. */
    kubeconfig: { type: 'string' },
    write: { type: 'string' },
    wait: { type: 'string', default: '300' },
    json: { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.url === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  // Before any of the scenes is made: they are of 2030, and the target lives today.
  present.offsetMs = Date.now() - Date.parse('2030-01-01T00:00:00Z');
  const { openCorpus } = await import('./corpus.ts');
  const port = Number(values.port);
  const corpus = await openCorpus(port === 0 ? undefined : [port, port + 1, port + 2]);
  try {
    await tell(corpus);
    return await attack(corpus, values.url);
  } finally {
    await corpus.outside.close();
  }
}

/** The configuration that the target needs, and the namespaces that its cluster has to have. */
async function tell(corpus: Corpus): Promise<void> {
  const { manifestOf, settingsFor } = await import('./configuration.ts');
  const settings = stringify(settingsFor(corpus));
  const namespaces = corpus.namespaces.map((each) => stringify(manifestOf(each))).join('---\n');
  if (values.write === undefined) {
    process.stderr.write(`# gatehouse.yaml\n${settings}\n# namespaces.yaml\n${namespaces}\n`);
    return;
  }
  mkdirSync(values.write, { recursive: true });
  writeFileSync(join(values.write, 'gatehouse.yaml'), settings);
  writeFileSync(join(values.write, 'namespaces.yaml'), namespaces);
  process.stderr.write(
    `The target needs ${values.write}/gatehouse.yaml, and its cluster ${values.write}/namespaces.yaml.\n`,
  );
}

async function attack(corpus: Corpus, urls: readonly string[]): Promise<number> {
  const { manifestOf } = await import('./configuration.ts');
  const ca = values.ca === undefined ? undefined : readFileSync(values.ca, 'utf8');
  const cluster = values.kubeconfig === undefined ? undefined : await clusterOf(values.kubeconfig);
  const { servername } = values;
  const post = inTurns(urls.map((url) => postTo({ url, ca, servername })));
  const stage: Stage = {
    outside: corpus.outside,
    admit: (asked) => admitThrough(post, asked),
    ...(cluster === undefined ? {} : { put: cluster.put }),
  };
  try {
    for (const each of corpus.namespaces) await cluster?.put(namespaces, manifestOf(each));
    return await play(corpus, stage);
  } finally {
    cluster?.close();
  }
}

async function play(corpus: Corpus, stage: Stage): Promise<number> {
  const { complaintsOf, isHeld, leftOutLine, playAll, summary } = await import('./run.ts');
  if (!(await isReady(corpus, stage))) {
    process.stderr.write(
      'The target does not admit what is signed: is it configured as said above?\n',
    );
    return 1;
  }
  const result = await playAll(corpus, stage, values.json ? () => {} : told(complaintsOf));
  const leftOut = leftOutLine(result);
  if (leftOut !== undefined) process.stderr.write(`${leftOut}\n`);
  process.stdout.write(
    values.json ? `${JSON.stringify(result, null, 2)}\n` : `${summary(result)}\n`,
  );
  return isHeld(result) ? 0 : 1;
}

async function clusterOf(path: string) {
  const { openCluster } = await import('#shared/adapters/cluster/open-cluster.ts');
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path } });
  const put: NonNullable<Stage['put']> = async (kind, object) => {
    const { name = '', namespace } = object.metadata;
    await cluster.apply({ kind, namespace, name }, object, {
      fieldManager: 'attacks',
      force: true,
    });
  };
  return { put, close: () => cluster.close() };
}

/** Until a twin is admitted: the configuration may still have to be written, and the namespaces to be made. */
async function isReady(corpus: Corpus, stage: Stage): Promise<boolean> {
  const { podOf } = await import('./pod.ts');
  const namespace = corpus.namespaces.find(({ name }) => name.endsWith('-system'));
  const last = corpus.namespaces.at(-1);
  if (namespace === undefined || last === undefined) return false;
  const end = Date.now() + Number(values.wait) * 1_000;
  const object = podOf('registry.example/team/app:1.0');
  const unsigned = podOf('registry.example/team/app:unsigned');
  while (Date.now() < end) {
    const signed = await stage.admit({ namespace, object }).catch(() => undefined);
    // The last namespace to be made refuses what its Notary has not signed: all of them are there.
    const refused = await stage.admit({ namespace: last, object: unsigned }).catch(() => undefined);
    if (signed?.admitted === true && refused?.admitted === false) return true;
    await pause(500);
  }
  return false;
}

function told(complaintsOf: (played: Played) => readonly string[]) {
  return (played: Played) => {
    for (const line of complaintsOf(played)) process.stdout.write(`${line}\n`);
  };
}
