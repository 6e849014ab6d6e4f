import { isIPv4 } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressOf, nodePortOf } from '#infra/emulator/cluster/kinds/network/addresses.ts';
import { graceSecondsOf } from '#infra/emulator/cluster/kinds/pods/grace.ts';
import { withPriority } from '#infra/emulator/cluster/kinds/pods/priority.ts';
import { rulesOf } from '#infra/emulator/cluster/kinds/rules-of.ts';
import { canonicalQuantity } from '#infra/emulator/cluster/kinds/words/quantity.ts';
import { scheduleComplaint } from '#infra/emulator/cluster/kinds/workloads/cron-schedule.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { said } from './acting.ts';
import { at } from './corpus.ts';

describe('graceSecondsOf', () => {
  const on = (spec: JsonObject, phase = 'Running'): JsonObject => ({
    spec: { nodeName: 'n', terminationGracePeriodSeconds: 30, ...spec },
    status: { phase },
  });

  it.each<[string, JsonObject, number | undefined, number]>([
    ['takes the time of the pod', on({}), undefined, 30],
    ['takes what is stated', on({}), 5, 5],
    ['takes a stated nought', on({}), 0, 0],
    ['ends a pod without a node at once', on({ nodeName: '' }), 5, 0],
    ['ends a pod that is over at once', on({}, 'Succeeded'), 5, 0],
    ['makes a second of less than nought', on({}), -1, 1],
    [
      'ends at once where nothing is said',
      on({ terminationGracePeriodSeconds: null }),
      undefined,
      0,
    ],
  ])('%s', (_, pod, stated, expected) => {
    expect(graceSecondsOf(pod, stated)).toBe(expected);
  });
});

describe('withPriority', () => {
  const classes: readonly JsonObject[] = [
    { metadata: { name: 'low' }, value: 5, preemptionPolicy: 'Never' },
    { metadata: { name: 'usual' }, value: 9, globalDefault: true },
  ];
  const pod = (spec: JsonObject): JsonObject => ({ metadata: { name: 'p' }, spec });
  const forbidden = (why: string) => [403, `pods "p" is forbidden: ${why}`];

  it('takes the numbers of the class that is named', () => {
    expect(withPriority(pod({ priorityClassName: 'low' }), classes)).toMatchObject({
      spec: { priority: 5, preemptionPolicy: 'Never' },
    });
  });

  it('takes the default class where none is named', () => {
    expect(withPriority(pod({}), classes)).toMatchObject({
      spec: { priority: 9, priorityClassName: 'usual', preemptionPolicy: 'PreemptLowerPriority' },
    });
  });

  it('is nought where there is no default', () => {
    expect(withPriority(pod({}), [])).toMatchObject({ spec: { priority: 0 } });
  });

  it.each([
    [{ priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
    [
      { priorityClassName: 'low', priority: 6 },
      'the integer value of priority (6) must not be provided in pod spec; priority admission controller computed 5 from the given PriorityClass name',
    ],
  ])('refuses %o', (spec, why) => {
    expect(said(withPriority(pod(spec), classes))).toEqual(forbidden(why));
  });
});

describe('addresses of services', () => {
  const named = (name: string, namespace = 'default'): JsonObject => ({
    metadata: { name, namespace },
  });
  const many = Array.from({ length: 1000 }, (_, index) => addressOf(named(`s-${index}`)));

  it('are of the range, and of the name alone', () => {
    expect(
      many.every((address) => isIPv4(address) && /^10\.(9[6-9]|10\d|11[01])\./.test(address)),
    ).toBe(true);
    expect(addressOf(named('a'))).toBe(addressOf(named('a')));
    expect(addressOf(named('a'))).not.toBe(addressOf(named('a', 'other')));
  });

  it('are seldom shared', () => {
    expect(new Set(many).size).toBeGreaterThan(990);
  });

  it('leave the first one to the API server', () => {
    expect(addressOf(named('kubernetes'))).toBe('10.96.0.1');
  });

  it('come with ports of the range for them', () => {
    const port = nodePortOf(named('a'), { port: 80, protocol: 'TCP' });
    expect(port >= 30_000 && port <= 32_767).toBe(true);
  });
});

describe('canonicalQuantity', () => {
  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    [2, '2'],
    ['1024Mi', '1Gi'],
    ['1500Mi', '1500Mi'],
    ['0.5Gi', '512Mi'],
    ['1e3', '1e3'],
    ['1000', '1k'],
    ['1.0001', '1001m'],
    ['-1', '-1'],
    ['0', '0'],
    ['100n', '1m'],
    ['1500M', '1500M'],
    ['no amount', 'no amount'],
  ])('writes %s as %s', (stated, canonical) => {
    expect(canonicalQuantity(stated)).toBe(canonical);
  });
});

describe('scheduleComplaint', () => {
  it.each([
    ['*/5 1-4,7 * jan-mar mon', undefined],
    ['@hourly', undefined],
    ['@often', 'unrecognized descriptor: @often'],
    ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ])('of %s is %s', (schedule, complaint) => {
    expect(scheduleComplaint(schedule)).toBe(complaint);
  });
});

describe('rulesOf', () => {
  const unknown = {
    group: 'example.com',
    resource: 'things',
    kind: 'Thing',
    namespaced: false,
    versions: ['v1'],
    isCustom: false,
  } as const;

  it('checks at least the name of a kind that it does not know', () => {
    const thing = { metadata: { name: 'Bad' } };
    const rules = rulesOf(unknown);
    expect(rules.created(thing, at)).toEqual(thing);
    expect(rules.checked(thing, undefined)).toMatchObject([{ field: 'metadata.name' }]);
  });

  it('gives such a kind its status to write, where it is served', () => {
    const status = { name: 'status', kind: 'Thing', verbs: ['update'] };
    const rules = rulesOf({ ...unknown, resource: 'others', subresources: [status] });
    const taking = rules.subresources['status'];
    const before = { metadata: { name: 'a' }, spec: { a: 1 }, status: {} };
    const sent = { metadata: { name: 'a' }, spec: { a: 2 }, status: { b: 3 } };
    expect(taking?.shape === 'part' && taking.taken(sent, before, at)).toEqual({
      ...before,
      status: { b: 3 },
    });
  });
});
