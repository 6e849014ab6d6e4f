import type { Sql } from 'postgres';
import { describe, expect, it } from 'vitest';
import { messageFor, type Payload } from '#events/messages.ts';
import type { Outgoing, Sender } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import { envelopeFor, written } from '#events/sqs-queue/envelope.ts';
import { done } from '#shared/domain/outcome.ts';
import { sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import { upkeepOn } from '#shared/runtime/invoke/upkeep.ts';
import type { Ran } from '#shared/runtime/reconcile.ts';
import { doorWith, meansWith } from '#test/support/invoking.ts';
import { mapChanged, reconcileBy } from '#test/support/running.ts';

const bodyOf = (payload: Payload, attempt = 0) => {
  const message = { ...messageFor('follow-maps', payload, 'uid-1/7/MODIFIED'), attempt };
  return written(envelopeFor(message, { id: 'row-1', sentAtMs: 0 })).text;
};
const recordOf = (body: string) => ({ messageId: 'a', body, attributes: { MessageGroupId: 'g' } });
const set = {
  kind: 'set',
  cluster: 'default',
  group: '',
  resource: 'configmaps',
  namespace: 'team-a',
  after: '',
} as const;

const listed = { isFollowed: true, isKnown: true, now: 100_000, caughtUpAt: 100_000 };

/** A database that answers with these rows, and nothing but them. */
function upkeep(
  members: readonly object[] = [],
  { fails, bodies = {} }: { fails?: Error; bodies?: Readonly<Record<string, string>> } = {},
) {
  const added: Wakeup[] = [];
  const forgotten: string[] = [];
  const sent: Outgoing[] = [];
  const sql = Object.assign(async () => members, {
    begin: async (work: (tx: never) => Promise<void>) => work(undefined as never),
  });
  const sender: Sender = {
    send: async (messages) => {
      sent.push(...messages);
    },
  };
  const opened = upkeepOn({
    definition: reconcileBy(() => done),
    database: { sql: sql as unknown as Sql },
    schedule: {
      add: async (wakeups) => {
        if (fails) throw fails;
        added.push(...wakeups);
      },
    },
    outboxOn: () => sender,
    bodies: {
      find: async (id) => bodies[id],
      drop: async (ids) => {
        forgotten.push(...ids);
      },
    },
    random: () => 1,
  });
  return { open: async () => opened, added, sent, forgotten };
}

describe('sqsBatch with a schedule', () => {
  it.each<[string, Ran, object]>([
    ['later', { kind: 'later', afterSeconds: 60 }, { reason: 'later', afterMs: 60_000 }],
    ['retry', { kind: 'retry', why: 'away' }, { reason: 'retry', afterMs: 8_000 }],
    ['conflict', { kind: 'conflict', why: 'two' }, { reason: 'retry', afterMs: 8_000 }],
  ])('puts %s on it with what the queue has forgotten, and settles', async (_, ran, expected) => {
    const { open, added } = upkeep();
    const door = doorWith({ 'uid-1/7/MODIFIED': ran });
    const answer = await sqsBatch(
      door,
      meansWith({}, open),
    )({ Records: [recordOf(bodyOf(mapChanged(), 2))] });
    expect(answer.batchItemFailures).toEqual([]);
    const message = {
      ...messageFor('follow-maps', mapChanged(), 'uid-1/7/MODIFIED'),
      attempt: ran.kind === 'later' ? 0 : 3,
    };
    expect(added).toMatchObject([{ ...expected, message }]);
    expect(door.seen).toMatchObject([{ attempt: 2 }]);
  });

  it('keeps apart what only a newer build can decode', async () => {
    const { open, added } = upkeep();
    const door = doorWith({ e1: { kind: 'retry', why: 'v9' }, e2: { kind: 'retry', why: 'v9' } });
    const Records = ['e1', 'e2'].map((eventId) => {
      const type = 'object.changed.v9';
      const message = { ...messageFor('follow-maps', mapChanged(), eventId), type };
      const body = written(envelopeFor(message, { id: eventId, sentAtMs: 0 })).text;
      return { ...recordOf(body), messageId: eventId };
    });
    await sqsBatch(door, meansWith({}, open))({ Records });
    const keys = added.map(({ message }) => message.mergeKey);
    expect(keys).toEqual(['object.changed.v9/e1', 'object.changed.v9/e2']);
  });

  it('leaves the message on the queue where the schedule is away', async () => {
    const { open } = upkeep([], { fails: new Error('away') });
    const door = doorWith({ 'uid-1/7/MODIFIED': { kind: 'retry', why: 'away' } });
    const answer = await sqsBatch(
      door,
      meansWith({}, open),
    )({ Records: [recordOf(bodyOf(mapChanged()))] });
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'a' }]);
  });

  it('buries what the schedule refuses for what it holds, and says the error itself', async () => {
    const fails = Object.assign(new Error('integer out of range'), { code: '22003' });
    const means = meansWith({}, upkeep([], { fails }).open);
    const door = doorWith({ 'uid-1/7/MODIFIED': { kind: 'retry', why: 'away' } });
    const answer = await sqsBatch(door, means)({ Records: [recordOf(bodyOf(mapChanged()))] });
    expect(answer.batchItemFailures).toEqual([]);
    const why = 'it cannot be run again: the database refused a statement: SQLSTATE 22003';
    expect(means.buried).toEqual([['a', why]]);
    expect(door.log.lines).toMatchObject([{ level: 'error', fields: { why, err: fails } }]);
  });

  it('leaves to the queue what somebody else sent, since nothing could send it again', async () => {
    const { open, added } = upkeep();
    const body = JSON.stringify({
      specversion: '1.0',
      id: 'x',
      source: '/elsewhere',
      type: 'object.changed.v1',
      data: mapChanged(),
    });
    const door = doorWith({ x: { kind: 'retry', why: 'away' } });
    const answer = await sqsBatch(door, meansWith({}, open))({ Records: [recordOf(body)] });
    expect(answer.batchItemFailures).toHaveLength(1);
    expect(added).toEqual([]);
  });

  it.each([
    ['buries', true, []],
    ['where it cannot, leaves', false, [{ itemIdentifier: 'a' }]],
  ])('%s what no schedule takes, and keeps its body', async (_, isBuried, failures) => {
    const { open, added, forgotten } = upkeep([], { bodies: { 'row-1': '{}' } });
    const message = { ...messageFor('follow-maps', mapChanged(), 'e1'), type: 'by-hand\0' };
    const body = written({
      ...envelopeFor(message, { id: 'row-1', sentAtMs: 0 }),
      body: { kind: 'kept' },
    }).text;
    const means = meansWith(isBuried ? {} : { bury: async () => false }, open);
    const door = doorWith({ e1: { kind: 'later', afterSeconds: 5 } });
    const answer = await sqsBatch(door, means)({ Records: [recordOf(body)] });
    expect(answer.batchItemFailures).toEqual(failures);
    expect(means.buried).toEqual(isBuried ? [['a', 'it cannot be run again: type has a NUL']] : []);
    expect([added, forgotten]).toEqual([[], []]);
  });

  it('turns a set into a message for each member without asking the function', async () => {
    const members = [{ ...listed, namespace: 'team-a', name: 'one', uid: 'u1' }];
    const { open, sent } = upkeep(members);
    const door = doorWith();
    const answer = await sqsBatch(door, meansWith({}, open))({ Records: [recordOf(bodyOf(set))] });
    expect(answer.batchItemFailures).toEqual([]);
    expect(door.seen).toEqual([]);
    expect(sent.map(({ subject, eventId }) => [subject, eventId])).toEqual([
      ['u1', 'uid-1/7/MODIFIED/u1'],
    ]);
  });

  it.each([
    [0, { put: ['retry'], buried: [] }],
    [100, { put: [], buried: [['a', 'it is not for follow-maps']] }],
  ])(
    'leaves a set of what only another trigger watches to others, %d times tried',
    async (attempt, expected) => {
      const { open, added, sent } = upkeep([{ ...listed, namespace: 'n', name: 'one', uid: 'u1' }]);
      const means = meansWith({}, open);
      const Records = [recordOf(bodyOf({ ...set, resource: 'nodes' }, attempt))];
      await sqsBatch(doorWith(), means)({ Records });
      expect(sent).toEqual([]);
      expect({ put: added.map(({ reason }) => reason), buried: means.buried }).toEqual(expected);
    },
  );

  it('puts a set whose members nobody knows yet on the schedule', async () => {
    const { open, added, sent } = upkeep([{ ...listed, isKnown: false, uid: null }]);
    const Records = [recordOf(bodyOf(set))];
    const answer = await sqsBatch(doorWith(), meansWith({}, open))({ Records });
    expect(answer.batchItemFailures).toEqual([]);
    expect(sent).toEqual([]);
    const message = messageFor('follow-maps', set, 'uid-1/7/MODIFIED');
    expect(added).toMatchObject([{ reason: 'retry', message: { body: message.body } }]);
  });
});
