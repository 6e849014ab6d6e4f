import { deduplicationId, groupId, queueName } from './addresses.ts';
import { callsOf } from './calls.ts';
import { envelopeFor, written } from './envelope.ts';
import type { Group, Outbox, Row, Unsent } from './outbox.ts';
import type { Failed, Sqs } from './sqs.ts';

export type Relay = {
  readonly sqs: Sqs;
  readonly outbox: Outbox;
  readonly prefix: string;
  /** With much to hand on, or with more coming all the time, there is no end of it. */
  readonly onStep?: (() => void) | undefined;
};

export type Relayed = {
  readonly sent: number;
  /** They stay in the outbox, and what is behind them in their groups too. */
  readonly failed: readonly Failed[];
};

/** A row that is to be sent, as SQS gets it. */
type Parcel = { readonly row: Row; readonly text: string; readonly isKept: boolean };

const takenAtOnce = 100;

/** Hands on what there is, until nothing is left that can go; nothing at all while somebody else does. */
export async function relay(parts: Relay): Promise<Relayed> {
  const done = await parts.outbox.alone((unsent) => relayAlone(parts, unsent));
  return done ?? { sent: 0, failed: [] };
}

async function relayAlone(parts: Relay, unsent: Unsent): Promise<Relayed> {
  let sent = 0;
  const failed: Failed[] = [];
  const held: Group[] = [];
  for (;;) {
    parts.onStep?.();
    const rows = await unsent.take({ max: takenAtOnce, except: held });
    if (rows.length === 0) return { sent, failed };

    const parcels = rows.map(parcelOf);
    const refused = await shipAll(parts, shipments(parcels));
    const taken = parcels.filter(({ row }) => !refused.some(({ id }) => id === row.id));
    await unsent.accepted({
      gone: taken.flatMap(({ row, isKept }) => (isKept ? [] : [row.id])),
      kept: taken.flatMap(({ row, isKept }) => (isKept ? [row.id] : [])),
    });
    sent += taken.length;
    failed.push(...refused);
    held.push(...rows.filter(({ id }) => refused.some((each) => each.id === id)));
  }
}

/** What keeps one function's queue from taking anything is no reason to hold up the others'. */
async function shipAll(
  parts: Relay,
  all: readonly (readonly Parcel[])[],
): Promise<readonly Failed[]> {
  const results = await Promise.allSettled(all.map((each) => ship(parts, each)));
  const broken = results.filter((result) => result.status === 'rejected');
  if (broken.length === results.length) throw broken[0]?.reason;
  return results.flatMap((result, at) =>
    result.status === 'fulfilled' ? result.value : brokenOff(all[at] ?? [], result.reason),
  );
}

/** SQS may have them all the same: they are sent again under their ids. */
function brokenOff(parcels: readonly Parcel[], reason: unknown): readonly Failed[] {
  const why = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
  return parcels.map(({ row }) => ({ id: row.id, why }));
}

function parcelOf(row: Row): Parcel {
  const { id, sentAtMs, ...message } = row;
  return { row, ...written(envelopeFor(message, { id, sentAtMs })) };
}

/** A call for each: of one function, and as much as SQS takes. No group is in it twice. */
export function shipments(parcels: readonly Parcel[]): readonly (readonly Parcel[])[] {
  return [...Map.groupBy(parcels, ({ row }) => row.function).values()].flatMap(callsOf);
}

/**
 * The id of the row is the one that SQS knows duplicates by, never the event's: the same object woken five times in
 * five minutes without a new version runs five times. A call whose answer was lost is made again with the same ids.
 */
async function ship(
  { sqs, prefix }: Relay,
  parcels: readonly Parcel[],
): Promise<readonly Failed[]> {
  const [first] = parcels;
  if (first === undefined) return [];
  const entries = parcels.map(({ row, text }, at) => {
    const ids = { group: groupId(row.group), deduplication: deduplicationId(row.id) };
    return { id: `${at}`, body: text, ...ids };
  });
  const failed = await sqs.send(queueName(prefix, first.row.function), entries);
  return failed.map(({ id, why }) => ({ id: parcels[Number(id)]?.row.id ?? id, why }));
}
