import { describe, expect, it } from 'vitest';
import { referenceTo } from '#infra/emulator/controllers/cron-jobs/active-jobs.ts';
import { missedDue, nextDue, zonedText } from '#infra/emulator/controllers/cron-jobs/due-times.ts';
import { jobName, planCron } from '#infra/emulator/controllers/cron-jobs/plan-cron.ts';
import { parseSchedule, type Schedule } from '#infra/emulator/controllers/cron-jobs/schedule.ts';
import type { CronJob, Job } from '#infra/emulator/controllers/shapes/batch.ts';
import { metaOf, now } from './making.ts';

function scheduleOf(text: string): Schedule {
  const schedule = parseSchedule(text);
  if (schedule === undefined) throw new Error(`${text} is no schedule`);
  return schedule;
}

describe('parseSchedule', () => {
  it.each([
    ['* * * * *', '2030-01-01T00:00:30Z', '2030-01-01T00:01:00Z'],
    ['*/15 * * * *', '2030-01-01T00:00:00Z', '2030-01-01T00:15:00Z'],
    ['5/20 * * * *', '2030-01-01T00:26:00Z', '2030-01-01T00:45:00Z'],
    ['30 4 1,15 * *', '2030-01-02T00:00:00Z', '2030-01-15T04:30:00Z'],
    ['0 9 * * mon-fri', '2030-01-04T10:00:00Z', '2030-01-07T09:00:00Z'],
    ['0 0 29 feb *', '2030-01-01T00:00:00Z', '2032-02-29T00:00:00Z'],
    ['0 0 13 * fri', '2030-01-01T00:00:00Z', '2030-01-04T00:00:00Z'],
    ['@hourly', '2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z'],
    ['@weekly', '2030-01-01T00:00:00Z', '2030-01-06T00:00:00Z'],
    ['@every 90s', '2030-01-01T00:00:00Z', '2030-01-01T00:01:30Z'],
    ['@every 1h0m5.7s', '2030-01-01T00:00:00.600Z', '2030-01-01T01:00:05Z'],
    ['@every 10ms', '2030-01-01T00:00:00Z', '2030-01-01T00:00:01Z'],
  ])('%s after %s is due at %s', (text, since, due) => {
    const at = nextDue({ schedule: scheduleOf(text), timeZone: 'UTC' }, Date.parse(since));
    expect(at).toBe(Date.parse(due));
  });

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '5-1 * * * *',
    'x * * * *',
    '*/0 * * * *',
    '@every often',
  ])('refuses "%s"', (text) => {
    expect(parseSchedule(text)).toBeUndefined();
  });

  it('keeps the clock of the place that is named', () => {
    const clockwork = { schedule: scheduleOf('0 9 * * *'), timeZone: 'Asia/Kolkata' };
    expect(nextDue(clockwork, Date.parse('2030-01-01T00:00:00Z'))).toBe(
      Date.parse('2030-01-01T03:30:00Z'),
    );
  });

  it('says that a day that never comes is never due', () => {
    const clockwork = { schedule: scheduleOf('0 0 30 2 *'), timeZone: 'UTC' };
    expect(nextDue(clockwork, now.getTime())).toBeUndefined();
  });

  it('counts what was missed with a bound, whoever slept for years', () => {
    const clockwork = { schedule: scheduleOf('* * * * *'), timeZone: 'UTC' };
    const until = now.getTime() + 30_000;
    expect(missedDue(clockwork, { since: 0, until })).toEqual({ count: 101, last: now.getTime() });
  });

  it.each([
    ['30 4 * * mon', '2029-12-31T04:30:00Z'],
    ['*/7 9-16 * * *', '2029-12-31T16:56:00Z'],
    ['@every 70m', '2029-12-31T23:30:00Z'],
  ])('knows when %s was due last, whoever slept for years', (line, last) => {
    const clockwork = { schedule: scheduleOf(line), timeZone: 'UTC' };
    const missed = missedDue(clockwork, {
      since: Date.parse('2020-01-01T00:00:00Z'),
      until: Date.parse('2030-01-01T00:00:00Z'),
    });
    expect(missed).toEqual({ count: 101, last: Date.parse(last) });
  });
});

function cron(spec: Partial<CronJob['spec']> = {}, begun: readonly Job[] = []): CronJob {
  const template = { spec: { containers: [] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metaOf('tick', { creationTimestamp: '2030-01-01T00:08:30Z' }),
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec },
    status: { active: begun.map(referenceTo) },
  };
}

function job(name: string, end?: 'Complete' | 'Failed', startTime = '2030-01-01T00:05:00Z'): Job {
  const conditions = end === undefined ? [] : [{ type: end, status: 'True' as const }];
  const template = { spec: { containers: [] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metaOf(name),
    spec: { selector: {}, template },
    status: { startTime, conditions },
  };
}

describe('zonedText', () => {
  it.each([
    ['UTC', '2030-07-01T00:30:00Z'],
    ['Africa/Abidjan', '2030-07-01T00:30:00Z'],
    ['Europe/Berlin', '2030-07-01T02:30:00+02:00'],
    ['Asia/Kolkata', '2030-07-01T06:00:00+05:30'],
    ['America/Sao_Paulo', '2030-06-30T21:30:00-03:00'],
  ])('says the time of %s', (timeZone, text) => {
    expect(zonedText(Date.parse('2030-07-01T00:30:00Z'), timeZone)).toBe(text);
  });
});

describe('planCron', () => {
  const at = now.getTime();

  it('starts the last of the times that were missed, under a name that is the same each time', () => {
    const { startFor = 0, waitMs } = planCron(cron(), { jobs: [], now: at });
    expect([startFor, waitMs]).toEqual([at, 60_000]);
    expect(jobName(cron(), startFor)).toBe(jobName(cron(), startFor + 30_000));
  });

  it('starts none again that goes on, and does not tell that it waits for it', () => {
    const same = job(jobName(cron(), at));
    const waiting = cron({ concurrencyPolicy: 'Forbid' }, [same]);
    const { startFor, said } = planCron(waiting, { jobs: [same], now: at });
    expect([startFor, said]).toEqual([undefined, []]);
  });

  it.each<[string, Partial<CronJob['spec']>, Job[], boolean]>([
    ['starts beside one that runs', { concurrencyPolicy: 'Allow' }, [job('a')], true],
    ['waits for one that runs, where it must', { concurrencyPolicy: 'Forbid' }, [job('a')], false],
    ['does not wait for one of somebody else', { concurrencyPolicy: 'Forbid' }, [job('b')], true],
    [
      'does not wait for one that has ended',
      { concurrencyPolicy: 'Forbid' },
      [job('a', 'Failed')],
      true,
    ],
    ['starts nothing while it is suspended', { suspend: true }, [], false],
    ['starts nothing on a line that nobody can read', { schedule: 'x' }, [], false],
  ])('%s', (_, spec, jobs, starts) => {
    const { startFor } = planCron(cron(spec, [job('a')]), { jobs, now: at });
    expect(startFor !== undefined).toBe(starts);
  });

  it('starts the last one alone where very many were missed, and tells of it', () => {
    const metadata = metaOf('tick', { creationTimestamp: '2029-01-01T00:00:00Z' });
    const { startFor, said } = planCron({ ...cron(), metadata }, { jobs: [], now: at });
    expect(startFor).toBe(at);
    expect(said.map(({ reason }) => reason)).toEqual(['TooManyMissedTimes']);
    expect(planCron(cron(), { jobs: [], now: at }).said).toEqual([]);
  });

  it('does not start too late', () => {
    const late = cron({ schedule: '9 * * * *', startingDeadlineSeconds: 30 });
    expect(planCron(late, { jobs: [], now: at }).startFor).toBeUndefined();
  });

  it('replaces the one that runs, where it is told to', () => {
    const replacing = cron({ concurrencyPolicy: 'Replace' }, [job('a')]);
    const { remove, status } = planCron(replacing, { jobs: [job('a'), job('b')], now: at });
    expect(remove.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(status.active).toEqual([]);
  });

  it.each<[string, Job[], string[], string[]]>([
    ['has ended', [job('a', 'Complete')], [], ['Saw completed job: a, condition: Complete']],
    ['has failed', [job('a', 'Failed')], [], ['Saw completed job: a, condition: Failed']],
    ['is gone', [], [], ['Active job went missing: a']],
    ['goes on', [job('a')], ['a'], []],
    [
      'goes on beside one of somebody else',
      [job('a'), job('b'), job('c', 'Complete')],
      ['a'],
      ['Saw a job that the controller did not create or forgot: b'],
    ],
  ])('tells of its job what it did not know, once: one that %s', (_, jobs, active, notes) => {
    const tick = cron({ suspend: true }, [job('a')]);
    const { status, said } = planCron(tick, { jobs, now: at });
    expect(status.active?.map(({ name }) => name)).toEqual(active);
    expect(said.map(({ note }) => note)).toEqual(notes);
    const again = planCron({ ...tick, status }, { jobs, now: at }).said;
    expect(again.filter(({ reason }) => reason !== 'UnexpectedJob')).toEqual([]);
  });

  it('keeps as many finished jobs as it is told, the newest', () => {
    const jobs = [
      job('old', 'Complete', '2030-01-01T00:01:00Z'),
      job('new', 'Complete', '2030-01-01T00:02:00Z'),
      job('failed', 'Failed'),
    ];
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 };
    const { remove } = planCron(cron({ ...limits, suspend: true }), { jobs, now: at });
    expect(remove.map(({ metadata }) => metadata.name)).toEqual(['old', 'failed']);
  });
});
