import { afterAll, describe, expect, it } from 'vitest';
import { openAdmission } from '#infra/emulator/cluster/admission/open-admission.ts';
import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { objectsRead } from '../access/objects-read.ts';
import { admitting, pod, podKind } from './admitting.ts';
import { mutatedBy, priorityClass, reading, specBy } from './home.ts';

const admission = openAdmission({ reading, refusedGrant: () => undefined });
afterAll(() => admission.close());

const mutated = (what: Admitting) => mutatedBy(admission, what);
const specOf = (spec: JsonObject) => specBy(admission, spec);

describe('the priority of a pod', () => {
  it.each<[JsonObject, object]>([
    [{}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [{ priorityClassName: 'high' }, { priority: 7, preemptionPolicy: 'Never' }],
    [{ priorityClassName: 'system-cluster-critical' }, { priority: 2_000_000_000 }],
  ])('of %o is that of its class', async (spec, expected) => {
    expect(await specOf(spec)).toMatchObject(expected);
  });

  it.each<[JsonObject, string]>([
    [{ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'],
    [
      { priority: 9 },
      'the integer value of priority (9) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('of %o is refused', async (spec, why) => {
    expect(await admission.mutate(admitting(podKind, pod(spec)))).toMatchObject({
      code: 403,
      body: { message: `pods "p" is forbidden: ${why}` },
    });
  });

  it('outlives an update that leaves it out', async () => {
    const before = pod({ priority: 7, preemptionPolicy: 'Never' });
    const after = await mutated(admitting(podKind, pod(), { operation: 'UPDATE', before }));
    expect(after['spec']).toMatchObject({ priority: 7, preemptionPolicy: 'Never' });
  });

  it('has one default class', async () => {
    const kind = builtIn({
      group: 'scheduling.k8s.io',
      version: 'v1',
      kind: 'PriorityClass',
      resource: 'priorityclasses',
      namespaced: false,
    });
    const classes = objectsRead(priorityClass('first', { value: 1, globalDefault: true }));
    const opened = openAdmission({ reading: classes, refusedGrant: () => undefined });
    const second = admitting(kind, priorityClass('second', { value: 2, globalDefault: true }));
    expect(await opened.validate(second)).toMatchObject({
      body: {
        message:
          'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
      },
    });
    opened.close();
  });
});

describe('the tolerations of a pod', () => {
  const lost = (key: string, tolerationSeconds: number) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  });

  it.each<[string, readonly JsonObject[], readonly JsonObject[]]>([
    ['are five minutes of a lost node', [], [lost('not-ready', 300), lost('unreachable', 300)]],
    [
      'keep what it says of one',
      [lost('not-ready', 5)],
      [lost('not-ready', 5), lost('unreachable', 300)],
    ],
    ['keep what it says of everything', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
  ])('%s', async (_, tolerations, expected) => {
    expect((await specOf({ tolerations }))['tolerations']).toEqual(expected);
  });
});

describe('the runtime class of a pod', () => {
  it('must be there', async () => {
    expect(
      await admission.mutate(admitting(podKind, pod({ runtimeClassName: 'x' }))),
    ).toMatchObject({
      code: 403,
      body: { message: 'pods "p" is forbidden: pod rejected: RuntimeClass "x" not found' },
    });
  });

  it('brings its costs and its place', async () => {
    expect(await specOf({ runtimeClassName: 'heavy', nodeSelector: { own: 'yes' } })).toMatchObject(
      {
        overhead: { cpu: '1' },
        nodeSelector: { own: 'yes', heavy: 'yes' },
      },
    );
  });
});
