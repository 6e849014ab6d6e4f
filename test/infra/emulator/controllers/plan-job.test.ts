import { describe, expect, it } from 'vitest';
import { countPods, tracking } from '#infra/emulator/controllers/jobs/count-pods.ts';
import {
  freeIndexes,
  indexesText,
  indexKey,
  parseIndexes,
} from '#infra/emulator/controllers/jobs/indexes.ts';
import { planJob } from '#infra/emulator/controllers/jobs/plan-job.ts';
import { surplusPods } from '#infra/emulator/controllers/jobs/surplus.ts';
import type { Job, JobSpec, JobStatus } from '#infra/emulator/controllers/shapes/batch.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { ended, metaOf, now, pod, ready, unready } from './making.ts';

const startTime = '2030-01-01T00:09:00Z';

function job(spec: Partial<JobSpec> = {}, status: JobStatus = { startTime }): Job {
  const template = { spec: { containers: [] } };
  const whole = {
    selector: {},
    completions: 3,
    parallelism: 2,
    backoffLimit: 1,
    template,
    ...spec,
  };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: metaOf('work'), spec: whole, status };
}

const held = { finalizers: [tracking] };
const runs = (name: string) => pod(name, { metadata: held, status: ready });
const done = (name: string) => pod(name, { metadata: held, status: ended('Succeeded') });
const broke = (name: string, code = 1) =>
  pod(name, { metadata: held, status: ended('Failed', code) });

const restarted = (restartCount: number): Pod => {
  const state = { running: { startedAt: startTime } };
  const status = { name: 'app', image: 'a', imageID: '', ready: true, restartCount, state };
  const spec = { restartPolicy: 'OnFailure' as const };
  return pod('a', { metadata: held, spec, status: { ...ready, containerStatuses: [status] } });
};

function planned(of: Job, pods: readonly Pod[], lastFailureMs?: number) {
  const count = countPods(of, pods);
  const { status, missing, remove } = planJob(of, {
    ...{ count, now, backoffMs: 100, lastFailureMs },
    failedAt: () => now.getTime(),
  });
  return {
    missing,
    removed: remove.length,
    ...status,
    said: status.conditions?.filter((each) => each.status === 'True').map(({ type }) => type) ?? [],
  };
}

describe('planJob', () => {
  it.each<[string, Job, Pod[], object]>([
    ['begins as many as may run at a time', job(), [], { missing: 2 }],
    [
      'begins no more than are left to do',
      job({}, { startTime, succeeded: 2 }),
      [],
      { missing: 1 },
    ],
    ['waits while enough run', job(), [runs('a'), runs('b')], { missing: 0, active: 2, ready: 2 }],
    [
      'counts what has ended only when its finalizer is gone',
      job(),
      [done('a')],
      { missing: 2, succeeded: 0, uncountedTerminatedPods: { succeeded: ['uid-a'], failed: [] } },
    ],
    [
      'says that it has succeeded before it is over',
      job({}, { startTime, succeeded: 3 }),
      [],
      { said: ['SuccessCriteriaMet'] },
    ],
    [
      'fails beyond its limit, and ends what still runs',
      job({}, { startTime, failed: 2 }),
      [runs('a')],
      { said: ['FailureTarget'], removed: 1, missing: 0 },
    ],
    [
      'fails when containers have been restarted as often as pods may fail',
      job({ backoffLimit: 2 }),
      [restarted(2)],
      { said: ['FailureTarget'] },
    ],
    [
      'goes on while they have been restarted less often',
      job({ backoffLimit: 2 }),
      [restarted(1)],
      { said: [] },
    ],
    [
      'fails when its time is over',
      job({ activeDeadlineSeconds: 60 }),
      [runs('a')],
      { said: ['FailureTarget'], removed: 1 },
    ],
    [
      'runs nothing while it is suspended',
      job({ suspend: true }),
      [runs('a')],
      { said: ['Suspended'], removed: 1, missing: 0 },
    ],
    [
      'counts no time against a job that is suspended',
      job({ suspend: true, activeDeadlineSeconds: 1 }),
      [],
      { said: ['Suspended'] },
    ],
    [
      'ends those that are too many',
      job({ parallelism: 1 }),
      [runs('a'), runs('b')],
      { removed: 1 },
    ],
  ])('%s', (_, of, pods, expected) => {
    expect(planned(of, pods)).toMatchObject(expected);
  });

  it('moves what was uncounted into the number once no pod is held by the finalizer', () => {
    const status = {
      startTime,
      succeeded: 1,
      uncountedTerminatedPods: { succeeded: ['uid-a'], failed: ['uid-b'] },
    };
    expect(planned(job({}, status), [])).toMatchObject({ succeeded: 2, failed: 1 });
  });

  it('counts nobody twice whom the finalizer still holds', () => {
    const uncountedTerminatedPods = { succeeded: ['uid-a'], failed: [] };
    const status = { startTime, succeeded: 1, uncountedTerminatedPods };
    expect(planned(job({}, status), [done('a')])).toMatchObject({
      succeeded: 1,
      uncountedTerminatedPods,
      missing: 1,
    });
  });

  it('is complete when that was said and nothing is left to count', () => {
    const conditions = [{ type: 'SuccessCriteriaMet', status: 'True' as const }];
    const { said, completionTime } = planned(job({}, { startTime, succeeded: 3, conditions }), []);
    expect(said).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(completionTime).toBe('2030-01-01T00:10:00Z');
  });

  it('waits longer after each failure', () => {
    const failed = (times: number) => job({ backoffLimit: 9 }, { startTime, failed: times });
    const at = now.getTime() - 150;
    expect(planned(failed(1), [], at).missing).toBe(2);
    expect(planned(failed(2), [], at).missing).toBe(0);
  });

  const rules = [
    { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
    { action: 'Ignore', onExitCodes: { operator: 'In', values: [7] } },
  ] as const;

  it.each([
    [
      42,
      {
        said: ['FailureTarget'],
        conditions: [
          {
            reason: 'PodFailurePolicy',
            message:
              'Container app for pod team/a failed with exit code 42 matching FailJob rule at index 0',
          },
        ],
      },
    ],
    [7, { said: [], uncountedTerminatedPods: { failed: [] } }],
    [1, { said: [], uncountedTerminatedPods: { failed: ['uid-a'] } }],
  ])('asks the policy what exit code %i means', (code, expected) => {
    const of = job({ podFailurePolicy: { rules } });
    expect(planned(of, [broke('a', code)])).toMatchObject(expected);
  });

  it('counts an index once, however often it was done', () => {
    const at = (name: string, index: string) =>
      pod(name, {
        metadata: { ...held, annotations: { 'batch.kubernetes.io/job-completion-index': index } },
        status: ended('Succeeded'),
      });
    const of = job({ completionMode: 'Indexed' }, { startTime, completedIndexes: '0' });
    expect(planned(of, [at('a', '0'), at('b', '2')])).toMatchObject({
      completedIndexes: '0,2',
      succeeded: 2,
    });
  });
});

describe('indexes', () => {
  it.each([
    [[0, 1, 2, 5], '0-2,5'],
    [[4, 3], '3,4'],
    [[], ''],
  ])('%j are written as "%s"', (indexes, text) => {
    expect(indexesText(indexes)).toBe(text);
    expect([...parseIndexes(text)]).toEqual(indexes.toSorted());
  });

  it('are taken from the lowest free one', () => {
    expect(freeIndexes(2, { completions: 5, taken: new Set([0, 2]) })).toEqual([1, 3]);
  });
});

describe('surplusPods', () => {
  const at = (name: string, index: number, status = unready) =>
    pod(name, { metadata: { annotations: { [indexKey]: String(index) } }, status });

  it.each<[string, Partial<JobSpec>, Pod[], number, string[]]>([
    ['are those that are missed least', {}, [at('a', 0, ready), at('b', 0)], 1, ['b']],
    ['are none where all are wanted', {}, [at('a', 0), at('b', 0)], 2, []],
    [
      'are all but the best where one would do',
      { completionMode: 'Indexed' },
      [at('a', 0), at('b', 0, ready), at('c', 1)],
      3,
      ['a'],
    ],
    [
      'are those of parts that are none',
      { completionMode: 'Indexed', completions: 2 },
      [at('a', 2, ready), at('b', 0), at('c', 1)],
      2,
      ['a'],
    ],
  ])('%s', (_, spec, active, wanted, names) => {
    const surplus = surplusPods(job(spec), active, wanted);
    expect(surplus.map(({ metadata }) => metadata.name)).toEqual(names);
  });
});
