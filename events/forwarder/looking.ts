import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Refused, Scope } from '#shared/domain/watched.ts';
import { shownPlace } from '../sendable.ts';
import { isSelected, isWithin } from './followed.ts';
import { type Read, whyNobody } from './lines.ts';
import type { Stream } from './ports.ts';
import { isRefused, tellUnkept } from './refusals.ts';
import { isKept, type Seen, seenOf, type Unkept, unkeptFor, whyNoPlace } from './seen.ts';
import { laterOf } from './versions.ts';
import { servedScope, type Writer } from './writer.ts';

/** Objects whose lines were too long, or too large for a page, each by a GET, up to the first that the server would not show. */
export async function readAlone(
  unread: Read['unread'],
  writer: Writer,
): Promise<readonly Seen[] | Refused> {
  const { world, term } = writer;
  const seen: Seen[] = [];
  for (const at of unread) {
    const why = `${shownPlace(at)} is too large for a line or a page: it is read by itself`;
    world.tell({ kind: 'refused-line', scope: term.scope, why });
    const found = await lookAt(at, writer);
    if (found.kind === 'found') seen.push(seenAs(found.object, servedScope(writer)));
    else if (found.kind === 'unkept') seen.push(found);
    else if (found.kind === 'oversized') seen.push({ kind: 'oversized', ...at });
    else if (found.kind !== 'none') return found;
    // The line may have been that of its deletion, which is as long as the object was: no other one follows.
    else seen.push({ kind: 'nobody', ...at });
  }
  return seen;
}

/** Remembers how far it saw: a server that falls back behind that has lost what was written by it. */
export async function lookAt(at: Read['unread'][number], writer: Writer) {
  const { world, term, memory, signal } = writer;
  const why = whyNoPlace(at);
  // A path with such a name some servers refuse, and what they say is no word on the object.
  if (why !== undefined) return passedOver(at, { why, writer });
  const found = await world.stream.find(servedScope(writer), at, signal);
  world.tell({ kind: 'looked', scope: term.scope });
  if (found.kind === 'oversized') return lookAtMetadata(at, writer);
  if (found.kind !== 'found') return found;
  memory.ahead = laterOf(memory.ahead, found.object.metadata.resourceVersion ?? '');
  const seen = seenOf(found.object, 'present');
  tellUnkept([seen], writer);
  return isKept(seen) ? found : seen;
}

const tooLarge = 'it is too large to be read';

/** Whose it is tells whether somebody else had its name before: that one's end no line may have told. */
async function lookAtMetadata({ namespace, name }: Read['unread'][number], writer: Writer) {
  const { world, memory, signal } = writer;
  const scope = { ...servedScope(writer), metadataOnly: true };
  const found = await world.stream.find(scope, { namespace, name }, signal);
  if (isUnsaid(found)) return passedOver({ namespace, name }, { why: tooLarge, writer });
  if (found.kind !== 'found') return found;
  memory.ahead = laterOf(memory.ahead, found.object.metadata.resourceVersion ?? '');
  const seen = unkeptFor(tooLarge, found.object, 'present');
  tellUnkept([seen], writer);
  return seen;
}

/** By a server that knows of no such reading, or no uids: to ask again would help nobody. */
function isUnsaid(found: Awaited<ReturnType<Stream['find']>>): boolean {
  if (found.kind === 'found') return whyNobody(found.object) !== undefined;
  return found.kind === 'oversized' || found.kind === 'unsupported';
}

type Passing = { readonly why: string; readonly writer: Writer };

function passedOver(at: Read['unread'][number], { why, writer: { world, term } }: Passing) {
  const told = `${shownPlace(at)} is passed over: ${why}`;
  world.tell({ kind: 'refused-line', scope: term.scope, why: told });
  return { kind: 'oversized' } as const;
}

/** A GET knows no selectors: what it finds may have left the scope. */
export function seenAs(object: KubeObject, scope: Scope): Shown {
  return { kind: isWithin(object, scope) ? 'present' : 'left', object };
}

/** To a selector's watch the server says DELETED also of what only stopped to match. */
export async function settleLeavings(
  seen: readonly Seen[],
  writer: Writer,
): Promise<readonly Seen[] | Refused> {
  if (!isSelected(servedScope(writer))) return seen;
  const settled: Seen[] = [];
  for (const each of seen) {
    const known = isDeleted(each) ? await settle(each, writer) : each;
    if (isRefused(known)) return known;
    settled.push(known);
  }
  return settled;
}

export type Shown = Extract<Seen, { readonly object: KubeObject }>;

function isDeleted(seen: Seen): seen is Shown | Unkept {
  return seen.kind === 'deleted' || (seen.kind === 'unkept' && seen.isDeleted);
}

async function settle(each: Shown | Unkept, writer: Writer): Promise<Seen | Refused> {
  const { namespace = '', name = '', uid } = each.kind === 'unkept' ? each : each.object.metadata;
  const found = await lookAt({ namespace, name }, writer);
  if (found.kind === 'none') return each;
  if (found.kind === 'oversized') return { kind: 'oversized', namespace, name };
  if (found.kind === 'unkept') return found.uid === uid ? found : each;
  if (found.kind !== 'found') return found;
  // Back in sight already, it must not be forgotten: its end may never be told.
  return found.object.metadata.uid === uid ? seenAs(found.object, servedScope(writer)) : each;
}
