import { afterEach, describe, expect, it } from 'vitest';
import { type Happening, payloadsOf, toldFrom } from '#shared/runtime/happening.ts';
import { type Channel, startTail, type Tail } from '#shared/runtime/worker/tail.ts';
import { eventually } from '#test/support/working.ts';

const object = {
  cluster: 'blue',
  group: '',
  resource: 'pods',
  namespace: 'team-a',
  name: 'web-0',
  uid: 'u1',
};

function run(eventId: string, more: { why?: string } = {}): Happening {
  return {
    kind: 'run',
    at: '2030-01-01T00:00:00.000Z',
    function: 'report-strays',
    object,
    eventId,
    outcome: 'retry',
    ms: 3,
    waitedMs: 2,
    attempt: 0,
    ...more,
  };
}

const linesIn = (payloads: readonly string[]) =>
  payloads.flatMap((payload) => toldFrom(payload)?.lines ?? []);

describe('payloadsOf', () => {
  it('makes payloads that Postgres takes, and loses no line and no order', () => {
    const lines = Array.from({ length: 100 }, (_, index) => run(`e${index}`));
    const payloads = payloadsOf('blue', { lines, dropped: 0 });
    expect(payloads.length).toBeGreaterThan(1);
    expect(Math.max(...payloads.map((each) => Buffer.byteLength(each)))).toBeLessThan(7_100);
    expect(linesIn(payloads)).toEqual(lines);
  });

  it('shortens what is long, and counts what has no room at all', () => {
    const long = run('e1', { why: 'x'.repeat(10_000) });
    const huge = run('x'.repeat(10_000));
    const [payload = ''] = payloadsOf('blue', { lines: [long, huge], dropped: 3 });
    expect(toldFrom(payload)).toEqual({
      cluster: 'blue',
      dropped: 4,
      lines: [run('e1', { why: 'x'.repeat(500) })],
    });
  });

  it.each([
    ['a reason that is no text', { why: new Error('x') as unknown as string }],
    ['a number that JSON cannot say', { ms: 1n as unknown as number }],
  ])('counts a line with %s, and says all others', (_, more) => {
    const lines = [run('e1'), { ...run('e2'), ...more }, run('e3')];
    const payloads = payloadsOf('blue', { lines, dropped: 0 });
    expect(payloads.map(toldFrom)).toEqual([
      { cluster: 'blue', dropped: 1, lines: [run('e1'), run('e3')] },
    ]);
  });

  it('says what was dropped although there is nothing else to say', () => {
    const payloads = payloadsOf('blue', { lines: [], dropped: 2 });
    expect(payloads).toEqual(['{"cluster":"blue","dropped":2,"lines":[]}']);
    expect(payloadsOf('blue', { lines: [], dropped: 0 })).toEqual([]);
  });
});

describe('toldFrom', () => {
  it.each(['', '{', '{"lines":{},"dropped":0}', 'null'])('understands no %o', (payload) => {
    expect(toldFrom(payload)).toBeUndefined();
  });

  it('counts the lines that only a newer version says, and hands over all others', () => {
    const newer = [{ kind: 'other' }, { ...run('e2'), attempt: 'first' }, 'three'];
    const payload = { cluster: 'blue', lines: [run('e1'), ...newer, run('e3')], dropped: 4 };
    expect(toldFrom(JSON.stringify(payload))).toEqual({
      cluster: 'blue',
      lines: [run('e1'), run('e3')],
      dropped: 7,
    });
  });
});

describe('startTail', () => {
  let tail: Tail | undefined;
  afterEach(async () => {
    await tail?.stop();
  });

  function start(channel: Partial<Channel>, most = 1_000) {
    const said: string[] = [];
    tail = startTail({
      cluster: 'blue',
      channel: {
        isListened: async () => true,
        say: async (payload) => {
          said.push(payload);
        },
        ...channel,
      },
      lookMs: 5,
      everyMs: 5,
      most,
    });
    return { tail, said };
  }

  it('says nothing while nobody listens, and speaks when somebody does', async () => {
    let isListened = false;
    const { tail, said } = start({ isListened: async () => isListened });
    tail.happened(run('e1'));
    isListened = true;
    await eventually(() => expect(tail.isWatched()).toBe(true));
    tail.happened(run('e2'));
    await eventually(() => expect(linesIn(said)).toEqual([run('e2')]));
    isListened = false;
    await eventually(() => expect(tail.isWatched()).toBe(false));
  });

  it('says its last lines when it stops', async () => {
    const { tail, said } = start({});
    await eventually(() => expect(tail.isWatched()).toBe(true));
    tail.happened(run('e1'));
    await tail.stop();
    expect(linesIn(said)).toEqual([run('e1')]);
  });

  it('keeps nobody waiting who has something to tell, and drops what does not fit', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const said: string[] = [];
    const { tail } = start(
      {
        say: async (payload) => {
          said.push(payload);
          await promise;
        },
      },
      2,
    );
    await eventually(() => expect(tail.isWatched()).toBe(true));
    tail.happened(run('e0'));
    await eventually(() => expect(said).toHaveLength(1));
    for (const id of ['e1', 'e2', 'e3', 'e4']) tail.happened(run(id));
    resolve();
    await eventually(() => expect(linesIn(said)).toHaveLength(3));
    expect(toldFrom(said[1] ?? '')?.dropped).toBe(2);
  });

  it('goes on where the channel is away', async () => {
    let isAway = true;
    const { tail, said } = start({
      isListened: async () => {
        if (isAway) throw new Error('away');
        return true;
      },
    });
    await eventually(() => expect(tail.isWatched()).toBe(false));
    isAway = false;
    await eventually(() => expect(tail.isWatched()).toBe(true));
    tail.happened(run('e1'));
    await eventually(() => expect(linesIn(said)).toHaveLength(1));
  });
});
