import { describe, expect, it } from 'vitest';
import type { Policy } from '#shared/domain/certificates/policy.ts';
import {
  type Facts,
  type Ours,
  planRotation,
  type Step,
  type Stored,
} from '#shared/domain/certificates/rotation.ts';

const day = 86_400_000;
const start = new Date('2030-01-01T00:00:00Z');
const at = (ms: number) => new Date(start.getTime() + ms);

const policy: Policy = {
  caLifetimeMs: 365 * day,
  leafLifetimeMs: 90 * day,
  renewCaBeforeMs: 30 * day,
  renewLeafBeforeMs: 30 * day,
  settleMs: 10_000,
  dnsNames: ['a.svc', 'b.svc'],
};
const ca = { notAfter: at(365 * day), canSign: true };
const leaf = {
  serial: 'A1',
  notBefore: start,
  notAfter: at(90 * day),
  dnsNames: ['a.svc', 'b.svc'],
};
const steady: Ours = {
  kind: 'ours',
  ca,
  next: undefined,
  leaf,
  phase: 'steady',
  since: start,
  settling: undefined,
};
const announcing: Ours = { ...steady, phase: 'announcing', next: ca };
const settling: Ours = { ...announcing, settling: { since: start, version: 'v1' } };
const switching: Ours = { ...steady, phase: 'switching' };
const introducing: Ours = { ...steady, phase: 'introducing' };
const retiring: Ours = { ...steady, phase: 'retiring' };

const quiet: Facts = {
  bundles: { lacking: [], version: 'v1' },
  replicas: [{ name: 'r1', serial: 'A1' }],
};
const lacking: Facts = { ...quiet, bundles: { lacking: ['gatehouse/pods'], version: 'v1' } };
const behind: Facts = { ...quiet, replicas: [...quiet.replicas, { name: 'r2', serial: 'old' }] };
const nobody: Facts = { ...quiet, replicas: [] };
const moved: Facts = { ...quiet, bundles: { lacking: [], version: 'v2' } };

type Row = [title: string, stored: Stored, facts: Facts, now: Date, expected: Partial<Step>];

describe('planRotation', () => {
  it.each<Row>([
    ['makes the first CA and leaf', { kind: 'nothing' }, nobody, start, { kind: 'found' }],
    ['leaves a Secret of somebody else', { kind: 'foreign' }, quiet, start, { kind: 'stuck' }],
    ['rests while nothing is due', steady, quiet, at(day), { kind: 'rest' }],
  ])('%s', check);

  it.each<Row>(
    [
      [
        'on the very instant',
        steady,
        at(60 * day),
        { kind: 'renew', dnsNames: ['a.svc', 'b.svc'] },
      ],
      ['not a moment earlier', steady, at(60 * day - 1), { kind: 'rest' }],
      ['when it cannot be served', { ...steady, leaf: undefined }, start, { kind: 'renew' }],
      [
        'when it has expired',
        { ...steady, leaf: { ...leaf, notAfter: start } },
        start,
        { kind: 'renew' },
      ],
      [
        'when a name is missing, and keeps those that it has',
        { ...steady, leaf: { ...leaf, dnsNames: ['a.svc', 'old.svc'] } },
        start,
        { kind: 'renew', dnsNames: ['a.svc', 'b.svc', 'old.svc'] },
      ],
      [
        'not for a name too many',
        { ...steady, leaf: { ...leaf, dnsNames: ['a.svc', 'b.svc', 'old.svc'] } },
        start,
        { kind: 'rest' },
      ],
      [
        'not when it would end with its CA all the same',
        { ...announcing, leaf: { ...leaf, notAfter: at(360 * day) } },
        at(340 * day),
        { kind: 'settle' },
      ],
      ['while a next CA is announced', announcing, at(61 * day), { kind: 'renew' }],
      ['while replicas switch', switching, at(61 * day), { kind: 'renew' }],
    ].map(([title, stored, now, expected]) => [title, stored, quiet, now, expected] as Row),
  )('renews the leaf %s', check);

  const late = { ...leaf, notAfter: at(365 * day) };
  it.each<Row>([
    ['when it will expire', { ...steady, leaf: late }, quiet, at(335 * day), { kind: 'announce' }],
    [
      'when its key is lost',
      { ...steady, ca: { ...ca, canSign: false } },
      quiet,
      start,
      { kind: 'announce' },
    ],
    [
      'again when it cannot be used',
      { ...announcing, next: undefined },
      quiet,
      start,
      { kind: 'announce' },
    ],
    [
      'again when its key is lost',
      { ...settling, next: { ...ca, canSign: false } },
      quiet,
      at(60_000),
      { kind: 'announce' },
    ],
  ])('announces a next CA %s', check);

  it.each<Row>([
    ['waits for every bundle', announcing, lacking, start, { kind: 'wait' }],
    [
      'starts the settle time when all carry it',
      announcing,
      quiet,
      start,
      { kind: 'settle', settling: { since: start, version: 'v1' } },
    ],
    ['waits for the settle time', settling, quiet, at(4_000), { kind: 'wait', afterMs: 6_000 }],
    ['waits for all of it', settling, quiet, at(9_999), { kind: 'wait', afterMs: 1 }],
    ['signs when it is over', settling, quiet, at(10_000), { kind: 'sign' }],
    [
      'forgets the settle time when a bundle lost it',
      settling,
      lacking,
      at(10_000),
      { kind: 'settle', settling: undefined },
    ],
    [
      'starts it anew when a bundle was written meanwhile',
      settling,
      moved,
      at(10_000),
      { kind: 'settle', settling: { since: at(10_000), version: 'v2' } },
    ],
    [
      'starts it anew when the clock was set back',
      settling,
      quiet,
      at(-11_000),
      { kind: 'settle', settling: { since: at(-11_000), version: 'v1' } },
    ],
    [
      'waits longer when clocks are a little apart',
      settling,
      quiet,
      at(-1_000),
      { kind: 'wait', afterMs: 11_000 },
    ],
  ])('with a next CA: %s', check);

  it.each<Row>([
    [
      'waits for a replica that serves another leaf',
      switching,
      behind,
      at(1),
      { kind: 'wait', why: 'r2 does not serve the new leaf yet' },
    ],
    ['waits for them after a start from nothing too', introducing, behind, at(1), { kind: 'wait' }],
    ['goes on when all serve it', switching, quiet, at(1), { kind: 'retire' }],
    ['goes on when nobody serves at all', switching, nobody, at(1), { kind: 'retire' }],
    ['waits for the settle time', retiring, quiet, at(9_999), { kind: 'wait', afterMs: 1 }],
    ['drops the CA before when it is over', retiring, quiet, at(10_000), { kind: 'drop' }],
    [
      'goes back when a replica serves the old leaf again',
      retiring,
      behind,
      at(10_000),
      { kind: 'reopen' },
    ],
    [
      'counts the settle time anew when the clock was set back',
      retiring,
      quiet,
      at(-11_000),
      { kind: 'retire' },
    ],
    [
      'counts it anew where nobody wrote down when it began',
      { ...retiring, since: undefined },
      quiet,
      start,
      { kind: 'retire' },
    ],
  ])('with a new leaf: %s', check);

  const dead = { ...ca, notAfter: start };
  it.each<Row>([
    ['an expired CA', { ...steady, ca: dead }, quiet, start, { kind: 'found' }],
    ['an unreadable CA', { ...steady, ca: undefined }, quiet, start, { kind: 'found' }],
    [
      'an expired CA while the next one is on its way',
      { ...announcing, ca: dead },
      lacking,
      start,
      { kind: 'sign' },
    ],
    [
      'an expired CA whose next one is lost as well',
      { ...announcing, ca: dead, next: undefined },
      quiet,
      start,
      { kind: 'found' },
    ],
    [
      'an expired CA while replicas switch',
      { ...switching, ca: dead },
      behind,
      start,
      { kind: 'found' },
    ],
    [
      'no leaf and no key to sign one',
      { ...steady, leaf: undefined, ca: { ...ca, canSign: false } },
      quiet,
      start,
      { kind: 'found' },
    ],
    [
      'no leaf and no key, but a next CA',
      { ...announcing, leaf: undefined, ca: { ...ca, canSign: false } },
      lacking,
      start,
      { kind: 'sign' },
    ],
    [
      'a leaf from the future',
      { ...steady, leaf: { ...leaf, notBefore: at(day) } },
      quiet,
      start,
      { kind: 'stuck' },
    ],
  ])('in an emergency: %s', check);

  function check(_: string, stored: Stored, facts: Facts, now: Date, expected: Partial<Step>) {
    expect(planRotation(stored, facts, { now, policy })).toMatchObject(expected);
  }
});
