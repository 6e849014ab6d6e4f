import { describe, expect, it } from 'vitest';
import { concerns } from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import { restingBy } from '#shared/domain/pod-bootstrap/housekeeping/pass.ts';
import {
  isResting,
  type OwnersPods,
  planOwner,
} from '#shared/domain/pod-bootstrap/housekeeping/plan-owner.ts';
import { breakerPauseMs, campaign, good, hashes, seen } from './samples.ts';

const rest = { kind: 'rest' };
const three = ['p1', 'p2', 'p3'];
const intend = (uid: string, more: object = {}) => ({
  kind: 'intend',
  pod: { uid },
  campaign: { intent: { uid, name: uid }, state: 'open', ...more },
});
const evict = (uid: string) => ({ kind: 'evict', pod: { uid } });

describe('planOwner', () => {
  it.each<[string, Partial<OwnersPods> & Pick<OwnersPods, 'pods' | 'campaign'>, object]>([
    ['has nothing to do with good pods', { pods: [good('p1')], campaign: undefined }, rest],
    [
      'opens with its first pod, and knows all that are there',
      { pods: [seen('p2'), seen('p1'), good('p3')], campaign: undefined },
      intend('p1', { known: ['p2', 'p1', 'p3'], count: 1, reason: 'missed', ...hashes }),
    ],
    [
      'opens again after one that is closed',
      { pods: [seen('p2')], campaign: campaign({ state: 'closed' }) },
      intend('p2', { count: 1 }),
    ],
    [
      'waits until the first is old enough',
      {
        pods: [
          seen('p1', { excuse: 'young', youngForMs: 9_000 }),
          seen('p2', { excuse: 'young', youngForMs: 5_000 }),
        ],
        campaign: undefined,
      },
      { kind: 'wait', ms: 5_000 },
    ],
    [
      'leaves pods with an excuse alone',
      { pods: [seen('p1', { excuse: 'opted-out' })], campaign: undefined },
      rest,
    ],
    [
      'evicts the same uid again until it is gone',
      { pods: [seen('p1'), seen('p2')], campaign: campaign() },
      evict('p1'),
    ],
    [
      'waits for its turn',
      { pods: [seen('p1'), seen('p2')], campaign: campaign({ turnInMs: 700 }) },
      { kind: 'wait', ms: 700 },
    ],
    [
      'waits while the pod ends',
      { pods: [seen('p1', { isTerminating: true }), seen('p2')], campaign: campaign() },
      rest,
    ],
    ['waits for a replacement', { pods: [seen('p2')], campaign: campaign() }, rest],
    [
      'waits until the replacement is ready',
      { pods: [seen('p2'), good('n1', false)], campaign: campaign() },
      rest,
    ],
    [
      'goes on to the next when the replacement is ready',
      { pods: [seen('p2'), good('n1')], campaign: campaign() },
      intend('p2', { known: ['p1', 'p2'], count: 2 }),
    ],
    [
      'waits for the replacement though one that was added is ready',
      {
        pods: [seen('p2'), seen('p3'), good('n1', false), good('s')],
        campaign: campaign({ known: three }),
      },
      rest,
    ],
    [
      'waits for the replacement though the one of a pod that was drained is ready',
      {
        pods: [seen('p3'), good('n1', false), good('n2')],
        campaign: campaign({ known: three }),
        desired: 3,
      },
      rest,
    ],
    [
      'waits for both after a change of what pods are to have',
      {
        pods: [seen('p3'), good('n1', false), good('n2')],
        campaign: campaign({ known: three }),
        hashes: { ...hashes, bundleHash: 'b2' },
      },
      rest,
    ],
    [
      'trips on one that came back as it was while another is not ready',
      { pods: [good('n1', false), seen('n2')], campaign: campaign({ known: three }) },
      { kind: 'trip', pod: { uid: 'n2' } },
    ],
    [
      'waits for none that has come since and has finished',
      {
        pods: [
          seen('p2'),
          seen('n1', { reason: undefined, isReady: false, phase: 'Failed' }),
          good('n2'),
        ],
        campaign: campaign(),
      },
      intend('p2', { count: 2 }),
    ],
    [
      'waits for none that has come since and goes',
      {
        pods: [
          seen('p2'),
          seen('n1', { reason: undefined, isReady: false, isTerminating: true }),
          good('n2'),
        ],
        campaign: campaign(),
      },
      intend('p2', { count: 2 }),
    ],
    [
      'waits for no replacement that its owner does not want any more',
      { pods: [seen('p2'), good('p3')], campaign: campaign({ known: three }), desired: 2 },
      intend('p2', { count: 2 }),
    ],
    [
      'waits while one of those that are wanted is not ready',
      { pods: [seen('p2'), good('p3', false)], campaign: campaign({ known: three }), desired: 2 },
      rest,
    ],
    [
      'waits for what the owner still wants',
      { pods: [seen('p2'), good('p3')], campaign: campaign({ known: three }), desired: 3 },
      rest,
    ],
    [
      'wants as many replacements as pods have gone',
      { pods: [good('n1')], campaign: campaign({ intent: { uid: 'p2', name: 'p2' }, count: 2 }) },
      rest,
    ],
    [
      'closes when all were replaced by modified ones',
      {
        pods: [good('n1'), good('n2')],
        campaign: campaign({ intent: { uid: 'p2', name: 'p2' }, count: 2 }),
      },
      { kind: 'close' },
    ],
    [
      'waits while there is no pod, and nobody has asked why',
      { pods: [], campaign: campaign() },
      rest,
    ],
    [
      'waits while there is no pod, and one is wanted',
      { pods: [], campaign: campaign({ sinceMs: breakerPauseMs }), desired: 1 },
      rest,
    ],
    [
      'closes when no pod is wanted any more',
      { pods: [], campaign: campaign(), desired: 0 },
      { kind: 'close' },
    ],
    [
      'closes when its owner is gone',
      { pods: [], campaign: campaign(), desired: 'gone' },
      { kind: 'close' },
    ],
    [
      'closes when its owner is gone, and has left its pods',
      { pods: [seen('p2'), seen('n1')], campaign: campaign(), desired: 'gone' },
      { kind: 'close' },
    ],
    [
      'forgets a trip of an owner that is gone',
      {
        pods: [seen('n1', { excuse: 'orphan' })],
        campaign: campaign({ state: 'tripped' }),
        desired: 'gone',
      },
      { kind: 'close' },
    ],
    [
      'waits while there is no pod, and who would know cannot be asked',
      { pods: [], campaign: campaign({ sinceMs: breakerPauseMs - 1 }), desired: 'unknown' },
      rest,
    ],
    [
      'closes when that has been so for long',
      { pods: [], campaign: campaign({ sinceMs: breakerPauseMs }), desired: 'unknown' },
      { kind: 'close' },
    ],
    [
      'closes when its pod need not go any more',
      { pods: [good('p1'), good('p2')], campaign: campaign() },
      { kind: 'close' },
    ],
    [
      'closes when its pod has opted out meanwhile',
      { pods: [seen('p1', { excuse: 'opted-out' })], campaign: campaign() },
      { kind: 'close' },
    ],
    [
      'trips when the replacement came back as it was',
      { pods: [seen('p2'), seen('n1')], campaign: campaign() },
      { kind: 'trip', pod: { uid: 'n1' } },
    ],
    [
      'waits before it trips on one whose maker may have known more',
      { pods: [seen('p2'), seen('n1', { unsureForMs: 900 })], campaign: campaign() },
      { kind: 'wait', ms: 900, until: 'sure' },
    ],
    [
      'trips on another at once that is for certain',
      {
        pods: [seen('n1', { unsureForMs: 900 }), seen('n2', { unsureForMs: -9 })],
        campaign: campaign(),
      },
      { kind: 'trip', pod: { uid: 'n2' } },
    ],
    [
      'trips on one that is not ready yet, and young',
      { pods: [seen('n1', { isReady: false, excuse: 'young' })], campaign: campaign() },
      { kind: 'trip', pod: { uid: 'n1' } },
    ],
    [
      'evicts none but those that were there when it opened',
      { pods: [good('n1'), good('n2'), seen('p3')], campaign: campaign({ known: ['p1', 'p2'] }) },
      { kind: 'trip', pod: { uid: 'p3' } },
    ],
    [
      'trips on none that only states no hash',
      { pods: [seen('n1', { reason: 'staleBundle', isEvident: false })], campaign: campaign() },
      { kind: 'close' },
    ],
    [
      'begins nothing again for one that has come since, and only states no hash',
      {
        pods: [seen('n1', { isEvident: false }), seen('p2', { isEvident: false })],
        campaign: campaign({ state: 'closed' }),
      },
      intend('p2', { count: 1 }),
    ],
    [
      'closes for another bundle before it evicts for the old one',
      { pods: [seen('p1')], campaign: campaign(), hashes: { ...hashes, bundleHash: 'b2' } },
      { kind: 'close' },
    ],
    [
      'never takes what another bundle has left old for a trip',
      { pods: [seen('n1')], campaign: campaign(), hashes: { ...hashes, bundleHash: 'b2' } },
      { kind: 'close' },
    ],
    [
      'still waits for the replacement of what has gone for an older bundle',
      { pods: [seen('p2')], campaign: campaign(), hashes: { ...hashes, bundleHash: 'b2' } },
      rest,
    ],
    [
      'begins nothing again for the cause that has tripped',
      { pods: [seen('n1'), seen('p2')], campaign: campaign({ state: 'tripped' }) },
      rest,
    ],
    [
      'begins anew after a trip for another template',
      { pods: [seen('n1', { template: 'new' })], campaign: campaign({ state: 'tripped' }) },
      intend('n1', { template: 'new' }),
    ],
    [
      'begins once more for the same cause when the pause is over',
      {
        pods: [seen('n1')],
        campaign: campaign({ state: 'tripped', sinceMs: breakerPauseMs }),
      },
      intend('n1', { tries: 2 }),
    ],
    [
      'begins no third time',
      {
        pods: [seen('n1')],
        campaign: campaign({ state: 'tripped', sinceMs: breakerPauseMs, tries: 2 }),
      },
      rest,
    ],
    [
      'counts anew for another template',
      {
        pods: [seen('n1', { template: 'new' })],
        campaign: campaign({ state: 'tripped', tries: 2 }),
      },
      intend('n1', { tries: 1 }),
    ],
    [
      'remembers a trip while there is no pod',
      { pods: [], campaign: campaign({ state: 'tripped' }), desired: 1 },
      rest,
    ],
    [
      'forgets a trip when all is good',
      { pods: [good('n1')], campaign: campaign({ state: 'tripped' }) },
      { kind: 'close' },
    ],
  ])('%s', (_, owned, expected) => {
    expect(planOwner({ hashes, breakerPauseMs, ...owned })).toMatchObject(expected);
  });
});

it('is told of as late where a replacement does not get ready for long, whoever else is', () => {
  const pods = [seen('p2'), good('n1', false), good('s')];
  const waiting = campaign({ sinceMs: 600_000 });
  const step = planOwner({ pods, campaign: waiting, hashes, breakerPauseMs });
  if (!isResting(step)) throw new Error('it goes on');
  expect(restingBy(step, waiting, [])).toMatchObject({ by: 'replacement-late' });
});

const pods = [seen('p1'), seen('p2')];

describe('a step that many pods lead to', () => {
  it.each<[string, string | undefined, string]>([
    ['is left to the first in line', 'p2', 'rest'],
    ['is taken by the first', 'p1', 'intend'],
    ['is taken where the one that leads there is gone', 'p0', 'intend'],
    ['is taken when time has led there', undefined, 'intend'],
  ])('%s', (_, by, expected) => {
    const owned = { pods, campaign: undefined, hashes, breakerPauseMs, by };
    expect(planOwner(owned).kind).toBe(expected);
  });
});

describe('who asks again', () => {
  it('begins for itself where nobody else would come', () => {
    const owned = { pods, campaign: undefined, hashes, breakerPauseMs };
    expect(planOwner({ ...owned, by: 'p2', isFree: true })).toMatchObject(intend('p2'));
    expect(planOwner({ ...owned, by: 'n1', isFree: true })).toMatchObject(intend('p1'));
  });

  it.each<[string, Parameters<typeof concerns>[0], boolean]>([
    ['the pod whose turn it is', seen('p1'), true],
    ['a pod that has come since', good('n1'), true],
    ['a pod that lacks nothing, and may have begun it for another', good('p2'), true],
    [
      'a pod that may not go, and may have begun it as well',
      seen('p2', { excuse: 'opted-out' }),
      true,
    ],
    ['no pod that waits for its turn', seen('p2'), false],
  ])('of a campaign is %s', (_, changed, expected) => {
    expect(concerns(changed, campaign())).toBe(expected);
  });
});
