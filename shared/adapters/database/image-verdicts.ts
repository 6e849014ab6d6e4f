import type { Sql } from 'postgres';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Collection, VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { arrayText } from './columns.ts';
import { gathering } from './gathering.ts';
import { anchorsOn } from './image-anchors.ts';
import { imageChangesOn, imageChannel } from './image-changes.ts';
import { claimsOn } from './image-claims.ts';
import { contentsOn } from './image-contents.ts';
import { sweepImagesOn } from './image-sweep.ts';

type Options = { readonly cluster: string };

export type OpenVerdicts = VerdictStore & { close(): Promise<void> };

/** What all replicas know together of images. */
export function verdictsOn(sql: Sql, { cluster }: Options): OpenVerdicts {
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
      await keepOn(sql, { cluster, collection, verdicts, ...proof });
      if (Math.random() < sweepChance) await sweepImagesOn(sql, { cluster });
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
  return judgement.kind === 'trusted'
    ? { ...judgement, until: new Date(judgement.until) }
    : judgement;
}

type Question = Pick<Verdict, 'tag' | 'digest'> & { readonly collection: Collection };

function questionKey({ collection, tag = '', digest }: Question): string {
  return `${collection.key} ${tag} ${digest}`;
}

/** What was proven under another root than the one that is kept now proves nothing. */
async function findOn(sql: Sql, cluster: string, asked: readonly Question[]) {
  const column = (textOf: (question: Question) => string) => arrayText(asked.map(textOf));
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

type Keeping = {
  readonly cluster: string;
  readonly collection: Collection;
  readonly verdicts: readonly Verdict[];
  readonly root: string;
  readonly isChange: boolean;
};

/** Of what was not proven: it takes no other's place than of what is trusted still, or it would undo a revocation. */
const standsIn = JSON.stringify({ remarks: ['not-asked-again'] });

/** In the order of their keys: two who write the same rows wait for each other, not both. */
async function keepOn(sql: Sql, keeping: Keeping): Promise<void> {
  const { cluster, collection, root, isChange } = keeping;
  const { key, verifier, server, name, owner } = collection;
  if (keeping.verdicts.length > 0) {
    await sql`
      insert into image_verdicts as v (cluster, collection, tag, digest, verifier, server, name,
        owner, root, also, judgement, fresh_until, valid_until)
      select ${cluster}, ${key}, n.tag, n.digest, ${verifier}, ${server}, ${name}, ${owner}, ${root},
        n.also::text[], n.judgement::json, n.fresh_until::timestamptz, n.valid_until::timestamptz
      from unnest(${columnOf(keeping, ({ tag }) => tag ?? '')}::text[],
        ${columnOf(keeping, ({ digest }) => digest)}::text[],
        ${columnOf(keeping, ({ also }) => arrayText(also))}::text[],
        ${columnOf(keeping, ({ judgement }) => JSON.stringify(judgement))}::text[],
        ${columnOf(keeping, ({ freshUntil }) => freshUntil.toISOString())}::text[],
        ${columnOf(keeping, ({ validUntil }) => validUntil.toISOString())}::text[]
      ) as n (tag, digest, also, judgement, fresh_until, valid_until)
      order by n.tag collate "C", n.digest collate "C"
      on conflict (cluster, collection, tag, digest) do update set
        root = excluded.root, also = excluded.also, judgement = excluded.judgement,
        fresh_until = excluded.fresh_until, valid_until = excluded.valid_until
      where v.judgement->>'kind' = 'trusted'
        or not excluded.judgement::jsonb @> ${standsIn}::text::jsonb`;
  }
  if (isChange) await sql`select pg_notify(${imageChannel}, ${`${key} ${cluster}`})`;
}

function columnOf({ verdicts }: Keeping, textOf: (verdict: Verdict) => string): string {
  return arrayText(verdicts.map(textOf));
}
