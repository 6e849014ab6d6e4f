import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { admitThrough } from './admit.ts';
import type { Told } from './arguments.ts';
import { inTurns, postTo } from './ask-target.ts';
import { awaitTarget } from './await-target.ts';
import { filesFor, printed, settingsFor } from './configuration.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import { openOwnTarget } from './own-target.ts';
import { openProgress, type Progress } from './progress.ts';
import { complaintsOf, isHeld, leftOutLine, playAll, summary } from './run.ts';
import { openTargetCluster, type TargetCluster } from './target-cluster.ts';
import type { Stage } from './vector.ts';

type Against = Pick<Told, 'urls' | 'ca' | 'servername' | 'kubeconfig'> &
  Pick<Stage, 'cutOff'> & {
    /** What is made in its cluster has to be removed. */
    readonly isTheirs: boolean;
  };

/** The exit code. What is opened is closed by whoever owns the stack. */
export async function playAgainst(told: Told, opened: AsyncDisposableStack): Promise<number> {
  const progress = openProgress(process.stderr);
  progress.say('starting a Notary and a registry');
  const corpus = await openCorpus(told.ports);
  opened.defer(() => corpus.close());
  const against = await targetOf(corpus, told, { opened, progress });
  const stage = await stageOf(corpus, against, { opened, progress });
  const isReady = await awaitTarget(corpus, stage, {
    waitMs: told.waitMs,
    told: (why) => progress.tell(`the target is not ready: ${why}`),
  });
  if (!isReady) {
    progress.tell('The target was never ready: is it configured as said above?');
    return 3;
  }
  const vectors = corpus.vectors.filter(({ theme, name }) =>
    `${theme}: ${name}`.includes(told.only),
  );
  if (vectors.length > 0) return play(vectors, stage, { isJson: told.isJson, progress });
  progress.tell(`No vector has "${told.only}" in its theme or name.`);
  return 3;
}

type Means = { readonly opened: AsyncDisposableStack; readonly progress: Progress };

async function targetOf(corpus: Corpus, told: Told, { opened, progress }: Means): Promise<Against> {
  if (told.urls.length > 0) {
    tellConfiguration(corpus, told.write, progress);
    return { ...told, isTheirs: true, ...(told.database && { cutOff: cuttingBy(told.database) }) };
  }
  progress.say('starting a Gatehouse to attack');
  const own = await openOwnTarget(settingsFor(corpus), opened);
  return { ...own, isTheirs: false, servername: undefined };
}

function tellConfiguration(corpus: Corpus, folder: string | undefined, progress: Progress): void {
  const files = filesFor(corpus);
  if (folder === undefined) {
    progress.tell(printed(files));
    return;
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  progress.tell(
    `The target needs ${folder}/gatehouse.yaml, and its cluster ${folder}/namespaces.yaml.`,
  );
}

/** By the shell of whoever attacks. */
function cuttingBy({ cut, back }: NonNullable<Told['database']>): NonNullable<Stage['cutOff']> {
  return async (isAway) => {
    const command = isAway ? cut : back;
    const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`"${command}" ended with ${code}`);
  };
}

async function stageOf(corpus: Corpus, against: Against, means: Means): Promise<Stage> {
  const { urls, kubeconfig, cutOff } = against;
  const cluster =
    kubeconfig === undefined
      ? undefined
      : await clusterFor(corpus, { kubeconfig, isTheirs: against.isTheirs }, means);
  const issuer = against.ca === undefined ? await cluster?.findIssuer() : undefined;
  const { ca = issuer?.ca, servername = issuer?.servername } = against;
  const post = inTurns(urls.map((url) => postTo({ url, ca, servername })));
  return {
    outside: corpus.outside,
    admit: (asked) => admitThrough(post, asked),
    ...(cluster === undefined ? {} : { put: cluster.put }),
    ...(cutOff === undefined ? {} : { cutOff }),
  };
}

async function clusterFor(
  { namespaces }: Corpus,
  { kubeconfig, isTheirs }: { readonly kubeconfig: string; readonly isTheirs: boolean },
  { opened, progress }: Means,
): Promise<TargetCluster> {
  const cluster = await openTargetCluster(kubeconfig);
  opened.defer(() => cluster.close());
  progress.say(`making ${namespaces.length} namespaces`);
  opened.defer(async () => {
    const left = isTheirs ? await cluster.remove(namespaces) : 0;
    if (left > 0) progress.tell(`${left} namespaces could not be removed: attack-*`);
  });
  await cluster.make(namespaces);
  return cluster;
}

type Telling = { readonly isJson: boolean; readonly progress: Progress };

async function play(
  vectors: Corpus['vectors'],
  stage: Stage,
  { isJson, progress }: Telling,
): Promise<number> {
  const total = vectors.length;
  const count = { played: 0 };
  const result = await playAll({ vectors }, stage, (played) => {
    count.played += 1;
    const lines = isJson ? [] : complaintsOf(played);
    if (lines.length > 0) progress.clear();
    for (const line of lines) process.stdout.write(`${line}\n`);
    progress.say(`${count.played} of ${total}: ${played.theme}: ${played.name}`);
  });
  progress.clear();
  const leftOut = leftOutLine(result);
  if (leftOut !== undefined) progress.tell(leftOut);
  process.stdout.write(isJson ? `${JSON.stringify(result, null, 2)}\n` : `${summary(result)}\n`);
  return isHeld(result) ? 0 : 1;
}
