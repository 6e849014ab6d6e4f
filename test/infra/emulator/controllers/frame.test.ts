import { describe, expect, it } from 'vitest';
import { openQueue } from '#infra/emulator/controllers/frame/queue.ts';
import { openShelf } from '#infra/emulator/controllers/frame/shelf.ts';
import { mergePatchOf } from '#infra/emulator/controllers/merge-patch.ts';
import { pods } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { templateHash } from '#infra/emulator/controllers/template-hash.ts';
import { done, later, type Outcome, retry } from '#shared/domain/outcome.ts';
import { until } from '#test/support/until.ts';
import { pod, templateOf } from './making.ts';

const at = (resourceVersion: string, uid = 'uid-p') =>
  pod('p', { metadata: { resourceVersion, uid } });

describe('a shelf', () => {
  function shelf() {
    const opened = openShelf<Pod>(pods);
    const told: string[] = [];
    opened.onChange(({ before, after }) => {
      told.push(
        `${before?.metadata.resourceVersion ?? '-'}>${after?.metadata.resourceVersion ?? '-'}`,
      );
    });
    return { opened, told };
  }

  it('knows of a write of ours before the watch tells of it', () => {
    const { opened, told } = shelf();
    opened.put(at('5'));
    opened.echo(at('7'));
    opened.put(at('6'));
    opened.put(at('7'));
    expect(told).toEqual(['->5', '5>7']);
  });

  it('does not bring back what the watch has seen going', () => {
    const { opened } = shelf();
    opened.put(at('5'));
    opened.drop(at('8'));
    opened.echo(at('7'));
    expect(opened.find('team/p')).toBeUndefined();
  });

  it("keeps another object of the same name when the first one's end is told late", () => {
    const { opened } = shelf();
    opened.put(at('5'));
    opened.echo(at('9', 'uid-other'));
    opened.drop(at('8'));
    expect(opened.find('team/p')?.metadata.uid).toBe('uid-other');
  });

  it('takes a list for the whole truth, but for what was written after it', () => {
    const { opened } = shelf();
    opened.put(at('5'));
    opened.echo(pod('q', { metadata: { resourceVersion: '12' } }));
    opened.replace([pod('r', { metadata: { resourceVersion: '9' } })], '10');
    expect([...opened.list()].map(({ metadata }) => metadata.name)).toEqual(['q', 'r']);
  });

  it('counts what was deleted as leaving, until the watch says that it is gone', () => {
    const { opened } = shelf();
    opened.put(at('5'));
    opened.markLeaving('team/p', 'uid-p', '2030-01-01T00:00:00Z');
    expect(opened.find('team/p')?.metadata.deletionTimestamp).toBeDefined();
    opened.markLeaving('team/p', 'another', '2030-01-01T00:00:00Z');
    opened.drop(at('8'));
    expect([...opened.list('team')]).toEqual([]);
  });

  it('finds what an owner has, and what has none', () => {
    const { opened } = shelf();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x' }];
    opened.put(pod('owned', { metadata: { ownerReferences } }));
    opened.put(pod('free'));
    expect([...opened.ownedBy('x')].map(({ metadata }) => metadata.name)).toEqual(['owned']);
    expect([...opened.ownedBy('')].map(({ metadata }) => metadata.name)).toEqual(['free']);
  });
});

describe('a queue', () => {
  function queueOf(outcomes: readonly Outcome[]) {
    const runs: string[] = [];
    const failures: string[] = [];
    const queue = openQueue({
      workers: 4,
      run: async (key) => {
        runs.push(key);
        await Promise.resolve();
        return outcomes[runs.length - 1] ?? done;
      },
      onFailure: (_, why, times) => failures.push(`${why} ${times}`),
    });
    return { queue, runs, failures };
  }

  it('runs a key once for all who add it before', async () => {
    const { queue, runs } = queueOf([]);
    for (const key of ['a', 'a', 'b']) queue.add(key);
    expect(runs).toEqual([]);
    queue.start();
    await until(() => runs.length === 2);
    queue.close();
    expect(runs).toEqual(['a', 'b']);
  });

  it('runs a key again that is added while it runs, and never twice at a time', async () => {
    let [atOnce, most] = [0, 0];
    const runs: string[] = [];
    const gate = Promise.withResolvers<void>();
    const queue = openQueue({
      workers: 4,
      onFailure: () => {},
      run: async (key) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        runs.push(key);
        await gate.promise;
        atOnce -= 1;
        return done;
      },
    });
    queue.start();
    queue.add('a');
    queue.add('a');
    gate.resolve();
    await until(() => runs.length === 2);
    queue.close();
    expect(most).toBe(1);
  });

  it('comes back to what failed and to what was too early', async () => {
    const { queue, runs, failures } = queueOf([retry('no'), retry('no'), later(0.001), done]);
    queue.start();
    queue.add('a');
    await until(() => runs.length === 4);
    queue.close();
    expect(failures).toEqual(['no 1', 'no 2']);
  });

  it('takes what is thrown for a failure', async () => {
    const failures: string[] = [];
    const run = () => Promise.reject(new Error('broken'));
    const queue = openQueue({ workers: 1, run, onFailure: (_, why) => failures.push(why) });
    queue.start();
    queue.add('a');
    await until(() => failures.length > 0);
    queue.close();
    expect(failures[0]).toBe('broken');
  });
});

describe('mergePatchOf', () => {
  it.each<[string, object | undefined, object, object | undefined]>([
    ['nothing for what is the same', { a: 1, b: [1] }, { b: [1] }, undefined],
    [
      'what has changed, as deep as it lies',
      { a: { b: 1, c: 2 } },
      { a: { b: 1, c: 3 } },
      { a: { c: 3 } },
    ],
    ['a list as a whole', { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ['what is taken away', { a: 1 }, { a: undefined }, { a: null }],
    [
      'not what the server leaves out when it is nothing',
      { a: 1 },
      { a: 1, b: 0, c: [] },
      undefined,
    ],
    ['all of it the first time', undefined, { a: 0 }, { a: 0 }],
    ['what has become nothing', { a: 3 }, { a: 0 }, { a: 0 }],
  ])('has %s', (_, before, after, expected) => {
    expect(mergePatchOf(before, after)).toEqual(expected);
  });
});

describe('templateHash', () => {
  it('is the same for the same template, whatever the order of its keys', () => {
    const { metadata, spec } = templateOf('app:1');
    expect(templateHash({ spec, metadata })).toBe(templateHash({ metadata, spec }));
    expect(templateHash(templateOf('app:1'))).not.toBe(templateHash(templateOf('app:2')));
    expect(templateHash(templateOf('app:1'), 1)).not.toBe(templateHash(templateOf('app:1')));
  });
});
