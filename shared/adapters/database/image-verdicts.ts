import type { Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import {
  type Asked,
  type Collection,
  type Proof,
  refusedQuestion,
  type VerdictStore,
} from '#shared/domain/image-trust/verdict-store.ts';
import { isOutage } from './failure.ts';
import { gathering } from './gathering.ts';
import { anchorsOn } from './image-anchors.ts';
import { imageChangesOn, imageChannel } from './image-changes.ts';
import { claimsOn } from './image-claims.ts';
import { contentsOn } from './image-contents.ts';
import { sweepImagesOn } from './image-sweep.ts';
import { storable } from './terms.ts';

type Options = { readonly cluster: string };

export type OpenVerdicts = VerdictStore & { close(): Promise<void> };

/** What all replicas know together of images. */
export function verdictsOn(sql: Sql, options: Options): OpenVerdicts {
  const { onChange, onRelease, close, ...asked } = opened(sql, options);
  return { ...telling(asked), onChange, onRelease, close };
}

type Asking = Omit<OpenVerdicts, 'onChange' | 'onRelease' | 'close'>;

/** What was refused for what it holds is told from an outage: of that, all are the same to whoever asks. */
function telling(store: Asking): Asking {
  const told = <G extends unknown[], T>(ask: (...given: G) => Promise<T>) => {
    return (...given: G): Promise<T> =>
      ask(...given).catch((cause: unknown) => {
        throw isOutage(cause) ? cause : refusedQuestion(cause);
      });
  };
  return {
    find: told(store.find),
    list: told(store.list),
    keep: told(store.keep),
    findAnchor: told(store.findAnchor),
    keepAnchor: told(store.keepAnchor),
    claim: told(store.claim),
    release: told(store.release),
    findTag: told(store.findTag),
    keepTag: told(store.keepTag),
    findFacts: told(store.findFacts),
    keepFacts: told(store.keepFacts),
  };
}

function opened(sql: Sql, { cluster }: Options): OpenVerdicts {
  const changes = imageChangesOn(sql, { cluster });
  const find = gathering(questionKey, (asked: readonly Question[]) => findOn(sql, cluster, asked));
  return {
    find: async (collection, asked) => {
      const found = await Promise.all(asked.map((each) => find({ collection, ...each })));
      return found.flatMap(({ verdict }) => verdict ?? []);
    },
    list: async (collection, most) => {
      const rows = await sql<StoredVerdict[]>`
        select v.tag, v.digest, v.also, v.judgement, v.fresh_until, v.valid_until
        from image_verdicts v
        where v.cluster = ${cluster} and v.collection = ${collection.key}
        order by v.tag, v.digest limit ${most}`;
      return rows.map(verdictFrom);
    },
    keep: async (collection, verdicts, proof) => {
      const passedOver = await keepOn(sql, { cluster, collection, verdicts, ...proof });
      if (Math.random() < sweepChance) await sweepImagesOn(sql, { cluster });
      return passedOver;
    },
    ...anchorsOn(sql, { cluster }),
    ...claimsOn(sql, { cluster }),
    ...contentsOn(sql, { cluster }),
    onChange: changes.onChange,
    onRelease: changes.onRelease,
    close: changes.close,
  };
}

/** Whoever writes tidies up now and then. */
const sweepChance = 1 / 200;

type StoredVerdict = {
  readonly tag: string;
  readonly digest: string;
  readonly also: readonly string[];
  readonly judgement: Judgement;
  readonly fresh_until: Date;
  readonly valid_until: Date;
};

function verdictFrom(row: StoredVerdict): Verdict {
  const { tag, digest, also, judgement, fresh_until, valid_until } = row;
  return {
    tag: tag === '' ? undefined : tag,
    ...{ digest, also },
    judgement: dated(judgement),
    freshUntil: fresh_until,
    validUntil: valid_until,
  };
}

/** JSON has no dates. */
function dated(judgement: Judgement): Judgement {
  if (judgement.kind !== 'trusted') return judgement;
  const { until, unheardSince, ...rest } = judgement;
  const since = unheardSince === undefined ? {} : { unheardSince: new Date(unheardSince) };
  return { ...rest, until: new Date(until), ...since };
}

type Question = Pick<Verdict, 'tag' | 'digest'> & { readonly collection: Collection };

function questionKey({ collection, tag = '', digest }: Question): string {
  return `${collection.key} ${tag} ${digest}`;
}

/** What was proven under another root than the one that is kept now proves nothing. */
async function findOn(sql: Sql, cluster: string, asked: readonly Question[]) {
  const column = (textOf: (question: Question) => string) => columnOf(asked, textOf);
  const rows = await sql<(StoredVerdict & { readonly place: number })[]>`
    select a.place::int, v.tag, v.digest, v.also, v.judgement, v.fresh_until, v.valid_until
    from unnest(${column(({ collection }) => collection.key)}::text[],
      ${column(({ collection }) => collection.server)}::text[],
      ${column(({ collection }) => collection.name)}::text[],
      ${column(({ collection }) => collection.owner)}::text[],
      ${column(({ tag }) => tag ?? '')}::text[], ${column(({ digest }) => digest)}::text[]
    ) with ordinality as a (collection, server, name, owner, tag, digest, place)
    join image_verdicts v on v.cluster = ${cluster} and v.collection = a.collection
      and v.tag = a.tag and v.digest = a.digest
    where v.root = coalesce((select t.root from trust_anchors t where t.cluster = ${cluster}
      and t.server = a.server and t.name = a.name and t.owner = a.owner), '')`;
  const byPlace = new Map(rows.map((row) => [row.place, verdictFrom(row)]));
  return asked.map((_, at) => ({ verdict: byPlace.get(at + 1) }));
}

type Keeping = Proof & {
  readonly cluster: string;
  readonly collection: Collection;
  readonly verdicts: readonly Verdict[];
};

/** Of what was not proven: it takes no other's place than of what is trusted still, or it would undo a revocation. */
const standsIn = JSON.stringify({ remarks: ['not-asked-again'] });

async function keepOn(sql: Sql, keeping: Keeping): Promise<readonly Asked[]> {
  const { cluster, collection, isChange, verdicts } = keeping;
  const kept = verdicts.length > 0 ? await written(sql, keeping) : [];
  if (isChange) await sql`select pg_notify(${imageChannel}, ${`${collection.key} ${cluster}`})`;
  const places = new Set(kept.map(({ tag, digest }) => `${tag}@${digest}`));
  return verdicts.filter(({ tag = '', digest }) => !places.has(`${tag}@${digest}`));
}

/**
 * In the order of their keys: two who write the same rows wait for each other, not both. Neither trust nor that nobody
 * was heard takes the place of what was taken back since it began to be asked for: of a row that is another one than then.
 */
async function written(sql: Sql, keeping: Keeping) {
  const { cluster, collection, verdicts, root, before } = keeping;
  const { key, verifier, server, name, owner } = collection;
  return sql<{ readonly tag: string; readonly digest: string }[]>`
    with b as (
      select * from unnest(${columnOf(before, ({ tag }) => tag ?? '')}::text[],
        ${columnOf(before, ({ digest }) => digest)}::text[],
        ${columnOf(before, ({ validUntil }) => validUntil?.toISOString() ?? '')}::text[]
      ) as b (tag, digest, valid_until))
    insert into image_verdicts as v (cluster, collection, tag, digest, verifier, server, name,
      owner, root, also, judgement, fresh_until, valid_until)
    select ${cluster}, ${key}, n.tag, n.digest, ${verifier}, ${server}, ${name}, ${owner}, ${root},
      n.also::text[], n.judgement::json, n.fresh_until::timestamptz, n.valid_until::timestamptz
    from unnest(${columnOf(verdicts, ({ tag }) => tag ?? '')}::text[],
      ${columnOf(verdicts, ({ digest }) => digest)}::text[],
      ${columnOf(verdicts, ({ also }) => arrayText(also))}::text[],
      ${columnOf(verdicts, ({ judgement }) => JSON.stringify(judgement, asStorable))}::text[],
      ${columnOf(verdicts, ({ freshUntil }) => freshUntil.toISOString())}::text[],
      ${columnOf(verdicts, ({ validUntil }) => validUntil.toISOString())}::text[]
    ) as n (tag, digest, also, judgement, fresh_until, valid_until)
    order by n.tag collate "C", n.digest collate "C"
    on conflict (cluster, collection, tag, digest) do update set
      root = excluded.root, also = excluded.also, judgement = excluded.judgement,
      fresh_until = excluded.fresh_until, valid_until = excluded.valid_until
    where v.judgement->>'kind' = 'trusted' or not (
      excluded.judgement::jsonb @> ${standsIn}::text::jsonb
      or v.judgement->>'kind' = 'untrusted' and excluded.judgement->>'kind' <> 'untrusted'
        and v.root = excluded.root and exists (
          select 1 from b where b.tag = excluded.tag and b.digest = excluded.digest
            and nullif(b.valid_until, '')::timestamptz is distinct from v.valid_until))
    returning v.tag, v.digest`;
}

/** Names and notes may hold what somebody else has chosen: people read them, and nothing is decided by them. */
function asStorable(_: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value;
}

function columnOf<T>(all: readonly T[], textOf: (one: T) => string): string {
  return arrayText(all.map(textOf));
}
