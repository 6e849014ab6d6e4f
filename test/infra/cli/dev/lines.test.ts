import { describe, expect, it } from 'vitest';
import { openLines } from '#infra/cli/dev/lines.ts';
import { painter, type Terminal } from '#infra/cli/output.ts';
import type { Happening } from '#shared/runtime/happening.ts';

const object = {
  ...{ cluster: 'blue', group: '', resource: 'pods' },
  ...{ namespace: 'team-a', name: 'web-0', uid: 'u1' },
};
const event: Happening = {
  ...{ kind: 'event', at: '2030-01-01T12:00:00.000Z', change: 'modified', object },
  ...{ eventId: 'u1/7/MODIFIED', wakes: ['report-strays'] },
};
const run: Happening = {
  ...{ kind: 'run', at: '2030-01-01T12:00:00.012Z', function: 'report-strays', object },
  ...{ eventId: 'u1/7/MODIFIED', outcome: 'done', ms: 3.4, waitedMs: 2, attempt: 0 },
};
const places = {
  ...{ kubeconfig: '/state/kubeconfig', cluster: 'https://127.0.0.1:6443' },
  ...{ admission: 'https://127.0.0.1:1', probes: 'http://127.0.0.1:2' },
  endpoints: {},
  clusterName: 'default',
  ...{ database: 'postgres://127.0.0.1:3', control: 'http://127.0.0.1:4', token: 'secret' },
};

function opened({ quiet = false, json = false, hasColour = false } = {}) {
  const said = { out: '', err: '' };
  const terminal: Terminal = {
    print: (text) => {
      said.out += text;
    },
    complain: (text) => {
      said.err += text;
    },
    read: async () => '',
    paint: painter(hasColour),
  };
  return { said, ...openLines({ quiet, json }, terminal) };
}

describe('what gatehouse dev says to people', () => {
  it('is where the cluster is, what to type, and how it ends', () => {
    const { said, ready } = opened();
    ready(places);
    expect(said.out).toBe('');
    expect(
      said.err.replace(/\d+ ms/, 'N ms'),
    ).toBe(`ready after N ms: a cluster at ${places.cluster}
  export KUBECONFIG=/state/kubeconfig
  kubectl get nodes
  kubectl label namespace default operator.kyma-project.io/managed-by=kyma
  kubectl run hello --image=nginx && kubectl get pod hello -o yaml
Ctrl-C ends all of it; the state is kept
`);
    expect(said.err).not.toContain(places.token);
  });

  it('is where functions answer that are endpoints, at home and elsewhere', () => {
    const { said, ready } = opened();
    const endpoints = { hello: 'https://127.0.0.1:1/hello' };
    for (const each of [places, { ...places, against: 'context' }]) ready({ ...each, endpoints });
    expect(said.err.match(/^ {2}curl -k https:\/\/127\.0\.0\.1:1\/hello$/gm)).toHaveLength(2);
  });

  it('is, in a cluster that is not its own, that it is removed again', () => {
    const { said, ready } = opened();
    ready({ ...places, against: 'context', cluster: 'https://shoot' });
    expect(said.err).toMatch(/^ready after \d+ ms: in the cluster at https:\/\/shoot\nCtrl-C ends/);
    expect(said.err).toContain('removes what it made there');
  });

  it.each([
    { json: false, told: { fd: 2, before: 'it waits: for ', after: ' alone\n' } },
    {
      json: true,
      told: {
        fd: 1,
        before: '{"kind":"error","why":"for ',
        after: ' alone","message":"it waits"}\n',
      },
    },
  ])('is, for a thread that writes it itself, on either side of what it adds (%o)', (each) => {
    const { errorAround } = opened({ json: each.json });
    expect(errorAround((what) => `for ${what} alone`, 'it waits')).toEqual(each.told);
  });

  it('is how long a start took, without what somebody thought about', async () => {
    let uptimeMs = 400;
    const terminal = {
      ...{ print() {}, read: async () => '', paint: painter(false) },
      complain: (text: string) => {
        said += text;
      },
      ask: async () => {
        uptimeMs += 60_000;
        return 'y';
      },
    };
    let said = '';
    const lines = openLines({ quiet: true, json: false, uptimeMs: () => uptimeMs }, terminal);
    expect(await lines.ask?.('Go on?')).toBe('y');
    uptimeMs += 300;
    lines.ready(places);
    lines.happened(run);
    expect(said.match(/\d+ ms/g)).toEqual(['700 ms', '700 ms']);
  });

  it('asks nobody where nobody is there', () => {
    expect(opened().ask).toBeUndefined();
  });

  it('is what was reloaded, and how soon', () => {
    const { said, reloaded } = opened();
    reloaded({ kind: 'reloaded', files: ['greet.ts', 'wave.ts'], functions: [], ms: 41.6 });
    expect(said).toEqual({ out: '', err: 'reloaded in 42 ms: greet.ts, wave.ts\n' });
  });

  it('is what a save broke, and how to mend it', () => {
    const { said, reloaded } = opened();
    const problem = { file: 'greet.ts', why: 'line 1: \u001b[2Jno brace', mend: 'close it' };
    reloaded({ kind: 'kept', problems: [problem] });
    expect(said.err).toBe(`not reloaded; the functions as they were go on
greet.ts: line 1: no brace
  to mend it: close it
`);
  });

  it('is every event as it comes, and how long the first took to be handled', () => {
    const { said, happened } = opened();
    for (const each of [event, run, run]) happened(each);
    expect(said.out.split('\n')).toEqual([
      '12:00:00.000  modified    pods team-a/web-0  → report-strays',
      '12:00:00.012  done        report-strays  pods team-a/web-0  3 ms after 2 ms',
      '12:00:00.012  done        report-strays  pods team-a/web-0  3 ms after 2 ms',
      '',
    ]);
    expect(said.err).toMatch(/^the first event was handled after \d+ ms\n$/);
  });

  it('is how many a list found that wake nobody', () => {
    const { said, happened } = opened();
    const all = { ...object, namespace: '', name: '', uid: '' };
    happened({ ...event, change: 'existing', object: all, wakes: [], objects: 1234 });
    expect(said.out).toBe('12:00:00.000  existing    pods  1234 wake nobody\n');
  });

  it('names a set as what it is, which an object of that name is not', () => {
    const { said, happened } = opened();
    const nameless = { ...object, name: '', uid: '' };
    for (const namespace of ['team-a', ''])
      happened({ ...run, object: { ...nameless, namespace } });
    happened({ ...run, object: { ...object, name: 'all' } });
    expect(said.out.split('\n').map((line) => line.split('  ').at(-2))).toEqual([
      'all pods of team-a',
      'all pods',
      'pods team-a/all',
      undefined,
    ]);
  });

  it('is what time woke where it ends otherwise than before, and once more after a save', () => {
    const { said, happened, reloaded } = opened();
    const { object: _, ...period } = run;
    const failed = { ...period, outcome: 'retry', why: 'no answer' };
    for (const each of [period, period, failed, failed, period]) happened(each);
    happened({ ...period, function: 'follow-pool' });
    reloaded({ kind: 'reloaded', files: [], functions: [], ms: 1 });
    happened(period);
    expect(said.out.match(/(done|retry) +\S+ +its period/g)).toEqual([
      'done        report-strays  its period',
      'retry       report-strays  its period',
      'done        report-strays  its period',
      'done        follow-pool  its period',
      'done        report-strays  its period',
    ]);
  });

  it('is, as JSON, each run that time woke', () => {
    const { said, happened } = opened({ json: true });
    const { object: _, ...period } = run;
    for (const each of [period, period]) happened(each);
    expect(said.out.match(/"kind":"run"/g)).toHaveLength(2);
  });

  it.each([false, true])('is no event where it is to be quiet (json: %s)', (json) => {
    const { said, happened, reloaded } = opened({ quiet: true, json });
    for (const each of [event, run]) happened(each);
    reloaded({ kind: 'reloaded', files: ['greet.ts'], functions: [], ms: 1 });
    const all = said.out + said.err;
    expect(all).not.toContain('team-a');
    expect(all).toMatch(/first.event/);
    expect(all).toContain('greet.ts');
  });

  it.each([false, true])('has the cause of an error, too (json: %s)', (json) => {
    const { said, log } = opened({ json });
    log.error({ err: new Error('no such host') }, 'it failed');
    expect(said.out + said.err).toMatch(/it failed[\s\S]*no such host|no such host.*it failed/);
  });

  it.each([false, true])('has colours where they are asked for alone (%s)', (hasColour) => {
    const { said, happened, reloaded, say, log } = opened({ hasColour });
    happened(run);
    reloaded({ kind: 'reloaded', files: ['greet.ts'], functions: [], ms: 1 });
    say('a note');
    log.warn({ why: 'late' }, 'a warning');
    expect(said.out.includes('\u001b[')).toBe(hasColour);
    expect(said.err.split('\n').filter((line) => line.includes('\u001b['))).toHaveLength(
      hasColour ? 4 : 0,
    );
  });
});
