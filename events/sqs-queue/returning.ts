import type { Dead, Outgoing, Queue, Stuck } from '../queue.ts';
import { openTally } from '../tally.ts';
import type { Letter } from './dead-letters.ts';
import type { Bodies, Outbox } from './outbox.ts';
import { byId, openPage } from './page.ts';
import { whyNotBy } from './returnable.ts';
import { lotsOf, type TakingParts } from './taking.ts';

export type ReturningParts = TakingParts & {
  readonly outbox: Outbox;
  /** Hands on what was put into the outbox. */
  readonly relay: () => Promise<unknown>;
};

/** AWS can move dead letters itself, but only all of them, and servers for tests cannot: it is done by hand. */
export function returningOn(
  parts: ReturningParts,
): Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'> {
  const { dead, outbox } = parts;
  const whyNot = whyNotBy(parts.functions);
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
      const tally = openTally(buried);
      const stuck: Sunk[] = [];
      try {
        for await (const found of lotsOf(parts, buried)) {
          const judged = await judgeAll(found, { bodies: outbox.bodies, whyNot });
          const good = judged.filter((each) => each.kind === 'good');
          stuck.push(...judged.filter((each) => each.kind === 'sunk'));
          await rise(parts, good);
          tally.add(idsOf(found), distinct(good).length);
        }
      } finally {
        // Not before the end: the next lot would have them again.
        await dead.leave(stuck);
      }
      const taken = tally.taken();
      if (taken.count > 0) await parts.relay();
      return { ...taken, stuck: distinct(stuck).map(({ id, why }) => ({ id, why })) };
    },
    async purgeDead(buried) {
      const tally = openTally(buried);
      for await (const found of lotsOf(parts, buried)) {
        await dropAll(parts, found);
        tally.add(idsOf(found), distinct(found).length);
      }
      return tally.taken();
    },
  };
}

type Good = Letter & { readonly kind: 'good'; readonly message: Outgoing };
/** No more than it takes to tell of it and to let it go: of these there may be any number. */
type Sunk = Stuck & Pick<Letter, 'function' | 'handle' | 'identity'> & { readonly kind: 'sunk' };

export const bodyGone = 'its body is gone';

type WhyNot = (message: Outgoing) => string | undefined;
type Judging = { readonly bodies: Bodies; readonly whyNot: WhyNot };

/** In the order in which they were buried. */
function judgeAll(
  found: readonly Letter[],
  { bodies, whyNot }: Judging,
): Promise<readonly (Good | Sunk)[]> {
  const judged = found
    .toSorted(byBurial)
    .map(async (letter) => judge(letter, { body: await bodyOf(letter, bodies), whyNot }));
  return Promise.all(judged);
}

type Judged = { readonly body: string | undefined; readonly whyNot: WhyNot };

function judge(letter: Letter, { body, whyNot }: Judged): Good | Sunk {
  const { function: name, handle, identity, enveloped } = letter;
  const sunk = (why: string): Sunk => {
    return { kind: 'sunk', function: name, handle, identity, id: enveloped.id, why };
  };
  if (body === undefined) return sunk(bodyGone);
  const message = { ...enveloped.message, body };
  const why = whyNot(message);
  return why === undefined ? { ...letter, kind: 'good', message } : sunk(why);
}

/** In this order: what stops in between leaves a letter twice, never none. */
async function rise(parts: ReturningParts, good: readonly Good[]): Promise<void> {
  await parts.outbox.add(distinct(good).map(({ message }) => message));
  await dropAll(parts, good);
}

/** Of copies the first: whoever died after burying one, and before settling, has left another. */
function distinct<T extends Pick<Letter, 'identity'>>(letters: readonly T[]): readonly T[] {
  return [...Map.groupBy(letters, ({ identity }) => identity).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
}

function idsOf(letters: readonly Letter[]): readonly string[] {
  return letters.map(({ enveloped }) => enveloped.id);
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
    body: (await bodyOf(letter, bodies)) ?? '',
    received: buried.received,
    why: buried.why,
    buriedAt: new Date(buried.atMs),
  };
}

async function bodyOf(
  { enveloped: { id, body } }: Letter,
  bodies: Bodies,
): Promise<string | undefined> {
  return body.kind === 'inline' ? body.text : bodies.find(id);
}

function byBurial(one: Letter, other: Letter): number {
  return one.enveloped.buried.atMs - other.enveloped.buried.atMs || byId(one, other);
}
