import type { Buried, Dead, Queue } from '../queue.ts';
import { unsendable } from '../sendable.ts';
import type { DeadLetters, Letter } from './dead-letters.ts';
import { longestInline } from './envelope.ts';
import type { Bodies, Outbox } from './outbox.ts';
import { byId, openPage } from './page.ts';

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
      const page = openPage(max);
      for (const each of name === undefined ? parts.functions : [name]) {
        await dead.each(each, (letter) => {
          if (letter.enveloped.id > after) page.add(letter);
          return 'leave';
        });
      }
      return await Promise.all(page.first().map((letter) => deadFrom(letter, outbox.bodies)));
    },
    async redrive(buried) {
      const stuck: string[] = [];
      const redriven = await takeAll(parts, buried, async (found) => {
        stuck.push(...(await rise(parts, found)));
      });
      if (redriven > 0) await parts.relay();
      const [first] = stuck;
      if (first !== undefined) throw new Error(first);
      return redriven;
    },
    purgeDead: (buried) => takeAll(parts, buried, (found) => dropAll(parts, found)),
  };
}

type Act = (found: readonly Letter[]) => Promise<void>;

/** How many there were, copies of one as one: whoever died after burying one, and before settling, has left another. */
async function takeAll(parts: ReturningParts, buried: Buried, act: Act): Promise<number> {
  if (!('function' in buried)) return takeNamed(parts, buried, act);

  let taken = 0;
  const { function: only } = buried;
  for (const name of only === undefined ? parts.functions : [only]) {
    taken += await takeLots(parts, name, act);
  }
  return taken;
}

async function takeNamed(
  { dead, functions }: ReturningParts,
  ids: readonly string[],
  act: Act,
): Promise<number> {
  const wanted = new Set(ids);
  const found: Letter[] = [];
  for (const name of functions) {
    if (distinct(found).length >= wanted.size) break;
    await dead.each(name, (letter) => {
      if (!wanted.has(letter.enveloped.id)) return 'leave';
      found.push(letter);
      return 'take';
    });
  }
  if (found.length > 0) await act(found);
  return distinct(found).length;
}

/** So much is in memory at once; within it all come back in the order in which they were buried. */
const lot = { letters: 10_000, characters: 64 * 1_048_576 } as const;

/** Each is received once. Whatever is buried meanwhile by whoever runs the first ones again is not waited for. */
async function takeLots({ dead }: ReturningParts, name: string, act: Act): Promise<number> {
  const most = await dead.count(name);
  let taken = 0;
  for (let isMore = true; isMore; isMore &&= taken < most) {
    const found: Letter[] = [];
    let characters = 0;
    isMore = false;
    await dead.each(name, (letter) => {
      isMore = found.length >= lot.letters || characters >= lot.characters;
      if (isMore) return 'stop';
      found.push(letter);
      characters += lengthOf(letter);
      return 'take';
    });
    if (found.length > 0) await act(found);
    taken += distinct(found).length;
  }
  return taken;
}

/**
 * In this order: what stops in between leaves a letter twice, never none. What somebody wrote by hand and nobody can
 * send is left, to be seen again when its time is over, and said.
 */
async function rise(parts: ReturningParts, found: readonly Letter[]): Promise<readonly string[]> {
  const { outbox } = parts;
  const letters = await Promise.all(
    found.toSorted(byBurial).map(async (letter) => {
      const message = { ...letter.enveloped.message, body: await bodyOf(letter, outbox.bodies) };
      return { letter, message, wrong: unsendable(message) };
    }),
  );
  const good = letters.filter(({ wrong }) => wrong === undefined).map(({ letter }) => letter);
  const sent = new Set(distinct(good));
  await outbox.add(letters.flatMap(({ letter, message }) => (sent.has(letter) ? [message] : [])));
  await dropAll(parts, good);
  return letters.flatMap(({ letter, wrong }) =>
    wrong === undefined ? [] : [`${letter.enveloped.id} cannot come back: ${wrong}`],
  );
}

/** Of copies the first. */
function distinct(letters: readonly Letter[]): readonly Letter[] {
  return [...Map.groupBy(letters, ({ identity }) => identity).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
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

function lengthOf({ enveloped: { body } }: Letter): number {
  return body.kind === 'inline' ? body.text.length : longestInline;
}

function byBurial(one: Letter, other: Letter): number {
  return one.enveloped.buried.atMs - other.enveloped.buried.atMs || byId(one, other);
}
