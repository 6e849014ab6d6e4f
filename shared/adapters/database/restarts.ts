import type { Sql, TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { Campaign, KeptCampaign } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import {
  keptMs,
  type Line,
  madeUpMs,
  waitIn,
} from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import type { Restarts, Turn } from '#shared/ports.ts';

/** All times are the database's: replicas need not agree on theirs. */
export function restartsOn(sql: Sql, { cluster }: { readonly cluster: string }): Restarts {
  return {
    async find(owner, namespace) {
      const [found] = await sql<Stored[]>`
        select ${columns(sql)} from restart_campaigns
        where cluster = ${cluster} and owner = ${owner} and namespace = ${namespace}`;
      return found && campaignFrom(found);
    },
    async listUnsettled() {
      const found = await sql<Stored[]>`
        select ${columns(sql)} from restart_campaigns
        where cluster = ${cluster} and state <> 'closed' order by owner`;
      return found.map(campaignFrom);
    },
    intend: (campaign, { revision, pauseMs }) =>
      sql.begin(async (tx) => {
        if (!(await written(tx, { cluster, campaign, revision }))) return undefined;
        return turnOf(tx, { cluster, owner: campaign.owner, pauseMs });
      }),
    takeTurn: (owner, { revision, pauseMs }) =>
      sql.begin(async (tx) => {
        const asked = await tx`
          update restart_campaigns set revision = revision + 1
          where cluster = ${cluster} and owner = ${owner} and revision = ${revision}`;
        return asked.count === 0 ? undefined : turnOf(tx, { cluster, owner, pauseMs });
      }),
    async giveTurnBack(pauseMs) {
      await sql`
        update restart_paces set next_at = next_at - ${pauseMs} * interval '1 ms'
        where cluster = ${cluster}`;
    },
    async settle(owner, { state, revision }) {
      const settled = await sql`
        update restart_campaigns set state = ${state}, revision = revision + 1, changed_at = clock_timestamp()
        where cluster = ${cluster} and owner = ${owner} and revision = ${revision}`;
      return settled.count === 1;
    },
    async noteEvicted(pod) {
      await sql`
        update restart_intents set evicted_at = clock_timestamp()
        where cluster = ${cluster} and pod = ${pod}`;
    },
    trips: () => sql<{ namespace: string; sinceMs: number }[]>`
      select namespace, min(${sinceMs(sql, sql`changed_at`)}) as "sinceMs" from restart_campaigns
      where cluster = ${cluster} and state = 'tripped' group by namespace order by namespace`,
    ageMs: (name, hash) => ageOf(sql, { cluster, name, hash }),
    tally: () => tallied(sql, cluster),
  };
}

type Stored = {
  readonly owner: string;
  readonly namespace: string;
  readonly template: string;
  readonly configuration_hash: string;
  readonly bundle_hash: string;
  readonly reason: KeptCampaign['reason'];
  readonly state: KeptCampaign['state'];
  readonly known: readonly string[];
  readonly intent_uid: string;
  readonly intent_name: string;
  readonly count: number;
  readonly revision: number;
  readonly turn_in_ms: number | null;
  readonly since_ms: number;
  readonly owner_api_version: string;
  readonly owner_kind: string;
  readonly owner_name: string;
  readonly tries: number;
};

function columns(sql: Sql) {
  return sql`owner, namespace, template, configuration_hash, bundle_hash, reason, state, known,
    intent_uid, intent_name, count, revision, owner_api_version, owner_kind, owner_name, tries,
    ${turnInMs(sql)} as turn_in_ms, ${sinceMs(sql, sql`changed_at`)} as since_ms`;
}

type Part = ReturnType<Sql>;

function inMs(sql: Sql | TransactionSql, at: Part) {
  return sql`(extract(epoch from ${at} - clock_timestamp()) * 1000)::float8`;
}

/** What stands there while no turn is drawn, or it was taken. */
const noTurn = '1970-01-01T00:00:00Z';

function turnInMs(sql: Sql | TransactionSql) {
  return sql`case when turn_at > ${noTurn}::timestamptz then ${inMs(sql, sql`turn_at`)} end`;
}

function sinceMs(sql: Sql, at: Part) {
  return sql`greatest(0, extract(epoch from clock_timestamp() - ${at}) * 1000)::float8`;
}

function campaignFrom(stored: Stored): KeptCampaign {
  const { owner, namespace, template, reason, state, known, count, revision, tries } = stored;
  return {
    ...{ owner, namespace, template, reason, state, known, count, revision, tries },
    by: { apiVersion: stored.owner_api_version, kind: stored.owner_kind, name: stored.owner_name },
    configurationHash: stored.configuration_hash,
    bundleHash: stored.bundle_hash,
    intent: { uid: stored.intent_uid, name: stored.intent_name },
    turnInMs: stored.turn_in_ms === null ? undefined : Math.ceil(stored.turn_in_ms),
    sinceMs: Math.floor(stored.since_ms),
  };
}

type Writing = {
  readonly cluster: string;
  readonly campaign: Campaign;
  readonly revision: number;
};

/** Only on what was read; the pod is noted in the same transaction. */
async function written(tx: TransactionSql, { cluster, campaign, revision }: Writing) {
  const { owner, namespace, template, configurationHash, bundleHash, reason, state } = campaign;
  const { intent, by, tries } = campaign;
  const { uid, name } = intent;
  const row = await tx`
    insert into restart_campaigns as c (cluster, owner, namespace, template, configuration_hash,
      bundle_hash, reason, state, known, intent_uid, intent_name, count, turn_at, revision, changed_at,
      owner_api_version, owner_kind, owner_name, tries)
    select ${cluster}, ${owner}, ${namespace}, ${template}, ${configurationHash}, ${bundleHash},
      ${reason}, ${state}, ${arrayText(campaign.known)}::text[], ${uid}, ${name}, ${campaign.count}::int,
      ${noTurn}::timestamptz, 1, clock_timestamp(), ${by.apiVersion}, ${by.kind}, ${by.name}, ${tries}::int
    where ${revision}::int = 0 or exists (
      select from restart_campaigns where cluster = ${cluster} and owner = ${owner})
    on conflict (cluster, owner) do update set
      namespace = excluded.namespace, template = excluded.template,
      configuration_hash = excluded.configuration_hash, bundle_hash = excluded.bundle_hash,
      reason = excluded.reason, state = excluded.state, known = excluded.known,
      intent_uid = excluded.intent_uid, intent_name = excluded.intent_name, count = excluded.count,
      revision = c.revision + 1, changed_at = excluded.changed_at,
      owner_api_version = excluded.owner_api_version, owner_kind = excluded.owner_kind,
      owner_name = excluded.owner_name, tries = excluded.tries, turn_at = excluded.turn_at
    where c.revision = ${revision}`;
  if (row.count === 0) return false;
  await tx`
    insert into restart_intents (cluster, pod, owner, reason, intended_at)
    values (${cluster}, ${uid}, ${owner}, ${reason}, clock_timestamp())
    on conflict do nothing`;
  return true;
}

type Asking = { readonly cluster: string; readonly owner: string; readonly pauseMs: number };

/** The row of the pace is locked by whoever asks: all replicas stand in one line. */
async function turnOf(tx: TransactionSql, asking: Asking): Promise<Turn> {
  const { cluster, owner, pauseMs } = asking;
  const line = await lineFor(tx, asking);
  const waitMs = Math.ceil(waitIn(line, pauseMs));
  if (waitMs === 0) {
    await tx`
      update restart_paces
      set next_at = greatest(next_at, clock_timestamp() - ${madeUpMs(line)} * interval '1 ms')
        + ${pauseMs} * interval '1 ms'
      where cluster = ${cluster}`;
  }
  const turnAt =
    waitMs === 0 ? tx`${noTurn}::timestamptz` : tx`clock_timestamp() + ${waitMs} * interval '1 ms'`;
  await tx`
    update restart_campaigns set turn_at = ${turnAt}
    where cluster = ${cluster} and owner = ${owner}`;
  return { waitMs };
}

async function lineFor(tx: TransactionSql, { cluster, owner }: Asking): Promise<Line> {
  const [pace] = await tx<{ ms: number }[]>`
    insert into restart_paces as p (cluster, next_at) values (${cluster}, clock_timestamp())
    on conflict (cluster) do update set next_at = p.next_at
    returning ${inMs(tx, tx`next_at`)} as ms`;
  const [turns] = await tx<{ own: number | null; last: number | null; due: number }[]>`
    select max(${turnInMs(tx)}) filter (where owner = ${owner}) as own,
      max(${turnInMs(tx)}) filter (where owner <> ${owner}) as last,
      count(*) filter (where owner <> ${owner}
        and ${turnInMs(tx)} between ${-keptMs} and 0)::int as due
    from restart_campaigns where cluster = ${cluster} and state = 'open'`;
  const [turn, ends] = [turns?.own ?? undefined, turns?.last ?? undefined];
  return { turnInMs: turn, freeInMs: pace?.ms ?? 0, endsInMs: ends, due: turns?.due ?? 0 };
}

type Dated = { readonly cluster: string; readonly name: string; readonly hash: string };

/** Written only when it is another one. */
async function ageOf(sql: Sql, { cluster, name, hash }: Dated): Promise<number> {
  const [known] = await sql<{ ms: number }[]>`
    select ${sinceMs(sql, sql`since`)} as ms from trust_bundles_seen
    where cluster = ${cluster} and name = ${name} and hash = ${hash}`;
  if (known !== undefined) return known.ms;
  await sql`
    insert into trust_bundles_seen as b (cluster, name, hash, since)
    values (${cluster}, ${name}, ${hash}, clock_timestamp())
    on conflict (cluster, name) do update set hash = excluded.hash, since = excluded.since
    where b.hash <> excluded.hash`;
  return 0;
}

/** What is older than a day nobody asks for any more. */
async function tallied(sql: Sql, cluster: string): ReturnType<Restarts['tally']> {
  await sql`
    delete from restart_intents
    where cluster = ${cluster} and intended_at < clock_timestamp() - interval '1 day'`;
  await sql`
    delete from restart_campaigns where cluster = ${cluster} and state = 'closed'
      and changed_at < clock_timestamp() - interval '1 day'`;
  return sql`
    select reason, count(*)::int as count from restart_intents
    where cluster = ${cluster} and evicted_at is not null group by reason order by reason`;
}
