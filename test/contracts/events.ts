import { beforeAll, describe, expect, it } from 'vitest';
import { namespaces, pods } from '#shared/domain/kind.ts';
import type { EventWriter } from '#shared/ports.ts';

export type EventStage = {
  readonly events: EventWriter;
  /** In which the regarded objects are. */
  readonly namespace: string;
  /** What is known about the object of that uid, by note. */
  listFor(uid: string): Promise<readonly Seen[]>;
};

export type Seen = {
  readonly reason: string;
  readonly note: string;
  readonly type: string;
  readonly count: number;
};

/** What `ports.EventWriter` promises. */
export function eventsContract(name: string, open: () => Promise<EventStage>): void {
  describe(name, () => {
    let stage: EventStage;
    beforeAll(async () => {
      stage = await open();
    });

    const regarding = (uid: string, name = 'web') => {
      return { kind: pods, namespace: stage.namespace, name, uid };
    };
    const outside = { type: 'Warning', reason: 'OutsidePool', note: 'runs elsewhere' } as const;

    it('reports once', async () => {
      await stage.events.report({ regarding: regarding('u1'), ...outside });
      expect(await stage.listFor('u1')).toEqual([{ ...outside, count: 1 }]);
    });

    it('counts the same report up', async () => {
      for (const _ of [1, 2, 3]) {
        await stage.events.report({ regarding: regarding('u2'), ...outside });
      }
      expect(await stage.listFor('u2')).toEqual([{ ...outside, count: 3 }]);
    });

    it('keeps reports of different reasons and notes apart', async () => {
      const others = [
        { ...outside, note: 'runs on another one' },
        { ...outside, reason: 'PoolEmpty' },
      ];
      for (const other of [outside, ...others]) {
        await stage.events.report({ regarding: regarding('u3'), ...other });
      }
      expect(await stage.listFor('u3')).toHaveLength(3);
    });

    it('keeps reports about an object and its successor of the same name apart', async () => {
      await stage.events.report({ regarding: regarding('u4'), ...outside });
      await stage.events.report({ regarding: regarding('u5'), ...outside });
      expect(await stage.listFor('u5')).toEqual([{ ...outside, count: 1 }]);
    });

    it('reports about an object that has no namespace', async () => {
      const cluster = { kind: namespaces, name: stage.namespace, uid: `u6-${stage.namespace}` };
      await stage.events.report({ regarding: cluster, ...outside });
      expect(await stage.listFor(cluster.uid)).toEqual([{ ...outside, count: 1 }]);
    });

    it.each([
      ['253 characters', 'u7', `${'long-name.'.repeat(25)}end`],
      ['characters that an Event may not have in its own', 'u8', 'system:Node_Proxier'],
    ])('reports about an object whose name has %s', async (_, uid, name) => {
      await stage.events.report({ regarding: regarding(uid, name), ...outside });
      expect(await stage.listFor(uid)).toHaveLength(1);
    });

    it('survives two reports at the same moment', async () => {
      const report = () => stage.events.report({ regarding: regarding('u9'), ...outside });
      await Promise.all([report(), report()]);
      expect(await stage.listFor('u9')).toEqual([{ ...outside, count: 2 }]);
    });
  });
}
