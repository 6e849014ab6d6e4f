import type { Dice } from '../dice.ts';
import { deleteBodies, deleteQueries, writeQueries } from '../oddities/queries.ts';
import type { Body, Step } from '../step.ts';
import { listPath } from '../subjects.ts';
import { type Chooser, objectPath, ownOnly, step } from './chooser.ts';
import { objectFor, oddBody, someEdits, whole } from './objects.ts';

/** With nothing that could be refused. */
export function plainlyMade({ subject, dice }: Chooser): Step {
  const name = dice.chance(0.85) ? 'a' : 'b';
  const metadata = { name: subject.name ?? (subject.cluster === true ? `{ns}-${name}` : name) };
  const value = { ...subject.self, metadata, ...subject.base };
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const query = dice.chance(0.3) ? ['fieldManager=me'] : [];
  return { method: 'POST', path: listPath(subject), query, headers, body: { kind: 'json', value } };
}

export function made(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const body = dice.chance(0.04) ? oddBody(dice) : whole(chooser);
  return step(chooser, { method: 'POST', path: listPath(subject), query: writeQuery(dice), body });
}

export function updated(chooser: Chooser): Step {
  const { dice } = chooser;
  const path = objectPath(chooser);
  const body = dice.chance(0.04) ? oddBody(dice) : seen(chooser, path);
  return step(chooser, { method: 'PUT', path, query: writeQuery(dice), body });
}

function seen(chooser: Chooser, path: string): Body {
  const edits = someEdits(chooser, 0);
  const otherwise = objectFor(chooser, edits);
  return { kind: 'seen', path: withoutSubresource(path), edits, otherwise };
}

/** Subresources are changed as a part of the whole. */
function withoutSubresource(path: string): string {
  return path.replace(/\/(status|resize|ephemeralcontainers|finalize|approval|nope)$/, '');
}

export function writeQuery(dice: Dice): readonly string[] {
  if (dice.chance(0.65)) return [];
  return [dice.one(dice.chance(0.8) ? writeQueries.usual : writeQueries.odd)];
}

export function removed(chooser: Chooser): Step {
  const { dice } = chooser;
  const drawn = {
    method: 'DELETE',
    path: objectPath(chooser),
    query: deleteQuery(dice),
    body: deleteBody(dice),
  };
  return step(chooser, drawn);
}

export function removedAll(chooser: Chooser): Step {
  const { dice, subject } = chooser;
  const query = [...ownOnly(subject, dice), ...deleteQuery(dice)];
  const path = listPath(subject);
  return step(chooser, { method: 'DELETE', path, query, body: deleteBody(dice) });
}

function deleteQuery(dice: Dice): readonly string[] {
  if (dice.chance(0.5)) return [];
  return [dice.one(dice.chance(0.7) ? deleteQueries.usual : deleteQueries.odd)];
}

function deleteBody(dice: Dice): Body | undefined {
  return dice.chance(0.35) ? { kind: 'text', text: dice.one(deleteBodies) } : undefined;
}
