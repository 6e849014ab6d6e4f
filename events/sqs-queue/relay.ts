import { deduplicationId, groupId, queueName } from './addresses.ts';
import { callsOf } from './calls.ts';
import { envelopeFor, written } from './envelope.ts';
import type { Outbox, Row, Taking, Unsent } from './outbox.ts';
import type { Failed, Sqs } from './sqs.ts';

export type Relay = {
  readonly sqs: Sqs;
  readonly outbox: Outbox;
  readonly prefix: string;
  readonly now: () => number;
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
/** A turn is a transaction that does nothing else: of one that idles for 30 s the database makes an end. */
const turnMs = 10_000;

/** Hands on what there is, until nothing is left that can go or the turn is over; nothing while somebody else does. */
export async function relay(parts: Relay): Promise<Relayed> {
  const done = await parts.outbox.alone((unsent) => relayAlone(parts, unsent));
  return done ?? { sent: 0, failed: [] };
}

async function relayAlone(parts: Relay, unsent: Unsent): Promise<Relayed> {
  const untilMs = parts.now() + turnMs;
  let sent = 0;
  const refused: Refused[] = [];
  while (parts.now() < untilMs) {
    parts.onStep?.();
    const rows = await unsent.take({ max: takenAtOnce, ...passing(refused) });
    if (rows.length === 0) break;

    const { parcels, unwritten } = packed(rows);
    const results = await Promise.all(shipments(parcels).map((each) => tryToShip(parts, each)));
    const back = [...unwritten, ...results.flat()];
    const taken = parcels.filter(({ row }) => !back.some((each) => each.row.id === row.id));
    await unsent.accepted({
      gone: taken.flatMap(({ row, isKept }) => (isKept ? [] : [row.id])),
      kept: taken.flatMap(({ row, isKept }) => (isKept ? [row.id] : [])),
    });
    sent += taken.length;
    refused.push(...back);
  }
  const [first] = refused;
  // Not one queue answered: SQS is away.
  if (first !== undefined && sent === 0 && refused.every(({ isThrown }) => isThrown)) {
    throw first.cause;
  }
  return { sent, failed: refused.map(({ row, why }) => ({ id: row.id, why })) };
}

type Refused = {
  readonly row: Row;
  readonly why: string;
  /** What is wrong with a queue is wrong for all groups of its function, of which there is any number. */
  readonly isOfQueue: boolean;
  readonly isThrown: boolean;
  readonly cause?: unknown;
};

function passing(refused: readonly Refused[]): Omit<Taking, 'max'> {
  const functions = new Set(refused.flatMap((each) => (each.isOfQueue ? [each.row.function] : [])));
  return {
    except: refused.flatMap(({ row }) => (functions.has(row.function) ? [] : [row])),
    exceptFunctions: [...functions],
  };
}

/** Where it throws, SQS may have them all the same: they are sent again under their ids. */
async function tryToShip(parts: Relay, parcels: readonly Parcel[]): Promise<readonly Refused[]> {
  try {
    return await ship(parts, parcels);
  } catch (cause: unknown) {
    const why = whyOf(cause);
    return parcels.map(({ row }) => ({ row, why, isOfQueue: true, isThrown: true, cause }));
  }
}

function whyOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

/** A row that cannot be written holds up its group alone. */
function packed(rows: readonly Row[]) {
  const parcels: Parcel[] = [];
  const unwritten: Refused[] = [];
  for (const row of rows) {
    try {
      parcels.push(parcelOf(row));
    } catch (cause: unknown) {
      unwritten.push({ row, why: whyOf(cause), isOfQueue: false, isThrown: false });
    }
  }
  return { parcels, unwritten };
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
): Promise<readonly Refused[]> {
  const [first] = parcels;
  if (first === undefined) return [];
  const entries = parcels.map(({ row, text }, at) => {
    const ids = { group: groupId(row.group), deduplication: deduplicationId(row.id) };
    return { id: `${at}`, body: text, ...ids };
  });
  const failed = await sqs.send(queueName(prefix, first.row.function), entries);
  return failed.flatMap(({ id, why, isQueueMissing: isOfQueue = false }) => {
    const row = parcels[Number(id)]?.row;
    return row === undefined ? [] : [{ row, why, isOfQueue, isThrown: false }];
  });
}
