import { openSync, writeSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import type { Wake } from '#events/kinds.ts';
import type { Run } from '#shared/define.ts';
import { type Kind, namespaces } from '#shared/domain/kind.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';
import type { Mirror } from '#shared/ports.ts';
import { labelsText } from './labels.ts';
import { lingersMs } from './rules.ts';
import { monotonicMs } from './runs.ts';

/** Shared by all workers: a line that is appended whole survives whatever ends the process after it. */
const file = process.env['CHAOS_RUNS'];
const runs = file === undefined ? undefined : openSync(file, 'a');

type Noting = { readonly mirror: Mirror; readonly function: string; readonly kind: Kind };

/** Writes down what a run was woken for, and by which event, and what it read. */
export async function note(wake: Wake, noting: Noting, run?: Run): Promise<Outcome> {
  if (wake.kind !== 'object' || runs === undefined) return done;
  const began = monotonicMs();
  const read = await noting.mirror.findByUid(noting.kind, wake.uid);
  const around = await surroundings(wake.namespace, noting);
  const version = read.object?.metadata.resourceVersion ?? '';
  const state = read.isDeleted ? 'tombstone' : version === '' ? 'nothing' : 'living';
  const line = [
    ...[noting.function, wake.uid, wake.deleted ? 'deleted' : 'changed', state, version, around],
    ...[began.toFixed(3), monotonicMs().toFixed(3), run?.eventId],
    labelsText(read.object?.metadata.labels ?? {}),
  ];
  writeSync(runs, `${line.join('\t')}\n`);
  await linger(lingersMs(noting.function));
  return done;
}

/** What happens to the object meanwhile needs another run. No less: timers may be early by what their turn took. */
async function linger(ms: number): Promise<void> {
  const until = monotonicMs() + ms;
  for (let left = ms; left > 0; left = until - monotonicMs()) await after(left);
}

/** Which version of the object's namespace it could see, for the function that is woken by that as well. */
async function surroundings(name: string, { mirror, function: by }: Noting): Promise<string> {
  if (by !== 'note-neighbours') return '';
  const { object } = await mirror.find(namespaces, { name });
  return object?.metadata.resourceVersion ?? '';
}
