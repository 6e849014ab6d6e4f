import type { Dead, Queue } from '../queue.ts';
import type { DeadLetters, Letter } from './dead-letters.ts';
import type { Bodies, Outbox } from './outbox.ts';

export type ReturningParts = {
  readonly dead: DeadLetters;
  readonly outbox: Outbox;
  readonly functions: readonly string[];
  /** Hands on what was put into the outbox. */
  readonly relay: () => Promise<unknown>;
};

/** AWS can move dead letters itself, but only all of them, and servers for tests cannot: it is done by hand. */
export function returningOn(
  parts: ReturningParts,
): Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'> {
  const { dead, outbox } = parts;
  return {
    async listDead({ function: name, after = '', max }) {
      let page: readonly Letter[] = [];
      for (const each of name === undefined ? parts.functions : [name]) {
        await dead.each(each, (letter) => {
          if (letter.enveloped.id > after && !page.some((other) => isSame(letter, other))) {
            page = [...page, letter].sort(byId).slice(0, max);
          }
          return 'leave';
        });
      }
      return await Promise.all(page.map((letter) => deadFrom(letter, outbox.bodies)));
    },
    async redrive(ids) {
      const found = (await named(parts, ids)).toSorted(byBurial);
      const each = found.filter(isFirst);
      const letters = await Promise.all(
        each.map(async (letter) => ({
          ...letter.enveloped.message,
          body: await bodyOf(letter, outbox.bodies),
        })),
      );
      if (letters.length === 0) return 0;
      // In this order: what stops in between leaves a letter twice, never none.
      await outbox.add(letters);
      await dropAll(parts, found);
      await parts.relay();
      return each.length;
    },
    async purgeDead(ids) {
      const found = await named(parts, ids);
      await dropAll(parts, found);
      return found.filter(isFirst).length;
    },
  };
}

/** With all copies: whoever died after burying one, and before settling, has left another. */
async function named(
  { dead, functions }: ReturningParts,
  ids: readonly string[],
): Promise<readonly Letter[]> {
  const wanted = new Set(ids);
  const found: Letter[] = [];
  for (const name of functions) {
    if (found.filter(isFirst).length === wanted.size) break;
    await dead.each(name, (letter) => {
      if (!wanted.has(letter.enveloped.id)) return 'leave';
      found.push(letter);
      return 'take';
    });
  }
  return found;
}

function isFirst(letter: Letter, at: number, letters: readonly Letter[]): boolean {
  return letters.findIndex((other) => isSame(letter, other)) === at;
}

function isSame({ enveloped: one }: Letter, { enveloped: other }: Letter): boolean {
  return one.id === other.id;
}

async function dropAll(
  { dead, outbox }: ReturningParts,
  letters: readonly Letter[],
): Promise<void> {
  await dead.drop(letters);
  const kept = letters.filter(({ enveloped }) => enveloped.body.kind === 'kept');
  if (kept.length > 0) await outbox.bodies.drop(kept.map(({ enveloped }) => enveloped.id));
}

async function deadFrom(letter: Letter, bodies: Bodies): Promise<Dead> {
  const { id, message, buried } = letter.enveloped;
  const { function: name, group, type, eventId } = message;
  return {
    ...{ id, function: name, group, type, eventId },
    body: await bodyOf(letter, bodies),
    received: buried.received,
    why: buried.why,
    buriedAt: new Date(buried.atMs),
  };
}

async function bodyOf({ enveloped: { id, body } }: Letter, bodies: Bodies): Promise<string> {
  return body.kind === 'inline' ? body.text : ((await bodies.find(id)) ?? '');
}

function byId({ enveloped: one }: Letter, { enveloped: other }: Letter): number {
  return one.id < other.id ? -1 : 1;
}

function byBurial(one: Letter, other: Letter): number {
  return one.enveloped.buried.atMs - other.enveloped.buried.atMs || byId(one, other);
}
