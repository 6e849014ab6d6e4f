import { isQuiet, verdictOf } from './verdict.ts';
import { type Scene, until, wallMs } from './world.ts';

/**
 * Whoever was put to a fault sees again what happens, in each kind; what went by before that, a list has told. The first
 * mark may come by a page of a list that is never finished; what is made after it comes by a watch, or by another such
 * list, which then has to end.
 * Up to when it was certainly seen: the moment of the second mark.
 */
export async function noticed(scene: Scene): Promise<number> {
  await markSeen(scene);
  const upTo = wallMs();
  await markSeen(scene);
  await scene.followed?.();
  return upTo;
}

async function markSeen({ traffic, checker, drain, waits, overdue }: Scene): Promise<void> {
  const marked = traffic.mark();
  await traffic.written();
  const marks = new Set(marked.uids);
  const areSeen = await until(() => {
    drain();
    for (const { uid, runs } of checker.cases.values()) if (runs > 0) marks.delete(uid);
    return marks.size === 0;
  }, waits.patienceMs);
  if (areSeen) return;
  overdue?.([...marks].map((uid) => `${checker.objects.get(uid)?.resource} ${uid}`));
}

/** Something that is made from now on has come to that function. */
export async function noticedBy(by: string, scene: Scene): Promise<void> {
  const { traffic, checker, drain, waits } = scene;
  const marked = traffic.mark();
  await traffic.written();
  await until(() => {
    drain();
    return marked.uids.some((uid) => (checker.cases.get(`${by} ${uid}`)?.runs ?? 0) > 0);
  }, waits.patienceMs);
}

/** What nobody had seen by then would go without anybody knowing. */
export async function seenAll({ checker, drain, waits }: Scene, resource: string): Promise<void> {
  await until(() => {
    drain();
    return [...checker.cases.values()].every(({ uid, wanted, last }) => {
      const object = checker.objects.get(uid);
      if (object?.resource !== resource || object.endedAt !== undefined) return true;
      return last.read >= wanted;
    });
  }, waits.patienceMs);
}

/** How far a reader that has just caught up may be behind again when the past is taken away. */
const lagMs = 2_000;

/** Whoever is still busy with the faults before has read up to there, on a slow machine too. */
export async function sinceNoticed(scene: Scene): Promise<number> {
  const upTo = await noticed(scene);
  return Math.min(upTo, wallMs() - lagMs);
}

export function hasSettled({ drain, checker }: Scene): boolean {
  drain();
  return isQuiet(verdictOf(checker));
}
