import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Told } from '#events/forwarder/told.ts';
import { reportOn } from '#shared/runtime/forwarding/reporting.ts';
import { openTeller } from '#shared/runtime/forwarding/telling.ts';
import { row } from '#test/events/forwarder/builders.ts';
import { logRecorded } from '#test/support/running.ts';

it('a forwarder is ready although a kind that it would follow is served by nobody', () => {
  const { teller } = told();
  const [bundles, pods] = ['clustertrustbundles.certificates.k8s.io', 'pods'];
  teller.tell({ kind: 'watching', scope: pods });
  expect(teller.isFollowing([bundles, pods])).toBe(false);

  teller.tell({ kind: 'absent', scope: bundles, why: 'nobody serves it' });
  expect(teller.isFollowing([bundles, pods])).toBe(true);

  teller.tell({ kind: 'listing', scope: bundles, why: 'it is served' });
  expect(teller.isFollowing([bundles, pods])).toBe(false);
});

const scope = 'pods';
const nothing = { rows: [], marked: [], forgotten: [] };
const happened = (type: 'added' | 'deleted') =>
  ({
    ...{ type, namespace: 'a', name: 'b', uid: 'c', eventId: 'c/1' },
    before: undefined,
    after: undefined,
  }) as const;
const committed: Told = {
  kind: 'committed',
  scope,
  plan: { ...nothing, happened: [happened('added'), happened('deleted'), happened('added')] },
  sent: [],
};

const idleMs = 120_000;

/** A teller with a clock of its own. */
function told(...all: readonly (Told | number)[]) {
  const [registry, log] = [new Registry(), logRecorded()];
  let now = 0;
  const teller = openTeller({ log, registry, now: () => now, idleMs });
  for (const each of all) {
    if (typeof each === 'number') now += each;
    else teller.tell(each);
  }
  return {
    ...{ log, teller },
    lines: async () =>
      (await registry.metrics()).split('\n').filter((line) => line.includes('scope=')),
  };
}

const unsent = { function: 'look', object: 'default/web', why: 'group is too long' };

describe('what the forwarder tells', () => {
  it.each<[Told, string]>([
    [committed, 'events_total{scope="pods",change="added"} 2'],
    [committed, 'events_total{scope="pods",change="deleted"} 1'],
    [{ kind: 'listing', scope, why: 'first' }, 'lists_total{scope="pods"} 1'],
    [
      { kind: 'watch-ended', scope, how: 'idle', why: '' },
      'reconnects_total{scope="pods",how="idle"} 1',
    ],
    [{ kind: 'refused-line', scope, why: 'odd' }, 'refused_lines_total{scope="pods"} 1'],
    [{ kind: 'unsent', scope, ...unsent }, 'unsent_wakeups_total{scope="pods"} 1'],
    [{ kind: 'failed', scope, cause: 'away', ms: 5 }, 'failures_total{scope="pods"} 1'],
    [{ kind: 'audited', scope }, 'audits_total{scope="pods"} 1'],
    [{ kind: 'lost', scope, count: 2 }, 'lost_total{scope="pods"} 2'],
    [{ kind: 'heard', scope, lines: 1, waitedMs: 0 }, 'silent_seconds{scope="pods"} 0'],
  ])('is counted: %j', async (each, line) => {
    expect(await told(each).lines()).toContain(`gatehouse_forwarder_${line}`);
  });

  it.each<[Told, string | undefined, string]>([
    [{ kind: 'heard', scope, lines: 1, waitedMs: 0 }, undefined, ''],
    [committed, undefined, ''],
    [{ kind: 'standing-by', scope }, 'debug', 'standing by'],
    [{ kind: 'took-over', scope, term: 1 }, 'info', 'writing this scope'],
    [{ kind: 'fenced', scope }, 'warn', 'took over'],
    [{ kind: 'listing', scope, why: 'first' }, 'info', 'whole list'],
    [{ kind: 'listed', scope, objects: 9, gone: 3 }, 'info', 'list is complete'],
    [{ kind: 'refused-page', scope, why: 'busy', ms: 1 }, 'warn', 'asked for again'],
    [{ kind: 'unaudited', scope, why: 'busy' }, 'warn', 'next self-audit'],
    [{ kind: 'woke-existing', scope, function: 'f', objects: 1 }, 'info', 'all that exists'],
    [{ kind: 'watching', scope }, 'debug', 'watching'],
    [{ kind: 'watch-ended', scope, how: 'idle', why: '' }, 'debug', 'watch ended'],
    [{ kind: 'refused-line', scope, why: 'odd' }, 'error', 'could not be read'],
    [{ kind: 'unsent', scope, ...unsent }, 'error', 'cannot be sent'],
    [
      { kind: 'waiting', scope, why: 'busy', ms: 1 },
      'warn',
      'before the API server is asked again',
    ],
    [{ kind: 'forbidden', scope, why: 'no' }, undefined, ''],
    [{ kind: 'failed', scope, cause: 'away', ms: 5 }, 'warn', 'failed'],
    [{ kind: 'absent', scope, why: '404' }, 'info', 'nobody serves'],
    [{ kind: 'new-epoch', scope, epoch: 2, why: 'uid' }, 'warn', 'another history'],
    [{ kind: 'audited', scope }, 'debug', 'names and versions'],
    [{ kind: 'lost', scope, count: 2 }, 'error', 'self-audit'],
  ])('is a log line with its scope, or none: %j', (each, level, text) => {
    const { log } = told(each);
    const expected = { level, message: expect.stringContaining(text), fields: { scope } };
    expect(log.lines).toMatchObject(level === undefined ? [] : [expected]);
  });

  it.each<Told>([
    { kind: 'refused-line', scope, why: 'default/web is passed over: its name is too long' },
    { kind: 'unsent', scope, ...unsent },
  ])(
    'is a line a minute of one object, with a count, however often it changes: %j',
    async (odd) => {
      const elsewhere = { ...odd, scope: 'nodes' };
      const changes = Array.from({ length: 601 }, () => [odd, 100]).flat();
      const { log, lines } = told(elsewhere, ...changes);
      const { kind: _, ...fields } = odd;
      expect(log.lines.map((each) => each.fields)).toEqual([
        { ...fields, scope: 'nodes' },
        fields,
        { ...fields, passedOver: 599 },
      ]);
      expect((await lines()).join()).toMatch(/_total\{scope="pods"\} 601/);
    },
  );

  it('is an error where the wait is for rights, and says why', () => {
    const forbidden: Told = { kind: 'forbidden', scope, why: 'pods is forbidden' };
    const waiting: Told = { kind: 'waiting', scope, why: 'pods is forbidden', ms: 500 };
    const busy: Told = { ...waiting, why: 'busy' };
    const elsewhere: Told = { ...waiting, scope: 'nodes' };
    const { log } = told(forbidden, elsewhere, waiting, busy);
    expect(log.lines.map(({ level, fields }) => [level, fields['scope'], fields['why']])).toEqual([
      ['warn', 'nodes', 'pods is forbidden'],
      ['error', 'pods', 'pods is forbidden'],
      ['warn', 'pods', 'busy'],
    ]);
  });

  it('has the cause of a failure as the log takes errors, and whole milliseconds', () => {
    const { log } = told({ kind: 'failed', scope, cause: 'away', ms: 381.5569 });
    expect(log.lines[0]?.fields).toEqual({ scope, err: 'away', ms: 382 });
  });
});

describe('a scope that was followed', () => {
  const watching: Told = { kind: 'watching', scope };
  const waiting: Told = { kind: 'waiting', scope, why: 'busy', ms: 500 };
  const listing: Told = { kind: 'listing', scope, why: 'expired' };
  const forbidden: Told = { kind: 'forbidden', scope, why: 'no rights' };

  it.each<[string, boolean, readonly (Told | number)[]]>([
    ['counts while it backs off for a moment', true, [waiting, 60_000, waiting, 59_000]],
    ['does not count once that takes as long as a watch may be silent', false, [waiting, idleMs]],
    ['does not count by beginning to wait anew', false, [waiting, 60_000, waiting, 60_000]],
    ['counts again when it is watched', true, [waiting, idleMs, watching]],
    ['counts again from when it was watched', true, [waiting, 60_000, watching, waiting, 60_000]],
    [
      'counts where another one watches it',
      true,
      [waiting, idleMs, { kind: 'standing-by', scope }],
    ],
    ['does not count at once without rights', false, [forbidden, waiting]],
    ['counts again with its rights', true, [forbidden, waiting, 9_000, watching]],
    ['does not count while it is listed', false, [listing]],
    ['does not count from where its functions are others', false, [{ kind: 'begun', scope }]],
    ['counts while its writer begins another turn', true, [{ kind: 'took-over', scope, term: 2 }]],
  ])('%s', (_, expected, all) => {
    expect(told(watching, ...all).teller.isFollowing([scope])).toBe(expected);
  });
});

describe('a deletion', () => {
  const watching: Told = { kind: 'watching', scope };
  const ended: Told = { kind: 'watch-ended', scope, how: 'closed', why: '' };
  const listing: Told = { kind: 'listing', scope, why: 'a 410' };
  const listed: Told = { kind: 'listed', scope, objects: 9, gone: 0 };

  it.each<[string, readonly Told[], string | undefined]>([
    ['that a watch told is none of ours', [listing, listed, watching, committed], undefined],
    ['that a page of a list shows by a successor is', [listing, committed, listed], '1'],
    ['that a list after a watch shows is', [watching, listing, committed, listed], '1'],
    ['that follows from the absence of the kind is', [watching, ended, committed], '1'],
  ])('%s', async (_, all, count) => {
    const lines = await told(...all).lines();
    const found = lines.filter((line) => line.includes('synthesised'));
    const expected = `gatehouse_forwarder_synthesised_deletes_total{scope="pods"} ${count}`;
    expect(found).toEqual(count === undefined ? [] : [expected]);
  });
});

describe('the silence of a scope', () => {
  const heard: Told = { kind: 'heard', scope, lines: 1, waitedMs: 0 };
  const listing: Told = { kind: 'listing', scope, why: 'first' };
  const listed: Told = { kind: 'listed', scope, objects: 1, gone: 0 };
  const failed: Told = { kind: 'failed', scope, cause: 'away', ms: 5 };
  const idle = { ...nothing, happened: [] };
  const unchanged = { ...idle, marked: ['u1'] };
  const page: Told = { kind: 'committed', scope, plan: { ...idle, rows: [row()] }, sent: [] };
  const silence = (lines: readonly string[]) =>
    lines.filter((line) => /^gatehouse_forwarder_(silent|lag)_seconds/.test(line));

  it('grows while it is ours to hear', async () => {
    const expected = 'gatehouse_forwarder_silent_seconds{scope="pods"} 9';
    expect(await told(heard, 9_000).lines()).toContain(expected);
  });

  it.each<[string, string, readonly (Told | number)[]]>([
    ['a page of a list', '0', [listing, 9_000, page]],
    ['a page in which nothing is new', '0', [listing, 9_000, { ...page, plan: unchanged }]],
    ['what a list has to say to the database', '9', [listing, 9_000, { ...page, plan: idle }]],
    ['a commit that belongs to no list', '9', [9_000, page]],
    ['a commit after a list', '9', [listing, listed, 9_000, page]],
    ['a commit after a list that broke off', '9', [listing, failed, 9_000, page]],
  ])('knows whether a sign is %s', async (_, seconds, all) => {
    const expected = `gatehouse_forwarder_silent_seconds{scope="pods"} ${seconds}`;
    expect(silence(await told(heard, ...all).lines())).toContain(expected);
  });

  it.each<Told>([
    { kind: 'fenced', scope },
    { kind: 'standing-by', scope },
    { kind: 'absent', scope, why: 'nobody serves it' },
  ])('is nobody’s here after $kind, and begins anew', async (handed) => {
    expect(silence(await told(heard, 9_000, handed).lines())).toEqual([]);
    const again = silence(await told(heard, 9_000, handed, heard, 2_000, committed).lines());
    expect(again).toContain('gatehouse_forwarder_silent_seconds{scope="pods"} 2');
  });

  it('ends with the last function that follows it', async () => {
    const { teller, lines } = told({ ...heard, scope: 'nodes' }, heard, 9_000);
    teller.tell({ kind: 'watching', scope });
    teller.keepOnly(['nodes']);

    expect(silence(await lines())).toEqual([
      'gatehouse_forwarder_lag_seconds{scope="nodes"} 9',
      'gatehouse_forwarder_silent_seconds{scope="nodes"} 9',
    ]);
    expect(teller.isFollowing([scope])).toBe(false);
  });
});

describe('the report of the forwarder', () => {
  const heard: Told = { kind: 'heard', scope, lines: 3, waitedMs: 0 };
  const cut: Told = { kind: 'watch-ended', scope, how: 'cut', why: 'reset' };

  it('is a line for each scope that is ours, with what the metrics say', async () => {
    const elsewhere = { scope: 'nodes' } as const;
    const all: readonly (Told | number)[] = [
      { kind: 'listing', scope, why: 'first' },
      committed,
      { kind: 'listed', scope, objects: 1, gone: 0 },
      cut,
      { ...cut, how: 'idle' },
      { kind: 'refused-line', scope, why: 'odd' },
      { kind: 'lost', scope, count: 2 },
      { kind: 'watching', ...elsewhere },
      { kind: 'standing-by', ...elsewhere },
      heard,
      1_500,
    ];
    const { log, teller } = told(...all);
    const before = log.lines.length;
    await teller.report();
    expect(log.lines.slice(before)).toEqual([
      {
        level: 'info',
        message: 'how far this scope is',
        fields: {
          scope,
          ...{ lagSeconds: 1.5, silentSeconds: 1.5, lists: 1, reconnects: 2 },
          ...{ synthesisedDeletes: 1, refusedLines: 1, lost: 2 },
        },
      },
    ]);
  });

  it('comes again and again, and no more once it is stopped', async () => {
    const stop = new AbortController();
    let reports = 0;
    const report = async () => {
      reports += 1;
      if (reports === 3) stop.abort();
    };
    await reportOn(report, { signal: stop.signal, everyMs: 1 });
    expect(reports).toBe(3);
  });
});

describe('the lag of the forwarder', () => {
  const heard: Told = { kind: 'heard', scope, lines: 3, waitedMs: 0 };
  const failed: Told = { kind: 'failed', scope, cause: 'away', ms: 5 };
  const listing: Told = { kind: 'listing', scope, why: 'expired' };
  const listed: Told = { kind: 'listed', scope, objects: 1, gone: 0 };

  it.each<[string, readonly (Told | number)[], string | undefined]>([
    ['grows while a batch waits for its commit', [heard, 1_500], '1.5'],
    ['is 0 after the commit', [heard, 1_500, committed, 9_000], '0'],
    [
      'begins when they arrived, and not when they were read',
      [{ ...heard, waitedMs: 500 }, 250],
      '0.75',
    ],
    ['begins with each batch', [heard, 500, committed, 9_000, heard, 250], '0.25'],
    ['goes on from the first arrival after a failure', [heard, 2_000, failed, heard, 1_000], '3'],
    ['goes on while a list begins', [heard, 2_000, listing, 500, committed, 500], '3'],
    ['is over with the list', [heard, 2_000, listing, committed, 500, listed, 9_000], '0'],
    ['is not ours when somebody else writes', [heard, 2_000, { kind: 'fenced', scope }], undefined],
    ['is unknown before anything was heard', [9_000, committed], undefined],
  ])('%s', async (_, all, seconds) => {
    const lines = await told(...all).lines();
    const found = lines.filter((line) => line.startsWith('gatehouse_forwarder_lag_seconds'));
    const expected = `gatehouse_forwarder_lag_seconds{scope="pods"} ${seconds}`;
    expect(found).toEqual(seconds === undefined ? [] : [expected]);
  });

  it('is counted from arrival to commit, once a batch', async () => {
    const lines = await told(
      heard,
      500,
      committed,
      9_000,
      committed,
      heard,
      250,
      committed,
    ).lines();
    expect(lines).toContain('gatehouse_forwarder_commit_seconds_sum{scope="pods"} 0.75');
    expect(lines).toContain('gatehouse_forwarder_commit_seconds_count{scope="pods"} 2');
  });
});
