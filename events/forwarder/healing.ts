import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Found } from './comparing.ts';
import { lookAt, seenAs } from './looking.ts';
import { readWhileOurs } from './read-while-ours.ts';
import { commitSeen, servedScope, type Writer } from './writer.ts';

type Healing = { readonly at: Found; readonly cursor: Cursor };

/** `left`: it cannot be kept, or the server would not say. */
export type Healed = 'healed' | 'left' | 'fenced';

/** One object, by its own GET: what is true now is told like a change. */
export async function heal(uid: string, { at, cursor }: Healing, writer: Writer): Promise<Healed> {
  const found = await lookAt(at, writer);
  if (found.kind === 'found' && found.object.metadata.uid === uid) {
    const seen = [seenAs(found.object, servedScope(writer))];
    const { kind } = await commitSeen(writer, seen, cursor);
    return kind === 'fenced' ? 'fenced' : 'healed';
  }
  // A refusal says nothing: the next audits will find it again.
  if (!isSomebodyElse(found, uid)) return 'left';

  const rows = await readWhileOurs(writer, (transaction) =>
    transaction.find({ uids: [uid], names: [] }),
  );
  if (rows === 'fenced') return 'fenced';
  const seen = rows.map(({ object }) => ({ kind: 'deleted' as const, object }));
  const { kind } = await commitSeen(writer, seen, cursor);
  return kind === 'fenced' ? 'fenced' : 'healed';
}

/** Or nobody. */
function isSomebodyElse(found: Awaited<ReturnType<typeof lookAt>>, uid: string): boolean {
  if (found.kind === 'unkept') return found.uid !== uid;
  return found.kind === 'found' || found.kind === 'none';
}
