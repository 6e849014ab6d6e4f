import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { OriginOf } from '#shared/domain/image-trust/signed-name.ts';
import { wasSeen } from '#shared/domain/image-trust/verdict.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { ImageJudge, ImagesAsked } from '#shared/ports.ts';
import { accountOf } from './account.ts';
import { attempts } from './attempt.ts';
import { openCollections } from './collections.ts';
import { openContents } from './contents.ts';
import { lookingTogether } from './looking-together.ts';
import { openNaming } from './naming.ts';
import { newest, weightWith } from './newest.ts';
import type { Askable, JudgeParts } from './parts.ts';
import { notVerified, recalled } from './recalling.ts';
import { sha256 } from './sha256.ts';
import { tellingThrows } from './telling-throws.ts';
import type { Look, Seen, Tools } from './vouching.ts';

/** Images are judged once for all who ask: each verifier, repository, tag and digest; under the names that whoever asks goes by. */
export function openJudge(
  parts: JudgeParts,
): (currentOrigin: () => Promise<OriginOf>) => ImageJudge {
  const attempt = attempts({ threw: parts.threw });
  const tools: Tools = {
    clock: parts.clock,
    ...{ boundMs: parts.boundMs, patienceMs: parts.patienceMs },
    contents: openContents(parts, attempt),
    collections: openCollections(parts, attempt),
    naming: openNaming(parts),
  };
  const looking = lookingTogether(tools);
  const answers = openAnswers(parts);
  parts.store.onChange((collection) => {
    attempt.again();
    tools.collections.forget(collection);
    looking.part();
    answers.forget(collection);
  });
  const groundOf = async ({ rules }: ImagesAsked, currentOrigin: () => Promise<OriginOf>) => {
    const unready = parts.ready(rules);
    if (unready !== undefined) await unready;
    const askable = parts.askable();
    const originOf = await currentOrigin();
    return { askable, originOf, key: answers.keyFor(rules, askable, originOf) };
  };
  const look = (image: string, key: string, given: Look) =>
    tellingThrows(looking.look(image, key, given), parts).catch(unreadable);
  const recall = (image: string, given: Look) =>
    tellingThrows(recalled(tools, image, given), parts).catch(() => notVerified(image));

  return (currentOrigin) => ({
    async judge(images, asked) {
      const { key, ...ground } = await groundOf(asked, currentOrigin);
      const given = firstAsked(() => lookFor(asked, ground, parts));
      return Promise.all(
        images.map(async (image) => {
          const of = `${key}\n${image}`;
          const see = async () => look(image, of, given());
          return { image, judgement: await answers.find(of, see) };
        }),
      );
    },
    async recall(images, asked) {
      const { key, ...ground } = await groundOf(asked, currentOrigin);
      const given = firstAsked(() => lookFor(asked, ground, parts));
      return Promise.all(
        images.map(async (image) => ({
          image,
          judgement: answers.known(`${key}\n${image}`) ?? (await recall(image, given())),
        })),
      );
    },
  });
}

/**
 * Whoever is asked answers with a value, whatever others send. Where one throws all the same, that is somebody's doing as likely
 * as ours: as an outage it would be let through where users fail open, and keep what runs marked as it was.
 */
function unreadable(): Seen {
  const note = 'what was sent of it could not be read';
  const judgement = { kind: 'untrusted', why: 'bad-proof', note } as const;
  return { judgement, collections: [], until: undefined };
}

type Ground = { readonly askable: Askable; readonly originOf: OriginOf };

function lookFor(asked: ImagesAsked, ground: Ground, parts: JudgeParts): Look {
  const { loginsOf } = parts;
  const { rules, pod, isDryRun, signal, withinMs } = asked;
  let read: Promise<readonly RegistryLogin[]> | undefined;
  const logins = () => {
    read ??= pod === undefined ? Promise.resolve([]) : loginsOf(pod);
    return read;
  };
  const bound = withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)];
  const patience = AbortSignal.any([signal, ...bound]);
  // Whoever has less time than that has to hear in it who vouches, too.
  const patienceMs = Math.min(parts.patienceMs, ((withinMs ?? Number.POSITIVE_INFINITY) * 2) / 3);
  const account = accountOf(pod);
  return { ...ground, rules, isDryRun, signal: patience, patienceMs, logins, account };
}

/** What is known is told without it: a timer for each review would live for seconds, and some ten thousand at a time. */
function firstAsked<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** In front of all: what was answered under the same rules a moment ago needs no database and no hash. */
function openAnswers({ clock }: JudgeParts) {
  const known = newest<Answer>(1_000_000, ({ judgement }) =>
    weightWith(judgement.kind === 'trusted' ? judgement.children : []),
  );
  const numbers = new WeakMap<object, number>();
  const ways = newest<number>(10_000);
  const written = new WeakMap<TrustRules, number>();
  let count = 0;
  const numberOf = (thing: object) => {
    const number = numbers.get(thing) ?? ++count;
    numbers.set(thing, number);
    return number;
  };
  // By a number that is never given twice: the text itself would be hashed again for each image.
  const wayIn = ({ verifiers, need, registries, allowed, owner }: TrustRules) => {
    const text = sha256(JSON.stringify([verifiers, need, registries, allowed, owner]));
    const known = ways.find(text);
    if (known !== undefined) return known;
    ways.keep(text, ++count);
    return count;
  };
  // Written out once: a namespace may have a thousand entries in its list, and has the same rules for all of its pods.
  const wayOf = (rules: TrustRules) => {
    const way = written.get(rules) ?? wayIn(rules);
    written.set(rules, way);
    return way;
  };
  const find = (key: string) => {
    const answer = known.find(key);
    return answer !== undefined && isGood(answer, clock.now()) ? answer.judgement : undefined;
  };
  return {
    known: find,
    keyFor: (rules: TrustRules, askable: Askable, originOf: OriginOf) =>
      `${wayOf(rules)} ${numberOf(askable)} ${numberOf(originOf)}`,
    async find(key: string, ask: () => Promise<Seen>): Promise<Judgement> {
      const answer = find(key);
      if (answer !== undefined) return answer;
      const { until, ...seen } = await ask();
      if (until !== undefined) known.keep(key, { ...seen, until, from: clock.now() });
      return seen.judgement;
    },
    /** Whoever has a Notary of his own changes it as often as he likes: that is no news of anybody else's images. */
    forget: (collection: string | undefined) =>
      known.drop(
        (_, { collections }) => collection === undefined || collections.includes(collection),
      ),
  };
}

type Answer = Omit<Seen, 'until'> & { readonly from: Date; readonly until: Date };

/** What was answered while the clock was ahead would be good for as long as that, and for its own time. */
function isGood({ from, until }: Answer, now: Date): boolean {
  return now < until && wasSeen(from, now);
}
