import { beforeEach, describe, expect, it } from 'vitest';
import type { Queue } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import { age, plain, table } from '#infra/cli/queue/table.ts';
import { addQueue } from '#infra/cli/queue.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { scheduleInMemory } from '#infra/emulator/testing/schedule-in-memory.ts';
import { callVerb } from '#test/support/verb.ts';
import { messageOf } from '#test/support/working.ts';

let nowMs = 0;
let queue: Queue;
let schedule: Schedule;

beforeEach(() => {
  nowMs = 1_000_000;
  queue = queueInMemory({ now: () => nowMs, after: () => () => {} });
  schedule = scheduleInMemory({ now: () => nowMs, queue });
});

const call = (argv: readonly string[], ask?: (question: string) => Promise<string>) =>
  callVerb(
    (program, world) =>
      addQueue(program, world, {
        useIn: () => (work) => work({ queue, schedule, of: { cluster: 'blue' } }),
        functions: async () => [
          { name: 'idle', shape: 'reconcile' },
          { name: 'forbid-latest', shape: 'admission' },
          { name: 'show-console', shape: 'endpoint' },
        ],
      }),
    ['queue', ...argv],
    { ask },
  );

async function bury(name: string, why: string) {
  await queue.send([messageOf({ name })]);
  const [delivery] = await queue.receive({
    functions: ['follow-maps'],
    max: 1,
    visibilityMs: 1_000,
    waitMs: 0,
  });
  await queue.bury(delivery?.receipt ?? '', why);
  return delivery?.id ?? '';
}

describe('gatehouse queue', () => {
  it('lists what waits for each function, and for how long', async () => {
    await bury('one', 'never');
    await queue.send([messageOf({ name: 'two' }), messageOf({ name: 'three' })]);
    nowMs += 200_000;
    expect(await call(['ls'])).toEqual({
      exit: 0,
      out: [
        'FUNCTION     WAITING  IN FLIGHT  DEAD  OLDEST      SCHEDULED  NEXT\n',
        'follow-maps  2        0          1     3 min 20 s  0          -\n',
      ].join(''),
      err: 'of cluster blue\n',
    });
    const [depth] = await queue.depth();
    const { out } = await call(['ls', '-o', 'json']);
    expect(JSON.parse(out)).toEqual([{ cluster: 'blue', ...depth, scheduled: 0 }]);
  });

  it('says of an empty queue, too, of which cluster it is', async () => {
    const out = 'nothing is on the queue, and nothing is scheduled\n';
    expect(await call(['ls'])).toEqual({ exit: 0, out, err: 'of cluster blue\n' });
  });

  it('shows the next messages without receiving them', async () => {
    await queue.send([messageOf({ name: 'one' })]);
    const { exit, out } = await call(['peek', 'follow-maps']);
    expect(exit).toBe(0);
    expect(out).toContain('follow-maps/default/configmaps/team-a/one');
    expect(await queue.peek('follow-maps', 1)).toMatchObject([{ inFlight: false, received: 0 }]);
    expect((await call(['peek', 'nobody'])).out).toBe(
      'nothing that can be shown waits for nobody\n',
    );
  });

  it('lists and shows what waits for its time: retries and laters, with when and why', async () => {
    const [one, two] = [messageOf({ name: 'one' }), messageOf({ name: 'two' })];
    await schedule.add([
      { message: { ...one, attempt: 4 }, reason: 'retry', afterMs: 9_500 },
      { message: two, reason: 'later', afterMs: 60_000 },
    ]);
    await schedule.setPeriods([{ message: messageOf({ name: 'three' }), everySeconds: 60 }]);
    expect((await call(['ls'])).out).toContain(
      'follow-maps  0        0          0     -       2          in 10 s\n',
    );
    expect(JSON.parse((await call(['ls', '-o', 'json'])).out)).toMatchObject([
      { function: 'follow-maps', waiting: 0, scheduled: 2, nextSeconds: 9.5 },
    ]);
    const { exit, out, err } = await call(['peek', 'follow-maps']);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toMatch(/^-\s+retry in 10 s, tried 4x\s.*team-a\/one/m);
    expect(out).toMatch(/^-\s+later in 1 min 0 s\s.*team-a\/two/m);
    expect(out).not.toContain('team-a/three');
    expect(JSON.parse((await call(['peek', 'follow-maps', '-o', 'json'])).out)).toMatchObject([
      { reason: 'retry', attempt: 4, dueMs: 9_500, inFlight: false, received: 0 },
      { reason: 'later', attempt: 0, dueMs: 60_000 },
    ]);
  });

  it('shows at most so many, first of what waits and then of what is scheduled', async () => {
    await queue.send([messageOf({ name: 'one' }), messageOf({ name: 'two' })]);
    const later = { reason: 'later', afterMs: 60_000 } as const;
    await schedule.add([
      { message: messageOf({ name: 'three' }), ...later },
      { message: messageOf({ name: 'four' }), ...later },
    ]);
    const reasons = async (max: number) => {
      const { out } = await call(['peek', 'follow-maps', '--max', String(max), '-o', 'json']);
      return JSON.parse(out).map(({ reason = 'waits' }: { reason?: string }) => reason);
    };
    expect(await reasons(1)).toEqual(['waits']);
    expect(await reasons(3)).toEqual(['waits', 'waits', 'later']);
    expect(await reasons(9)).toEqual(['waits', 'waits', 'later', 'later']);
  });

  it('drops what waits and what is scheduled, says how many of each, and keeps periods', async () => {
    await queue.send([messageOf({ name: 'one' })]);
    await schedule.add([{ message: messageOf({ name: 'two' }), reason: 'retry', afterMs: 9_000 }]);
    await schedule.setPeriods([{ message: messageOf({ name: 'three' }), everySeconds: 60 }]);
    expect(await call(['purge', 'follow-maps', '--yes'])).toEqual({
      ...{ exit: 0, err: '' },
      out: '2 messages dropped: 1 waiting, 1 scheduled\n',
    });
    expect(await schedule.moveDue(5)).toMatchObject({ count: 1 });
  });

  it('shows what is buried and why, to scripts with its bytes', async () => {
    const id = await bury('one', 'no such\u001b[31m\u2028pool');
    expect((await call(['dead'])).out).toContain('no such pool');
    expect(JSON.parse((await call(['dead', '-o', 'json'])).out)).toMatchObject([
      { id, body: messageOf({ name: 'one' }).body },
    ]);
    expect((await call(['dead', 'other'])).out).toBe('nothing is buried\n');
  });

  it('shows so many, says that there may be more, and goes on behind them', async () => {
    const ids = [await bury('one', 'never'), await bury('two', 'never')];
    const first = await call(['dead', '--max', '1', '-o', 'json']);
    expect(first.err).toBe(`there may be more: --after ${ids[0]} shows them\n`);
    const rest = await call(['dead', '--after', ids[0] ?? '', '-o', 'json']);
    expect([first, rest].map(({ out }) => JSON.parse(out))).toMatchObject([
      [{ id: ids[0] }],
      [{ id: ids[1] }],
    ]);
    expect(rest.err).toBe('');
    const none = await call(['dead', '--after', ids[1] ?? '']);
    expect(none.out).toBe(`nothing is buried behind ${ids[1]}\n`);
  });

  it.each([
    ['peek', 'nothing that can be shown waits for follow-mapz\n'],
    ['purge --yes', '0 messages dropped\n'],
    ['purge --dead --all --yes', '0 messages dropped\n'],
    ['redrive --all', '0 messages redriven\n'],
    ['dead', 'nothing is buried\n'],
  ])(
    'fails to %s of a function that there is not, and says which there may be',
    async (words, out) => {
      await queue.send([messageOf()]);
      expect(await call([...words.split(' '), 'follow-mapz'])).toEqual({
        ...{ exit: 1, out },
        err: 'there is no function follow-mapz here, and nothing of it is on the queue; did you mean follow-maps?\n',
      });
      expect(await call([...words.split(' '), 'idle'])).toMatchObject({ exit: 0, err: '' });
    },
  );

  it.each([
    ['forbid-latest', 'reviews'],
    ['show-console', 'requests'],
  ])('says of %s that it answers %s, and not that it is not there', async (name, what) => {
    for (const words of ['peek', 'dead', 'redrive --all', 'purge --yes']) {
      expect(await call([...words.split(' '), name])).toMatchObject({
        exit: 1,
        err: `${name} answers ${what}, and those are never on the queue\n`,
      });
    }
  });

  it('takes no function for meant that is never on the queue', async () => {
    const { err } = await call(['peek', 'forbid-latst']);
    expect(err).toContain('there is no function forbid-latst here');
    expect(err).not.toContain('did you mean');
  });

  it('says of a function that no name here is like where it may be', async () => {
    const { exit, err } = await call(['peek', 'copy-team-of-mine']);
    expect([exit, err]).toEqual([
      1,
      'there is no function copy-team-of-mine here, and nothing of it is on the queue; is it of a folder that --functions names?\n',
    ]);
  });

  it('redrives what is named, and fails where it is not buried any more', async () => {
    const id = await bury('one', 'never');
    expect(await call(['redrive', id])).toEqual({ exit: 0, out: '1 message redriven\n', err: '' });
    expect(await call(['redrive', id, '-o', 'json'])).toMatchObject({ exit: 1 });
    expect(await queue.depth(['follow-maps'])).toMatchObject([{ waiting: 1, dead: 0 }]);
  });

  it('redrives once what is named twice, and misses nothing', async () => {
    const id = await bury('one', 'never');
    const redriven = { exit: 0, out: '1 message redriven\n', err: '' };
    expect(await call(['redrive', id, id])).toEqual(redriven);
  });

  it('redrives all, or all of one function, however many pages they are', async () => {
    for (let turn = 0; turn < 501; turn += 1) await bury(`map-${turn}`, 'never');
    expect((await call(['redrive', '--all', 'other'])).out).toBe('0 messages redriven\n');
    expect((await call(['redrive', '--all'])).out).toBe('501 messages redriven\n');
  });

  it.each([
    ['redrive', '1 message redriven; 2 messages are not buried (any more)\n'],
    ['purge --dead --yes', '1 message dropped; 2 messages are not buried (any more)\n'],
  ])('says and fails where what %s names is not there', async (words, out) => {
    const id = await bury('one', 'never');
    expect(await call([...words.split(' '), id, '98', '99'])).toEqual({ exit: 1, out, err: '' });
  });

  it.each([
    ['what waits for a function', ['purge', 'follow-maps', '--yes'], { waiting: 0, dead: 1 }],
    ['all that is buried', ['purge', '--dead', '--all', '--yes'], { waiting: 1, dead: 0 }],
    [
      'what is buried of another one',
      ['purge', '--dead', '--all', 'x', '--yes'],
      { waiting: 1, dead: 1 },
    ],
  ])('drops %s', async (_, argv, left) => {
    await bury('one', 'never');
    await queue.send([messageOf({ name: 'two' })]);
    expect(await call(argv)).toMatchObject({ exit: argv.includes('x') ? 1 : 0 });
    expect(await queue.depth(['follow-maps'])).toMatchObject([left]);
  });

  it('drops nothing that nobody meant', async () => {
    await queue.send([messageOf()]);
    expect(await call(['purge', 'follow-maps'], async () => 'n')).toMatchObject({
      exit: 1,
      err: 'nothing was dropped\n',
    });
    const alone = await call(['purge', 'follow-maps']);
    expect(alone).toMatchObject({ exit: 1, err: expect.stringContaining('say --yes') });
    expect(await queue.depth(['follow-maps'])).toMatchObject([{ waiting: 1 }]);

    const asked: string[] = [];
    await call(['purge', 'follow-maps'], async (question) => {
      asked.push(question);
      return 'y';
    });
    expect(asked).toEqual(['drop everything that waits or is scheduled for follow-maps? [y/N] ']);
    expect(await queue.depth(['follow-maps'])).toMatchObject([{ waiting: 0 }]);
  });

  it.each([
    ['nothing to redrive', ['redrive']],
    ['two functions at once', ['redrive', '--all', 'a', 'b']],
    ['nothing to purge', ['purge', '--yes']],
    ['buried ones that are not named', ['purge', '--dead', '--yes']],
    ['all without saying of what', ['purge', '--all', '--yes']],
    ['a count that is none', ['dead', '--max', '0']],
  ])('does not understand %s', async (_, argv) => {
    expect(await call(argv)).toMatchObject({ exit: 2, out: '' });
  });
});

describe('a table', () => {
  const paint = (_: string, text: string) => `\u001b[1m${text}\u001b[22m`;

  it('is as wide as what is seen of its cells', () => {
    const text = table(
      ['A', 'B'],
      [
        [paint('', 'long'), 'x'],
        ['s', 'y'],
      ],
      (_, said) => said,
    );
    expect(plain(text.replaceAll('\n', '|'))).toBe('A     B|long  x|s     y|');
  });

  it.each([
    [0.9, '0 s'],
    [59, '59 s'],
    [60, '1 min 0 s'],
    [3_725, '1 h 2 min'],
  ])('says %d seconds in words', (seconds, words) => {
    expect(age(seconds)).toBe(words);
  });
});
