import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { defineReconcile } from '#shared/define.ts';
import { configMaps, namespaces } from '#shared/domain/kind.ts';
import { conflict, done, giveUp, later, type Outcome, retry } from '#shared/domain/outcome.ts';
import type { Ports } from '#shared/ports.ts';
import { runMessage, runOnce } from '#shared/runtime/reconcile.ts';
import { whyNotFor } from '#shared/runtime/wake.ts';
import { mapChanged, reconcileBy, running } from '#test/support/running.ts';

const wake = mapChanged();

describe('runOnce', () => {
  it.each<[Outcome]>([[done], [later(5)], [retry('away')], [giveUp('never')]])(
    'returns %o as the handler said it',
    async (said) => {
      const at = running();
      expect(
        await runOnce(
          reconcileBy(() => said),
          wake,
          at,
        ),
      ).toEqual(said);
      expect(at.counted).toEqual([`follow-maps: ${said.kind}`]);
    },
  );

  it('hands over the ports that the function uses, and no others', async () => {
    let given: object = {};
    const at = running({ clock: clockAt('2030-01-01T00:00:00Z'), measures: measuresRecorded() });
    const definition = reconcileBy(
      (_, ports) => {
        given = ports;
        return done;
      },
      { uses: ['clock'] },
    );
    await runOnce(definition, wake, at);
    expect(Object.keys(given)).toEqual(['clock']);
  });

  it('turns an exception into a retry that tells no internals, and logs its cause', async () => {
    const at = running();
    const cause = new Error('password=hunter2 refused by 10.0.0.7');
    const outcome = await runOnce(
      reconcileBy(() => {
        throw cause;
      }),
      wake,
      at,
    );
    expect(outcome).toEqual(retry('it failed'));
    const [line] = at.log.lines;
    expect(line).toMatchObject({ level: 'error', fields: { function: 'follow-maps', err: cause } });
  });

  it('turns a rejection into a retry as well', async () => {
    const definition = reconcileBy(() => Promise.reject(new Error('away')));
    expect(await runOnce(definition, wake, running())).toEqual(retry('it failed'));
  });

  it.each<[string, unknown, string]>([
    ['text', 'done', '$: expected an object, found "done"'],
    ['nothing', undefined, '$: expected an object'],
    [
      'another kind',
      { kind: 'maybe' },
      '$.kind: expected one of done, later, conflict, retry, give-up, found "maybe"',
    ],
    ['a kind that every object has', { kind: 'toString' }, '$.kind: expected one of done,'],
    ['later without a number', { kind: 'later' }, '$.afterSeconds: expected a number'],
    [
      'later with a text',
      { kind: 'later', afterSeconds: 'soon' },
      '$.afterSeconds: expected a number, found "soon"',
    ],
    ['a give-up without a word', { kind: 'give-up' }, '$.why: expected text'],
    ['a retry for a number', { kind: 'retry', why: 404 }, '$.why: expected text, found 404'],
    [
      'a conflict with an object',
      { kind: 'conflict', why: {} },
      '$.why: expected text, found an object',
    ],
  ])(
    'turns %s, which is no outcome, into a retry, and says what is wrong',
    async (_, said, wrong) => {
      const at = running();
      const definition = reconcileBy(() => said as Outcome);
      expect(await runOnce(definition, wake, at)).toEqual(retry('it failed'));
      const err = { message: expect.stringContaining(`the handler returned no outcome: ${wrong}`) };
      expect(at.log.lines).toMatchObject([{ level: 'error', fields: { err } }]);
    },
  );

  it.each([retry, giveUp, conflict])('takes an error for what it says in %o', async (say) => {
    const definition = reconcileBy(() => say(new Error('gone') as unknown as string));
    const { why } = (await runOnce(definition, wake, running())) as { readonly why?: unknown };
    expect(why).toBe('gone');
  });

  it.each<[number, number]>([
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 2_592_000],
    [Number.NEGATIVE_INFINITY, 1],
    [1e300, 2_592_000],
    [0.2, 1],
    [1.5, 1.5],
  ])('takes later(%d) for %d seconds, which any shape can say', async (said, meant) => {
    const definition = reconcileBy(() => later(said));
    expect(await runOnce(definition, wake, running())).toEqual(later(meant));
  });

  it('hands on and logs of an outcome what belongs to it, and no more', async () => {
    const at = running();
    const definition = reconcileBy(() => ({ ...giveUp('never'), password: 'hunter2' }));
    expect(await runOnce(definition, wake, at)).toEqual(giveUp('never'));
    expect(JSON.stringify(at.log.lines)).not.toContain('hunter2');
  });

  it('logs a reference to the object, never more of it', async () => {
    const at = running();
    await runOnce(
      reconcileBy(() => giveUp('never')),
      wake,
      at,
    );
    expect(at.log.lines).toEqual([
      {
        level: 'error',
        message: 'a run ended',
        fields: {
          function: 'follow-maps',
          wake: 'object',
          resource: 'configmaps',
          namespace: 'team-a',
          name: 'one',
          uid: 'uid-1',
          outcome: 'give-up',
          why: 'never',
        },
      },
    ]);
  });
});

describe('runOnce after a conflict', () => {
  const conflictThen = (second: Outcome) => {
    const seen: unknown[] = [];
    const definition = reconcileBy(
      (_, { clock }) => {
        seen.push(clock.now().toISOString());
        return seen.length === 1 ? conflict('changed meanwhile') : second;
      },
      { uses: ['clock'] },
    );
    return { definition, seen };
  };
  const usual = clockAt('2030-01-01T00:00:00Z');
  const live = { clock: clockAt('2031-01-01T00:00:00Z') } as unknown as Ports;

  it('runs again at once, with live reads', async () => {
    const { definition, seen } = conflictThen(done);
    const outcome = await runOnce(definition, wake, {
      ...running({ clock: usual }),
      live: () => live,
    });
    expect(outcome).toEqual(done);
    expect(seen).toEqual(['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z']);
  });

  it('takes the event for nobody’s own write any more: somebody wrote after it', async () => {
    const seen: unknown[] = [];
    const definition = reconcileBy((_, __, run) => {
      seen.push(run?.isOwnWrite);
      return seen.length === 1 ? conflict('changed meanwhile') : done;
    });
    expect(await runOnce(definition, wake, { ...running(), isOwnWrite: true })).toEqual(done);
    expect(seen).toEqual([true, false]);
  });

  it('makes a second conflict a retry, and does not run a third time', async () => {
    const { definition, seen } = conflictThen(conflict('changed again'));
    const at = running({ clock: usual });
    expect(await runOnce(definition, wake, at)).toEqual(retry('changed again'));
    expect(seen).toHaveLength(2);
    expect(at.counted).toEqual(['follow-maps: retry']);
  });
});

describe('runOnce at the deadline', () => {
  it('answers retry, tells the handler by its signal, and drops the late result', async () => {
    const at = running();
    const ended = Promise.withResolvers<void>();
    const definition = reconcileBy(
      async (_, __, run) => {
        await new Promise((resolve) => run?.deadline.addEventListener('abort', resolve));
        ended.resolve();
        return done;
      },
      { deadlineMs: 5 },
    );
    expect(await runOnce(definition, wake, at)).toEqual(retry('it took longer than 5 ms'));
    await ended.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(at.counted.toSorted()).toEqual(['follow-maps: late', 'follow-maps: retry']);
  });

  it('survives a handler that fails when it is told', async () => {
    const at = running();
    const definition = reconcileBy(
      (_, __, run) =>
        new Promise((_resolve, reject) => {
          run?.deadline.addEventListener('abort', () => reject(new Error('aborted')));
        }),
      { deadlineMs: 5 },
    );
    expect((await runOnce(definition, wake, at)).kind).toBe('retry');
  });

  it('is late as well where the handler ends by the signal itself', async () => {
    const definition = reconcileBy(
      (_, __, run) =>
        new Promise((resolve) => {
          run?.deadline.addEventListener('abort', () => resolve(done));
        }),
      { deadlineMs: 5 },
    );
    expect(await runOnce(definition, wake, running())).toEqual(retry('it took longer than 5 ms'));
  });

  it.each([
    ['its own deadline', 5, 500],
    ['what its caller has left', 500, 5],
  ])('takes the smaller of the two, %s', async (_, own, left) => {
    const never = reconcileBy(() => new Promise(() => {}), { deadlineMs: own });
    const outcome = await runOnce(never, wake, { ...running(), deadlineMs: left });
    expect(outcome).toEqual(retry('it took longer than 5 ms'));
  });

  it('counts one deadline for both runs', async () => {
    let runs = 0;
    const definition = reconcileBy(
      () => {
        runs += 1;
        return runs === 1 ? conflict('changed meanwhile') : new Promise(() => {});
      },
      { deadlineMs: 5 },
    );
    expect(await runOnce(definition, wake, running())).toEqual(retry('it took longer than 5 ms'));
    expect(runs).toBe(2);
  });
});

describe('runMessage', () => {
  const message = (data: object, type = 'object.changed.v1') => ({ id: 'e-1', type, data });
  const doing = reconcileBy(() => done);

  it('runs the function for a message that can be decoded', async () => {
    expect(await runMessage(doing, message(wake), running())).toEqual(done);
  });

  it('hands over the id of the event, which the same message has each time', async () => {
    const ids: unknown[] = [];
    const definition = reconcileBy((_, __, run) => {
      ids.push(run?.eventId);
      return done;
    });
    await runMessage(definition, message(wake), running());
    await runMessage(definition, message(wake), running());
    expect(ids).toEqual(['e-1', 'e-1']);
  });

  it('runs it for its own period', async () => {
    const period = message({ kind: 'period', function: 'follow-maps' }, 'period.elapsed.v1');
    expect(await runMessage(doing, period, running())).toEqual(done);
  });

  it.each([
    ['an unknown kind', message(wake, 'object.changed.v9'), 'object.changed.v9'],
    ['a missing field', message({ ...wake, uid: undefined }), '$.uid: expected text'],
    ['nothing at all', { ...message({}), data: undefined }, 'expected an object'],
    ['an object that it does not watch', message({ ...wake, resource: 'secrets' }), 'not for'],
    [
      "another function's period",
      message({ kind: 'period', function: 'other' }, 'period.elapsed.v1'),
      'not for follow-maps',
    ],
  ])('calls %s undecodable, and does not run', async (_, said, why) => {
    const at = running();
    const definition = reconcileBy(() => {
      throw new Error('it ran');
    });
    const ran = await runMessage(definition, said, at);
    expect(ran).toEqual({ kind: 'undecodable', why: expect.stringContaining(why) });
    expect(at.counted).toEqual(['follow-maps: undecodable']);
  });

  const elsewhere = { ...wake, group: 'example.org' };
  it.each([
    ['of an unknown kind', message(wake, 'object.changed.v9'), 'object.changed.v9'],
    ['of an object that it does not watch', message({ ...wake, resource: 'nodes' }), 'not for'],
    ['of one that another group calls so', message(elsewhere), 'not for follow-maps'],
  ])('leaves a message %s to others, ten times', async (_, said, why) => {
    const at = running();
    const kindAt = async (attempt: number) => {
      const ran = await runMessage(doing, { ...said, attempt }, at);
      expect(ran).toMatchObject({ why: expect.stringContaining(why) });
      return ran.kind;
    };
    expect(await kindAt(0)).toBe('retry');
    expect(await kindAt(99)).toBe('retry');
    expect(await kindAt(100)).toBe('undecodable');
    expect(at.counted).toEqual(
      ['retry', 'retry', 'undecodable'].map((kind) => `follow-maps: ${kind}`),
    );
  });
});

describe('whyNotFor', () => {
  const set = { kind: 'set', cluster: 'default', namespace: '', after: '' } as const;
  const ofMaps = { ...set, group: '', resource: 'configmaps' };
  const toAll = defineReconcile({
    ...reconcileBy(() => done),
    trigger: { watch: { of: namespaces, wakes: { all: configMaps } } },
  });
  const toItself = reconcileBy(() => done);

  it('lets a set through where it would let its members through, and no other one', () => {
    expect(whyNotFor(toAll, ofMaps, 0)).toBeUndefined();
    const why = 'it is not for follow-maps';
    expect(whyNotFor(toItself, ofMaps, 0)).toBeUndefined();
    const ofPods = { ...ofMaps, resource: 'pods' };
    expect(whyNotFor(toAll, ofPods, 99)).toEqual({ kind: 'retry', why });
    expect(whyNotFor(toAll, ofPods, 100)).toEqual({ kind: 'undecodable', why });
  });
});
