import { describe, expect, it } from 'vitest';
import { objectMessage, setMessage } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import { happeningsOf, openTailing } from '#shared/runtime/forwarding/tailing.ts';

const at = new Date('2030-01-01T00:00:00Z');
const changed = (name: string, type: 'added' | 'deleted' = 'added') =>
  ({ type, namespace: '', name, uid: name, eventId: `${name}/7/ADDED` }) as never;
const from = (name: string, functionName: string) => {
  return { function: functionName, cluster: 'blue', eventId: `${name}/7/ADDED` };
};
const ofObject = (name: string, functionName: string) =>
  objectMessage(from(name, functionName), namespaces, {
    ...{ namespace: '', name, uid: name, deleted: false },
  });

function happenings(happened: readonly never[], sent: readonly Outgoing[]) {
  const plan = { rows: [], marked: [], forgotten: [], happened };
  const seen = { cluster: 'blue', kind: namespaces, at };
  return happeningsOf({ kind: 'committed', scope: 'namespaces', plan, sent }, seen);
}

describe('what is told of a transaction of the forwarder', () => {
  it('is each change, with whom it woke and whom nobody was', () => {
    const sent = [ofObject('a', 'one'), ofObject('a', 'two')];
    expect(happenings([changed('a'), changed('b', 'deleted')], sent)).toEqual([
      {
        ...{ kind: 'event', at: '2030-01-01T00:00:00.000Z', change: 'added' },
        object: {
          ...{ cluster: 'blue', group: '', resource: 'namespaces' },
          ...{ namespace: '', name: 'a', uid: 'a' },
        },
        ...{ eventId: 'a/7/ADDED', wakes: ['one', 'two'] },
      },
      expect.objectContaining({ change: 'deleted', eventId: 'b/7/ADDED', wakes: [] }),
    ]);
  });

  it('names a function once, which a change wakes for several objects or for a set', () => {
    const set = setMessage(from('a', 'one'), pods, { namespace: 'a', after: '' });
    const sent = [ofObject('a', 'one'), set, ofObject('b', 'two')];
    expect(happenings([changed('a')], sent)).toMatchObject([{ wakes: ['one'] }]);
  });
});

describe('what is told of a whole list', () => {
  const scope = 'namespaces';
  const seen = { cluster: 'blue', kind: namespaces, at };
  const committed = (happened: readonly never[], sent: readonly Outgoing[] = []) => {
    const plan = { rows: [], marked: [], forgotten: [], happened };
    return { kind: 'committed', scope, plan, sent } as const;
  };
  const listing = { kind: 'listing', scope, why: 'first' } as const;
  const listed = { kind: 'listed', scope, objects: 3, gone: 0 } as const;

  it('is whom it woke by name, and all others as a number', () => {
    const tailing = openTailing();
    const told = [
      listing,
      committed([changed('a'), changed('b')], [ofObject('a', 'one')]),
      { kind: 'refused-line', scope, why: 'no JSON' } as const,
      { kind: 'unsent', scope, function: 'one', object: 'a/b', why: 'too long' } as const,
      committed([changed('c'), changed('d', 'deleted')]),
      listed,
    ].map((each) => tailing(each, seen));
    expect(told).toEqual([
      [],
      [expect.objectContaining({ change: 'added', eventId: 'a/7/ADDED', wakes: ['one'] })],
      [],
      [],
      [expect.objectContaining({ change: 'deleted', wakes: [] })],
      [
        {
          ...{ kind: 'event', at: at.toISOString(), change: 'existing', eventId: '', wakes: [] },
          object: expect.objectContaining({ resource: 'namespaces', namespace: '', name: '' }),
          objects: 2,
        },
      ],
    ]);
  });

  it('is over with the list, whatever became of it', () => {
    const tailing = openTailing();
    const failed = { kind: 'failed', scope, cause: new Error('away'), ms: 1 } as const;
    for (const end of [listed, failed]) {
      tailing(listing, seen);
      expect(tailing(end, seen)).toEqual([]);
      expect(tailing(committed([changed('a')]), seen)).toHaveLength(1);
    }
  });
});
