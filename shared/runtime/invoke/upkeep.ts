import type { TransactionSql } from 'postgres';
import { type MessageKind, type SetAffected, setAffected, wakeKinds } from '#events/kinds.ts';
import { messageFor, type Payload, unreadMessage } from '#events/messages.ts';
import type { Outgoing, Sender } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import type { Unsent } from '#events/sendable.ts';
import type { Enveloped } from '#events/sqs-queue/envelope.ts';
import type { Bodies } from '#events/sqs-queue/outbox.ts';
import { membersOf } from '#shared/adapters/database/members.ts';
import type { Database } from '#shared/adapters/database/open.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { decode } from '#shared/domain/decode.ts';
import type { Ran } from '../reconcile.ts';
import { whyNotFor } from '../wake.ts';
import { expandPage } from '../worker/expand.ts';
import { type Fate, fateOf } from '../worker/fate.ts';
import { putOnSchedule } from '../worker/on-schedule.ts';

/** What a worker does beside running functions, for a function that AWS calls and no worker. It throws where it failed. */
export type Upkeep = {
  /** That SQS could not take. `undefined`: it is gone. */
  bodyOf(id: string): Promise<string | undefined>;
  forget(id: string): Promise<void>;
  /** Puts the message on the schedule, where its outcome says so and the schedule can hold it. */
  schedule(enveloped: Enveloped, ran: Ran): Promise<Fate>;
  /** A message for each member of a set, and one for the rest of them. `undefined`: it is no set. */
  expand(enveloped: Enveloped, tell: (unsent: Unsent) => void): Promise<Ran | undefined>;
};

/** Without it nothing would run a message again: then `later` and `retry` are left to the queue. */
export type OpenUpkeep = () => Promise<Upkeep>;

export type UpkeepOn = {
  readonly definition: ReconcileFunction;
  readonly database: Pick<Database, 'sql'>;
  readonly schedule: Pick<Schedule, 'add'>;
  readonly outboxOn: (tx: TransactionSql) => Sender;
  readonly bodies: Bodies;
  readonly random: () => number;
};

export function upkeepOn(on: UpkeepOn): Upkeep {
  const { definition, schedule, random, database, outboxOn, bodies } = on;
  const { name: functionName } = definition;
  const { sql } = database;
  const sender: Sender = {
    send: async (messages) => {
      await sql.begin((tx) => outboxOn(tx).send(messages));
    },
  };
  return {
    bodyOf: bodies.find,
    forget: (id) => bodies.drop([id]),
    async schedule(enveloped, ran) {
      const attempt = enveloped.message.attempt ?? 0;
      const message = messageAnew(enveloped, functionName);
      const fate = fateOf(ran, { message, attempt, random: random() });
      return putOnSchedule(fate, schedule);
    },
    async expand(enveloped, tell) {
      const set = setIn(enveloped);
      if (set === undefined) return undefined;
      const { eventId, attempt = 0 } = enveloped.message;
      const unfit = whyNotFor(definition, set, attempt);
      if (unfit !== undefined) return unfit;
      const members = (of: SetAffected, max: number) => membersOf(sql, of, max);
      const on = { functionName, eventId, attempt, members, sender, schedule, tell };
      return expandPage(set, on);
    },
  };
}

const kinds: readonly MessageKind<Payload>[] = [...wakeKinds, setAffected];

/** Under which key it is merged, and whose tombstone it keeps, is not told by the queue. */
function messageAnew(enveloped: Enveloped, functionName: string): Outgoing {
  const { message } = enveloped;
  const payload = payloadIn(enveloped);
  if (payload !== undefined) return messageFor(functionName, payload, message.eventId);
  const { body } = enveloped;
  return unreadMessage({ ...message, body: body.kind === 'inline' ? body.text : '' });
}

function payloadIn({ message, body }: Enveloped): Payload | undefined {
  const kind = kinds.find(({ name }) => name === message.type);
  if (kind === undefined || body.kind === 'kept') return undefined;
  const decoded = decode(kind.decoder, JSON.parse(body.text));
  return decoded.ok ? decoded.value : undefined;
}

function setIn(enveloped: Enveloped): SetAffected | undefined {
  const payload = enveloped.message.type === setAffected.name ? payloadIn(enveloped) : undefined;
  return payload?.kind === 'set' ? payload : undefined;
}
