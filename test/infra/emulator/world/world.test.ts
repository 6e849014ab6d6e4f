import { describe, expect, it } from 'vitest';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { defineAdmission, defineReconcile } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { configMaps, pods } from '#shared/domain/kind.ts';
import { done, giveUp, later, retry } from '#shared/domain/outcome.ts';
import { allow, deny, patch } from '#shared/domain/verdict.ts';
import copyNote from '#test/fixtures/functions/copy-note.ts';
import { note } from './mistakes.ts';

const copied = { metadata: { annotations: { 'samples.gatehouse.io/copied': 'hello' } } };

function copiable(name: string, text = 'hello') {
  return { ...note(name), data: { note: text } };
}

describe('a world', () => {
  it('runs the functions on what is there from the start', async () => {
    await using world = await emulate({ functions: [copyNote], objects: copiable('one') });
    await world.settle();
    expect(await world.find('ConfigMap notes/one')).toMatchObject(copied);
  });

  it('starts again within a few milliseconds of work', async () => {
    const took: number[] = [];
    // The first one of a process, which reads all modules, is measured on the package (`test/real/build.test.ts`).
    for (let turn = 0; turn < 5; turn += 1) {
      const began = process.threadCpuUsage();
      await using world = await emulate({ functions: [copyNote], objects: copiable('one') });
      // Others may have the processor meanwhile, for which the clock goes on.
      const { user, system } = process.threadCpuUsage(began);
      took.push((user + system) / 1_000);
      expect(await world.find('ConfigMap notes/one')).toBeDefined();
    }
    const [, , middle] = took.toSorted((one, other) => one - other);
    expect(middle).toBeLessThan(30);
  });

  it('takes YAML of several documents, and makes the namespaces that it names', async () => {
    await using world = await emulate({ functions: [copyNote] });
    await world.apply(`
apiVersion: v1
kind: ConfigMap
metadata: { name: one, namespace: far-away }
data: { note: hello }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: two }
`);
    await world.settle();
    expect(await world.find('configmaps/far-away/one')).toMatchObject(copied);
    expect(await world.find('ConfigMap default/two')).toBeDefined();
    expect((await world.find('Namespace')).map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'far-away',
      'kube-system',
    ]);
  });

  it('takes away what is applied without it, and writes a status', async () => {
    await using world = await emulate({ functions: [] });
    await world.apply({ ...note('one'), data: { a: '1', b: '2' } });
    await world.apply({ ...note('one'), data: { b: '3' }, status: { phase: 'Good' } });
    expect(await world.find('ConfigMap notes/one')).toMatchObject({ status: { phase: 'Good' } });
    expect((await world.find('ConfigMap notes/one'))?.['data']).toEqual({ b: '3' });
  });

  it('tells each run with its object, its outcome and its writes', async () => {
    await using world = await emulate({ functions: [copyNote], objects: copiable('one') });
    await world.settle();
    const [first, second] = world.decisions();
    const object = 'ConfigMap notes/one';
    expect(first).toMatchObject({ function: 'copy-note', object, outcome: 'done', deleted: false });
    expect(first).toMatchObject({ writes: [{ verb: 'patch', object, result: 'written' }] });
    expect(second).toMatchObject({ object, writes: [] });
  });

  it('says of a deletion that it is one, and that there was nothing to delete', async () => {
    await using world = await emulate({ functions: [copyNote], objects: copiable('one') });
    await world.settle();
    expect(await world.delete('ConfigMap notes/one')).toBe(true);
    expect(await world.delete('ConfigMap notes/one')).toBe(false);
    await world.settle();
    expect(world.decisions().at(-1)).toMatchObject({ deleted: true, outcome: 'done' });
  });

  it('collects what is left of an owner that is gone', async () => {
    await using world = await emulate({ functions: [] });
    const { uid } = (await world.apply(note('one'))).metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', uid };
    const child = note('two');
    await world.apply({ ...child, metadata: { ...child.metadata, ownerReferences: [owner] } });
    await world.settle();
    expect(await world.find('ConfigMap notes/two')).toBeDefined();
    await world.delete('ConfigMap notes/one');
    await world.settle();
    expect(await world.find('ConfigMap notes/two')).toBeUndefined();
  });

  it('narrows a function to the rights that it states', async () => {
    const greedy = defineReconcile({ ...copyNote, access: [] });
    await using world = await emulate({ functions: [greedy], objects: copiable('one') });
    await expect(world.settle()).rejects.toThrow(/did not state the right to get configmaps/);
  });

  it('names what it cannot find out', async () => {
    await using world = await emulate({ functions: [] });
    await expect(world.find('Cofnigmap team-a/one')).rejects.toThrow(/no kind is called Cofnigmap/);
    await expect(world.find('ConfigMap one')).rejects.toThrow(/lacks its namespace: write it as/);
    await expect(world.apply({ ...note('one'), kind: '' })).rejects.toThrow(/lacks kind/);
    await expect(world.apply('kind: Pod')).rejects.toThrow(/Pod lacks apiVersion and metadata/);
  });

  it('refuses a file that exports no function', async () => {
    const file = new URL('./mistakes.ts', import.meta.url);
    await expect(emulate({ functions: [file] })).rejects.toThrow(
      /exports no function: end it with/,
    );
  });
});

const slowly = defineReconcile({
  name: 'go-slowly',
  capability: 'samples',
  trigger: { watch: { of: configMaps, namespace: 'notes' } },
  uses: [],
  deadlineMs: 5_000,
  handler: (wake) => {
    if (wake.kind === 'period') return done;
    const answers = {
      later: later(30),
      hour: later(3_600),
      fail: retry('never'),
      no: giveUp('no'),
    };
    return Object.entries(answers).find(([name]) => name === wake.name)?.[1] ?? done;
  },
});

describe('admission', () => {
  it('says why a function could not answer, which a user of the cluster is not told', async () => {
    const broken = defineAdmission({
      name: 'add-label',
      capability: 'samples',
      phase: 'mutate',
      trigger: { resources: ['configmaps'], operations: ['CREATE'] },
      schema: anything,
      uses: [],
      deadlineMs: 1_000,
      onFailure: 'deny',
      handler: () => {
        throw new TypeError('no labels');
      },
    });
    await using world = await emulate({ functions: [broken] });
    await expect(world.apply(note('one'))).rejects.toThrow(
      /^ConfigMap notes\/one is denied: add-label could not answer.*\n {2}add-label: .*no labels$/,
    );
    expect(await world.admit(note('one'))).toMatchObject({ verdict: 'deny' });
  });
});

describe('settle', () => {
  it('waits for a `later` that is due soon, and not for one that is not', async () => {
    let runs = 0;
    const once = defineReconcile({
      ...slowly,
      handler: () => (runs++ === 0 ? later(30) : runs === 2 ? later(3_600) : done),
    });
    await using world = await emulate({ functions: [once], objects: note('one') });
    await world.settle();
    expect(runs).toBe(2);
    await world.advance(3_600_000);
    expect(runs).toBe(3);
  });

  it('says what does not come to an end', async () => {
    await using world = await emulate({ functions: [slowly], objects: note('fail') });
    await expect(world.settle()).rejects.toThrow(
      /does not settle:\n.*notes\/fail is to run again \(retry\)\nthe last runs were\n.*go-slowly on ConfigMap notes\/fail: retry \(never\)/,
    );
  });

  it('says that a function wakes itself for ever', async () => {
    let side = 0;
    const flip = defineReconcile({
      name: 'flip-note',
      capability: 'samples',
      trigger: { watch: { of: configMaps, namespace: 'notes' } },
      uses: ['cluster'],
      access: [{ kind: configMaps, verbs: ['get', 'patch'] }],
      deadlineMs: 5_000,
      async handler(wake, { cluster }) {
        if (wake.kind === 'period') return done;
        side += 1;
        const body = { metadata: { annotations: { side: String(side) } } };
        await cluster.patch({ ...wake, kind: configMaps }, { type: 'merge', body });
        return done;
      },
    });
    await using world = await emulate({ functions: [flip], objects: note('one') });
    await expect(world.settle()).rejects.toThrow(
      /does not settle:[\s\S]*the last runs were\n.*flip-note on ConfigMap notes\/one: done/,
    );
  });

  it('keeps what was given up, and counts it', async () => {
    await using world = await emulate({ functions: [slowly], objects: note('no') });
    await world.settle();
    expect(await world.buried()).toMatchObject([{ function: 'go-slowly', why: 'no' }]);
  });

  it('says why a kind is not followed', async () => {
    await using world = await emulate({ functions: [slowly] });
    await world.settle();
    await world.fail({ verb: 'watch', code: 403, times: 1_000 });
    await world.dropWatches();
    await world.apply(note('one'));
    await expect(world.settle({ withinMs: 60_000 })).rejects.toThrow(
      /behind the cluster.*Forbidden/,
    );
  });
});

describe('advance', () => {
  const beats: string[] = [];
  const beat = defineReconcile({
    name: 'keep-beating',
    capability: 'samples',
    trigger: { everySeconds: 60 },
    uses: ['clock'],
    deadlineMs: 5_000,
    handler: (_wake, { clock }) => {
      beats.push(clock.now().toISOString());
      return done;
    },
  });

  it('lets periods run, each at its time', async () => {
    await using world = await emulate({ functions: [beat], startAt: '2031-05-01T12:00:00Z' });
    await world.settle();
    await world.advance(130_000);
    expect(beats).toEqual([
      '2031-05-01T12:00:00.000Z',
      '2031-05-01T12:01:00.000Z',
      '2031-05-01T12:02:00.000Z',
    ]);
    expect(world.now().toISOString()).toBe('2031-05-01T12:02:10.000Z');
  });
});

const forbidLatest = defineAdmission({
  name: 'forbid-latest',
  capability: 'samples',
  phase: 'validate',
  trigger: { resources: ['pods'], operations: ['CREATE', 'UPDATE'] },
  schema: anything,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'deny',
  handler: ({ object }) =>
    JSON.stringify(object).includes(':latest') ? deny('latest is no version') : allow('good'),
});

const labelPods = defineAdmission({
  name: 'label-pods',
  capability: 'samples',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: anything,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: () => patch([{ op: 'add', path: '/metadata/labels', value: { by: 'us' }, why: 'ours' }]),
});

function podOf(image: string) {
  const metadata = { name: 'web', namespace: 'team-a' };
  return { apiVersion: pods.version, kind: pods.kind, metadata, spec: { containers: [{ image }] } };
}

describe('admission in a world', () => {
  it('answers what each function would', async () => {
    await using world = await emulate({ functions: [forbidLatest, labelPods] });
    const good = await world.admit(podOf('web:1'));
    expect(good).toMatchObject({ verdict: 'patch', warnings: ['good'], patch: [{ op: 'add' }] });
    expect(good.object.metadata.labels).toEqual({ by: 'us' });
    const bad = await world.admit(podOf('web:latest'));
    expect(bad).toMatchObject({ verdict: 'deny', reasons: ['latest is no version'] });
    expect(
      world.decisions().map((each) => [each.function, 'verdict' in each && each.verdict]),
    ).toEqual([
      ['label-pods', 'patch'],
      ['forbid-latest', 'allow'],
      ['label-pods', 'patch'],
      ['forbid-latest', 'deny'],
    ]);
    expect(await world.find('Pod')).toEqual([]);
  });

  it('selects by the labels that a namespace has now', async () => {
    const namespaceSelector = {
      setting: 'custom.none',
      fallback: { matchLabels: { checked: 'yes' } },
    };
    const trigger = { ...forbidLatest.trigger, namespaceSelector };
    await using world = await emulate({ functions: [{ ...forbidLatest, trigger }] });
    const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a', labels: {} } };
    await world.apply(team);
    expect(await world.admit(podOf('web:latest'))).toMatchObject({ verdict: 'allow' });
    await world.apply({ ...team, metadata: { ...team.metadata, labels: { checked: 'yes' } } });
    expect(await world.admit(podOf('web:latest'))).toMatchObject({ verdict: 'deny' });
  });

  it('stands in front of what is applied', async () => {
    await using world = await emulate({ functions: [forbidLatest, labelPods] });
    await world.apply(podOf('web:1'));
    expect((await world.find('Pod team-a/web'))?.metadata.labels).toEqual({ by: 'us' });
    await expect(world.apply(podOf('web:latest'))).rejects.toThrow(
      'Pod team-a/web is denied: latest is no version',
    );
  });
});
