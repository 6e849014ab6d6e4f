import { describe, expect, it } from 'vitest';
import { addEvents, type Follow } from '#infra/cli/events.ts';
import type { Definition } from '#shared/define.ts';
import { configMaps, type Kind, pods } from '#shared/domain/kind.ts';
import type { Happening } from '#shared/runtime/happening.ts';
import { callVerb } from '#test/support/verb.ts';

const widgets: Kind = {
  ...{ group: 'example.dev', version: 'v1', kind: 'Widget', resource: 'widgets' },
  namespaced: true,
};
const object = {
  cluster: 'blue',
  group: '',
  resource: 'pods',
  namespace: 'team-a',
  name: 'web-0',
  uid: 'u1',
};
const event: Happening = {
  kind: 'event',
  at: '2030-01-01T12:00:00.000Z',
  change: 'modified',
  object,
  eventId: 'u1/7/MODIFIED',
  wakes: ['report-strays'],
};
const run: Happening = {
  kind: 'run',
  at: '2030-01-01T12:00:00.012Z',
  function: 'report-strays',
  object,
  eventId: 'u1/7/MODIFIED',
  outcome: 'retry',
  why: 'away\u001b[2J',
  ms: 3.4,
  waitedMs: 2,
  attempt: 1,
};
const period: Happening = {
  kind: 'run',
  at: '2030-01-01T12:00:01.000Z',
  function: 'rotate-certificate',
  eventId: 'rotate-certificate/period',
  outcome: 'done',
  ms: 12,
  waitedMs: 1,
  attempt: 0,
};

/** Says these lines, and then it is Ctrl-C. */
function saying(lines: readonly Happening[], dropped = 0, cluster?: string): Follow {
  return async ({ onPayload, onReady }) => {
    onReady();
    onPayload(JSON.stringify({ cluster, lines, dropped }));
    onPayload('of another version');
    process.emit('SIGINT');
  };
}

const functions: readonly Pick<Definition, 'name' | 'shape'>[] = [
  { name: 'forbid-latest', shape: 'admission' },
  { name: 'show-console', shape: 'endpoint' },
  { name: 'report-strays', shape: 'reconcile' },
  { name: 'rotate-certificate', shape: 'reconcile' },
];

const tail = (
  argv: readonly string[],
  follow: Follow = saying([event, run, period]),
  given: Parameters<typeof callVerb>[2] = {},
) =>
  callVerb(
    (program, world) =>
      addEvents(program, world, {
        follow,
        cluster: async () => 'blue',
        kinds: async () => [configMaps, pods, widgets],
        functions: async () => functions,
      }),
    ['events', 'tail', ...argv],
    given,
  );

const ids = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { kind: string; eventId: string })
    .map(({ kind, eventId }) => `${kind} ${eventId}`);

describe('gatehouse events tail', () => {
  it('prints what happened, whom it woke and what became of it, until Ctrl-C', async () => {
    expect(await tail([])).toEqual({
      exit: 0,
      out: [
        '12:00:00.000  modified    pods team-a/web-0  → report-strays\n',
        '12:00:00.012  retry       report-strays  pods team-a/web-0  3 ms after 2 ms, 1 failed before  away\n',
        '12:00:01.000  done        rotate-certificate  its period  12 ms after 1 ms\n',
      ].join(''),
      err: 'listening to the cluster blue; Ctrl-C ends it\n',
    });
  });

  it.each([
    ['reviews', 'forbid-latest'],
    ['requests', 'show-console'],
  ])(
    'does not wait for %s, which nobody tells it, and says where they are told',
    async (what, name) => {
      const { exit, out, err } = await tail(['--function', name]);
      expect([exit, out]).toEqual([1, '']);
      expect(err).toMatch(new RegExp(`${name} answers ${what}[\\s\\S]*lines of gatehouse dev`));
    },
  );

  it('says that it knows no such function, and listens: others of the fleet may', async () => {
    const { exit, err } = await tail(['--function', 'somebody-elses']);
    expect(exit).toBe(0);
    expect(err).toMatch(/^there is no function somebody-elses here; is it of[\s\S]*listening to/);
  });

  it.each([
    ['report-stray', /did you mean report-strays\?/],
    // Reviews are not told here: nobody means one.
    ['forbid-latst', /is it of a folder/],
  ])('names the one that is meant by %s, perhaps', async (name, expected) => {
    expect((await tail(['--function', name])).err).toMatch(expected);
  });

  it.each(['--kind', '--namespace', '--function'])(
    'refuses an empty %s, as of a variable that is not set, which would be waited for in vain',
    async (option) => {
      const { exit, out, err } = await tail([option, '']);
      expect([exit, out]).toEqual([2, '']);
      expect(err).toContain('expected a name, found nothing; without the option all is shown');
    },
  );

  it('prints one JSON value a line for scripts', async () => {
    const { out } = await tail(['-o', 'json']);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([event, run, period]);
  });

  it.each([
    [
      ['--kind', 'pods'],
      ['event u1/7/MODIFIED', 'run u1/7/MODIFIED'],
    ],
    [
      ['--kind', 'Pods'],
      ['event u1/7/MODIFIED', 'run u1/7/MODIFIED'],
    ],
    [
      ['--kind', 'pod'],
      ['event u1/7/MODIFIED', 'run u1/7/MODIFIED'],
    ],
    [
      ['--kind', 'Pod'],
      ['event u1/7/MODIFIED', 'run u1/7/MODIFIED'],
    ],
    [['--kind', 'Widget.example.dev'], []],
    [['--kind', 'configmap'], []],
    [['--namespace', 'team-b'], []],
    [['--function', 'rotate-certificate'], ['run rotate-certificate/period']],
    [
      ['--function', 'report-strays', '--namespace', 'team-a'],
      ['event u1/7/MODIFIED', 'run u1/7/MODIFIED'],
    ],
  ])('with %j shows only what was asked for', async (argv, expected) => {
    expect(ids((await tail([...argv, '-o', 'json'])).out)).toEqual(expected);
  });

  it.each([
    ['pdos', 'did you mean pods?'],
    ['Wigdet', 'did you mean widgets.example.dev?'],
    ['pods.metrics.k8s.io', '--functions'],
    ['anything', '--functions'],
  ])('says of a kind %s that it is none', async (kind, mend) => {
    const { exit, out, err } = await tail(['--kind', kind]);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(`there is no kind ${kind}`);
    expect(err).toContain(mend);
  });

  it('says how many lines were dropped', async () => {
    expect((await tail([], saying([], 7))).err).toContain('7 lines were dropped\n');
  });

  it.each([
    ['blue', ['run rotate-certificate/period'], true],
    ['green', [], false],
  ])('tells of its own cluster what the fleet says in %s', async (cluster, expected, isTold) => {
    const { out, err } = await tail(['-o', 'json'], saying([period], 7, cluster));
    expect(ids(out)).toEqual(expected);
    expect(err.includes('dropped')).toBe(isTold);
  });

  it.each([true, false])('says whether its reader is behind: %s', async (isBehind) => {
    const said: unknown[] = [];
    const follow: Follow = async (hearing) => {
      said.push(hearing.isBehind?.());
      await saying([])(hearing);
    };
    await tail([], follow, { isBehind: () => isBehind });
    expect(said).toEqual([isBehind]);
  });

  it('fails where nobody can be listened to', async () => {
    const away: Follow = () => Promise.reject(new Error('the database does not answer'));
    expect(await tail([], away)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('the database does not answer'),
    });
  });

  it('listens again after the connection was lost, and says so once', async () => {
    let turns = 0;
    const { exit, err } = await tail([], async (hearing) => {
      turns += 1;
      if (turns === 1) hearing.onReady();
      if (turns === 3) await saying([])(hearing);
      else throw new Error('lost');
    });
    expect([exit, turns]).toEqual([0, 3]);
    expect(err).toBe(
      [
        'listening to the cluster blue; Ctrl-C ends it\n',
        'the connection was lost; what happens meanwhile is not shown\n',
        'listening to the cluster blue; Ctrl-C ends it\n',
      ].join(''),
    );
  });
});
