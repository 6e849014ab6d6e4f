import { describe, expect, it } from 'vitest';
import { objectMessage, setMessage } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import { happeningsOf } from '#shared/runtime/forwarding/tailing.ts';

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
