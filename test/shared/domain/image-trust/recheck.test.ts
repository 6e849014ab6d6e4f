import { describe, expect, it } from 'vitest';
import type { Untrusted } from '#shared/domain/image-trust/judgement.ts';
import { markBody, markChanges } from '#shared/domain/image-trust/marks.ts';
import { foundPod, isOver, nextLook, type Pace, seen } from '#shared/domain/image-trust/recheck.ts';
import { strangersIn } from '#shared/domain/image-trust/running.ts';
import { isStatusWriter } from '#shared/domain/image-trust/status-writer.ts';
import { toldOf } from '#shared/domain/image-trust/told.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { done } from '#shared/domain/outcome.ts';
import { evil, good, trusted } from '#test/support/image-trust/judge-stated.ts';
import { rules } from '#test/support/image-trust/judging.ts';

const status = 'pods.warden.kyma-project.io/validate';
const invalid = 'pods.warden.kyma-project.io/invalid-images';

const podOf = (metadata: JsonObject = {}, rest: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team-a', uid: 'one', ...metadata },
  spec: { containers: [{ name: 'web', image: 'a.io/web:1' }] },
  ...rest,
});

describe('foundPod, isOver', () => {
  it.each<[string, ReturnType<typeof podOf> | undefined, boolean]>([
    ['that runs', podOf({}, { status: { phase: 'Running' } }), true],
    ['that nobody has said anything of yet', podOf(), true],
    ['that is gone', undefined, false],
    ['of another uid', podOf({ uid: 'two' }), false],
    ['that is being deleted', podOf({ deletionTimestamp: '2030-01-01T00:00:00Z' }), false],
    ['that has succeeded', podOf({}, { status: { phase: 'Succeeded' } }), false],
    ['that has failed', podOf({}, { status: { phase: 'Failed' } }), false],
    ['that cannot be read', podOf({}, { spec: 'later version' }), false],
  ])('knows a pod %s', (_, pod, isLiving) => {
    const found = foundPod(pod, 'one');
    expect(found !== undefined && !isOver(found)).toBe(isLiving);
  });
});

describe('nextLook', () => {
  const [minute, hour] = [60_000, 3_600_000];
  const uids = Array.from({ length: 200 }, (_, at) => `0f1e2d3c-${at}-4000-8000-${at * 7}`);
  const born = new Date('2030-01-01T00:00:00Z');
  const next = (uid: string, pace: Pace, { periodMs = hour, ageMs = 0 } = {}) => {
    const found = foundPod(podOf({ uid, creationTimestamp: born.toISOString() }), uid);
    if (found === undefined) throw new Error('no pod');
    return nextLook({ found, pace, periodMs }, new Date(born.getTime() + ageMs));
  };
  const seconds = (...given: Parameters<typeof next>) => {
    const outcome = next(...given);
    return outcome.kind === 'later' ? outcome.afterSeconds : Number.NaN;
  };
  const all = uids.map((uid) => seconds(uid, 'usual'));

  it('spreads pods over a fifth of their period, each at the same share every time', () => {
    expect(Math.min(...all)).toBeGreaterThanOrEqual(2_880);
    expect(Math.max(...all)).toBeLessThanOrEqual(3_600);
    expect(new Set(all).size).toBeGreaterThan(100);
    expect(uids.map((uid) => seconds(uid, 'usual'))).toEqual(all);
  });

  it('comes soon where nobody could be asked, and never at once', () => {
    const pending = uids.map((uid) => seconds(uid, 'soon', { ageMs: 50 * hour }));
    expect(Math.max(...pending)).toBeLessThanOrEqual(120);
    expect(seconds('one', 'soon', { periodMs: 1 })).toBe(1);
  });

  it('does not come where there is no period, but for what is pending', () => {
    expect(next('one', 'usual', { periodMs: 0 })).toEqual(done);
    expect(seconds('one', 'soon', { periodMs: 0 })).toBeGreaterThan(90);
  });

  it.each([
    ['right after it was made', 0, 96, 120],
    ['in two minutes', 2, 96, 120],
    ['in ten minutes', 10, 480, 600],
    ['never later than others', 6_000, 2_880, 3_600],
    ['nor before it was made', -10, 96, 120],
  ])(
    'comes the more seldom the older the pod is that is refused: %s',
    (_, minutes, least, most) => {
      const found = uids.map((uid) => seconds(uid, 'by-age', { ageMs: minutes * minute }));
      expect(Math.min(...found)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...found)).toBeLessThanOrEqual(most);
    },
  );

  it('comes some dozen times in the life of a pod that is refused for good, though there is no period', () => {
    const looks: number[] = [];
    for (let ageMs = 0; ageMs < 365 * 24 * hour; ) {
      looks.push(ageMs);
      ageMs += seconds('one', 'by-age', { periodMs: 0, ageMs }) * 1_000;
    }
    expect(looks.length).toBeGreaterThan(12);
    expect(looks.length).toBeLessThan(30);
  });
});

describe('a look at a pod', () => {
  const trust = { kind: 'rules', mode: 'system', rules, isStrict: false } as const;
  it.each<[Untrusted, Pace]>([
    ['bad-rules', 'soon'],
    ['registry-refused', 'by-age'],
    ['notary-refused', 'by-age'],
    ['not-signed', 'usual'],
    ['bad-proof', 'usual'],
  ])('that finds %s is taken again: %s', async (why, pace) => {
    const found = foundPod(podOf(), 'one');
    if (found === undefined) throw new Error('no pod');
    const judgement = { kind: 'untrusted', why, note: '' } as const;
    const ask = async (images: readonly string[]) => images.map((image) => ({ image, judgement }));
    expect(await seen(found, trust, ask)).toMatchObject({ marks: { status: 'failed' }, pace });
  });
});

describe('strangersIn', () => {
  const spec = {
    initContainers: [{ name: 'a', image: 'a.io/web:1' }],
    containers: [{ name: 'b', image: 'a.io/web:1' }],
    ephemeralContainers: [{ name: 'c', image: 'a.io/web:1' }],
    volumes: [{ name: 'd', image: { reference: 'a.io/web:1' } }],
  };
  const findings = [{ image: 'a.io/web:1', judgement: trusted('a.io/web:1', good) }];
  const running = (name: string, imageID: unknown) => [{ name, imageID }] as JsonObject[];

  it('looks at containers of each kind, each by its own name', () => {
    const found = strangersIn(
      {
        spec,
        status: {
          initContainerStatuses: running('a', `x@${evil}`),
          containerStatuses: running('b', `x@${evil}`),
          ephemeralContainerStatuses: running('c', `x@${evil}`),
        },
      },
      findings,
    );
    expect(found.map(({ container }) => container)).toEqual(['a', 'b', 'c']);
  });

  it('leaves it open what runs of a list that its registry shows to nobody', () => {
    const status = { containerStatuses: running('b', `x@${evil}`) };
    const remarks = ['unseen'] as const;
    const unseen = { image: 'a.io/web:1', judgement: trusted('a.io/web:1', good, { remarks }) };
    expect(strangersIn({ spec, status }, [unseen])).toEqual([]);
    const children = [evil];
    const known = { image: 'a.io/web:1', judgement: trusted('a.io/web:1', good, { children }) };
    expect(strangersIn({ spec, status }, [known])).toEqual([]);
    expect(strangersIn({ spec, status }, findings)).toHaveLength(1);
  });

  it.each<[string, JsonObject]>([
    ['a container of another name', { containerStatuses: running('z', `x@${evil}`) }],
    ['what is no text', { containerStatuses: running('b', 7) }],
    ['no list', { containerStatuses: 'none' }],
    ['a digest with something behind it', { containerStatuses: running('b', `x@${evil}0`) }],
  ])('makes nothing of %s', (_, said) => {
    expect(strangersIn({ spec, status: said }, findings)).toEqual([]);
  });
});

describe('marks', () => {
  const pod = (labels: JsonObject, annotations: JsonObject) => ({
    metadata: { labels, annotations, deletionTimestamp: undefined },
    spec: {},
  });
  const failed = { status: 'failed', isRejected: false, invalid: ['b', 'a'] } as const;
  const good = { status: 'success', isRejected: false, invalid: [] } as const;

  it('are set as a whole where there were none, and one by one beside others', () => {
    expect(markChanges(pod({}, {}), failed)).toMatchObject([
      { op: 'add', path: '/metadata/labels', value: { [status]: 'failed' } },
      { op: 'add', path: '/metadata/annotations', value: { [invalid]: 'b, a' } },
    ]);
    expect(markChanges(pod({ a: 'b', [status]: 'x' }, { [invalid]: 'x' }), good)).toMatchObject([
      { op: 'replace', value: 'success' },
      { op: 'remove' },
    ]);
  });

  it('are the same as a merge patch, which leaves alone what stands as it should', () => {
    expect(markBody(pod({ [status]: 'success' }, { other: 'x' }), good)).toBeUndefined();
    expect(markBody(pod({ [status]: 'success' }, { [invalid]: 'x' }), good)).toEqual({
      metadata: { annotations: { [invalid]: null } },
    });
    expect(markBody(pod({}, {}), failed)).toEqual({
      metadata: { labels: { [status]: 'failed' }, annotations: { [invalid]: 'b, a' } },
    });
  });

  it('have the label alone where the annotations leave no room: both would be refused', () => {
    const own = 'x'.repeat(262_144 - 10);
    const marked = { metadata: { labels: { [status]: 'failed' } } };
    expect(markBody(pod({}, { own }), failed)).toEqual(marked);
    expect(markBody(pod({ [status]: 'failed' }, { own }), failed)).toBeUndefined();
  });
});

describe('isStatusWriter', () => {
  const writers = { installation: 'gatehouse-system', named: ['role:lambda'] };
  it.each<[string, string, readonly string[], boolean]>([
    [
      'Gatehouse’s own account',
      'system:serviceaccount:gatehouse-system:gatehouse-worker',
      ['system:serviceaccounts:gatehouse-system'],
      true,
    ],
    ['whom the operator names', 'role:lambda', [], true],
    ['a group that the operator names', 'x', ['role:lambda'], true],
    ['who may do everything', 'admin', ['system:masters'], true],
    [
      'an account of another namespace',
      'system:serviceaccount:gatehouse-system-2:x',
      ['system:serviceaccounts:gatehouse-system-2', 'system:serviceaccounts'],
      false,
    ],
    ['anybody', 'ada', ['system:authenticated'], false],
  ])('says of %s', (_, username, groups, expected) => {
    expect(isStatusWriter({ username, groups }, writers)).toBe(expected);
  });
});

describe('toldOf', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'r' };
  it.each<[string, JsonObject[], readonly string[]]>([
    ['nobody made', [], ['Pod web']],
    ['a controller made', [{ ...owner, controller: true }], ['Pod web', 'ReplicaSet web-1']],
    ['is owned and not made', [owner], ['Pod web']],
    ['something unreadable made', [{ ...owner, apiVersion: '//', controller: true }], ['Pod web']],
  ])('tells the pod, and what made it: a pod that %s', (_, ownerReferences, expected) => {
    const told = toldOf(podOf({ ownerReferences }));
    expect(told.map(({ kind, name }) => `${kind.kind} ${name}`)).toEqual(expected);
  });
});
