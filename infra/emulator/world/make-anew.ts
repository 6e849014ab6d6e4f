import { setTimeout as after } from 'node:timers/promises';
import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, Write } from '#shared/ports.ts';
import { type Place, wordsFor } from './ref.ts';

export type Remaking = {
  readonly cluster: Pick<Cluster, 'find'>;
  readonly place: Place;
  /** Throws where it could not be made: then it stays. */
  readonly check: (live: KubeObject) => Promise<void>;
  /** At once, whatever grace it has, and only while it is this one. */
  readonly remove: (live: KubeObject) => Promise<Write>;
  readonly make: (live: KubeObject) => Promise<Write>;
};

/** Deleted and made again at once: the same name, another uid. Whatever could not come back is not deleted. */
export async function makeAnew(remaking: Remaking): Promise<void> {
  const live = await removed(remaking);
  await made(remaking, live);
}

const looks = 5;

/** Somebody may write between a look and the deletion: then it is looked at again. */
async function removed({ cluster, place, check, remove }: Remaking): Promise<KubeObject> {
  for (let look = 1; look <= looks; look += 1) {
    const live = await cluster.find(place);
    if (live === undefined) {
      throw new Error(`there is no ${wordsFor(place)} to make anew: apply it first`);
    }
    refuseHeld(live, place);
    await check(live);
    const write = await remove(live);
    if (write.kind === 'written') return live;
    if (write.kind === 'busy') throw new Error(`cannot delete ${wordsFor(place)}: ${write.why}`);
  }
  throw new Error(`${wordsFor(place)} is written to all the time: it was left as it is`);
}

/** Whoever holds it would have to let it go first, and until then nothing can have its name. */
function refuseHeld({ metadata, ...object }: KubeObject, place: Place): void {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const held = [...textsIn(metadata['finalizers']), ...textsIn(spec['finalizers'])];
  if (held.length > 0) {
    throw new Error(
      `${wordsFor(place)} has finalizers, so that it cannot be made anew at once: ${held.join(', ')}; it was left as it is`,
    );
  }
  if (metadata['deletionTimestamp'] !== undefined) {
    throw new Error(`${wordsFor(place)} is being deleted already; it was left as it is`);
  }
}

function textsIn(list: Json | undefined): readonly string[] {
  return (isList(list) ? list : []).filter((each) => typeof each === 'string');
}

const [tries, againMs] = [20, 250];

/** It is gone: one answer that fails is no reason to leave it so. */
async function made({ cluster, place, make }: Remaking, live: KubeObject): Promise<void> {
  for (let left = tries; ; left -= 1) {
    const problem = await make(live).then(problemWith, String);
    if (problem === undefined) return;
    // Its owner was faster, or an answer got lost.
    const found = await cluster.find(place).catch(() => undefined);
    if (found !== undefined && found.metadata.uid !== live.metadata.uid) return;
    if (left === 1) {
      throw new Error(`${wordsFor(place)} was deleted and could not be made anew: ${problem}`);
    }
    await after(againMs);
  }
}

function problemWith(write: Write): string | undefined {
  if (write.kind === 'written') return undefined;
  return 'why' in write ? write.why : write.kind;
}

/** Without what only the server states. */
export function asStated({ metadata, ...object }: KubeObject): KubeObject {
  const {
    uid: _,
    resourceVersion: __,
    generation: ___,
    creationTimestamp: ____,
    deletionTimestamp: _____,
    managedFields: ______,
    ...stated
  } = metadata;
  return { ...object, metadata: stated } as KubeObject;
}
