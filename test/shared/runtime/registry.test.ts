import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { defineAdmission, defineEndpoint, defineReconcile } from '#shared/define.ts';
import { anything, record } from '#shared/domain/decode.ts';
import { configMaps, nodes, pods, secrets } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { allow } from '#shared/domain/verdict.ts';
import { type Found, openRegistry, type Registry } from '#shared/runtime/registry.ts';

const admission = defineAdmission({
  name: 'forbid-latest',
  capability: 'my-rules',
  phase: 'validate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: record({ spec: anything }),
  uses: ['clock'],
  onFailure: 'deny',
  deadlineMs: 1_000,
  handler: () => allow(),
});

const reconcile = defineReconcile({
  name: 'follow-maps',
  capability: 'certificates',
  trigger: { watch: { of: configMaps }, everySeconds: 60 },
  uses: ['cluster'],
  access: [{ kind: configMaps, verbs: ['get'] }],
  deadlineMs: 5_000,
  handler: () => done,
});

const endpoint = defineEndpoint({
  name: 'greet',
  capability: 'node-affinity',
  trigger: { path: '/greetings' },
  uses: [],
  deadlineMs: 1_000,
  handler: () => ({ fetch: () => new Response('hello') }),
});

function found(exported: unknown, more: Partial<Found> = {}): Found {
  const name = (exported as { name?: unknown } | undefined)?.name;
  return { file: `functions/my-rules/${name}.ts`, exported, origin: 'built-in', ...more };
}

function registryOf(...given: readonly Found[]): Registry {
  const registered = openRegistry(given);
  if (!registered.ok) throw new Error(JSON.stringify(registered.problems));
  return registered.registry;
}

function problemsOf(...given: readonly Found[]) {
  const registered = openRegistry(given);
  return registered.ok ? [] : registered.problems;
}

const watching = (watch: unknown) => ({ ...reconcile, trigger: { watch } });

describe('openRegistry', () => {
  it('holds good definitions by name, whatever order they came in', () => {
    const registry = registryOf(found(endpoint), found(admission), found(reconcile));
    expect(registry.definitions).toEqual([reconcile, admission, endpoint]);
  });

  it('takes filters and changes of metadata where nothing else is watched', () => {
    const fields = 'metadata.name!=a';
    const changed = ['/metadata/labels'];
    const watch = { of: configMaps, metadataOnly: true, fields, changed };
    expect(problemsOf(found(watching(watch)))).toEqual([]);
    const ofSecret = { of: secrets, name: 'a', fields, changed };
    expect(problemsOf(found(watching(ofSecret)))).toEqual([]);
  });

  it('takes several watches of one function', () => {
    const watch = [{ of: configMaps }, { of: configMaps, name: 'one' }];
    expect(problemsOf(found({ ...reconcile, trigger: { watch } }))).toEqual([]);
    expect(problemsOf(found({ ...reconcile, trigger: { watch: [] } }))).toHaveLength(1);
    const [problem] = problemsOf(found(watching({ of: 'configmaps' })));
    expect(problem?.why).toBe('$.trigger.watch.of: expected an object, found "configmaps"');
  });

  it('takes an onFailure that stands in the settings', () => {
    const configured = {
      ...admission,
      onFailure: { setting: 'custom.onFailure', fallback: 'deny' },
    };
    expect(problemsOf(found(configured))).toEqual([]);
  });

  it('refuses two versions of a kind that is followed: the mirror keeps each object once', () => {
    const older = { ...configMaps, version: 'v1beta1' };
    const other = { ...reconcile, name: 'follow-older', trigger: { everySeconds: 60 } };
    const problem = {
      file: 'functions/my-rules/follow-older.ts',
      why: 'it follows configmaps of v1beta1, and functions/my-rules/follow-maps.ts those of v1',
      mend: 'follow one version of the kind in all functions',
    };
    const wakes = { all: older };
    for (const stated of [
      { ...other, trigger: { watch: { of: older } } },
      { ...other, trigger: { watch: { of: pods, wakes } } },
      { ...other, reads: [older] },
    ]) {
      expect(problemsOf(found(reconcile), found(stated))).toEqual([problem]);
    }
    const owned = { ...other, trigger: { watch: { of: pods, wakes: { owner: older } } } };
    expect(problemsOf(found(reconcile), found(owned))).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'it exports no function by default'],
    ['another thing', { name: 'forbid-latest' }, 'it exports no function by default'],
    ['no name', { ...admission, name: undefined }, '$.name: expected text'],
    ['a name that is none', { ...admission, name: 'Forbid_Latest' }, 'a name such as'],
    ['no capability', { ...admission, capability: '' }, '$.capability: expected a text that'],
    ['no onFailure', { ...admission, onFailure: undefined }, '$.onFailure: expected'],
    ['another onFailure', { ...admission, onFailure: 'shrug' }, '$.onFailure: expected'],
    ['no schema', { ...admission, schema: undefined }, '$.schema: expected a decoder'],
    ['another schema', { ...admission, schema: { spec: 1 } }, '$.schema: expected a decoder'],
    ['no phase', { ...admission, phase: 'guess' }, '$.phase: expected one of mutate, validate'],
    ['no handler', { ...admission, handler: undefined }, '$.handler: expected a function'],
    ['a port that is none', { ...admission, uses: ['clok'] }, '$.uses[0]: expected one of clock,'],
    ['no deadline', { ...admission, deadlineMs: undefined }, '$.deadlineMs: expected'],
    ['no time at all', { ...admission, deadlineMs: 0 }, '$.deadlineMs: expected at least 1'],
    ['more than webhooks get', { ...admission, deadlineMs: 30_000 }, 'expected at most 29000'],
    [
      'no resources',
      { ...admission, trigger: { ...admission.trigger, resources: [] } },
      'at least',
    ],
    ['no wake-up', { ...reconcile, trigger: {} }, '$.trigger: expected watch, everySeconds'],
    [
      'a place that no setting names',
      watching({ of: configMaps, place: { name: 'a' } }),
      '$.trigger.watch',
    ],
    ['a watch of every Secret', watching({ of: secrets }), 'Secrets are watched by their names'],
    [
      'a fan-out to every Secret',
      watching({ of: configMaps, wakes: { all: secrets } }),
      'Secrets are watched by their names',
    ],
    [
      'a read of every Secret',
      { ...reconcile, reads: [configMaps, secrets] },
      '$.reads[1]: expected no Secrets',
    ],
    [
      'a change that metadata does not show',
      watching({ of: configMaps, metadataOnly: true, changed: ['/metadata/labels', '/data'] }),
      'of metadata, which is all that is watched',
    ],
    [
      'a field that metadata has not',
      watching({ of: configMaps, metadataOnly: true, fields: 'metadata.name!=a,spec.x=b' }),
      'of metadata, which is all that is watched',
    ],
    [
      'a change of what a Secret holds',
      watching({ of: secrets, name: 'a', changed: ['/data'] }),
      'of metadata, which is all that is watched',
    ],
    [
      'a change of a Secret’s annotations',
      watching({
        of: secrets,
        name: 'a',
        changed: ['/metadata/labels', '/metadata/annotations/a'],
      }),
      'annotations, which are not mirrored',
    ],
    [
      'a field of a Secret’s annotations',
      watching({ of: secrets, name: 'a', fields: 'metadata.annotations.a=b' }),
      'annotations, which are not mirrored',
    ],
    ['a path that is no pointer', watching({ of: configMaps, changed: ['spec'] }), 'such as /spec'],
    [
      'a changed key whose slash is not escaped',
      watching({ of: configMaps, changed: ['/metadata/labels/app.kubernetes.io/name'] }),
      'is written ~1',
    ],
    [
      'a change of no place in a list',
      watching({ of: pods, changed: ['/spec/containers/*/image'] }),
      'a list is named as a whole',
    ],
    [
      'a change behind a list',
      watching({ of: pods, changed: ['/spec/containers/-'] }),
      'a list is named as a whole',
    ],
    [
      'a change of a key that lists cannot have',
      watching({ of: configMaps, changed: ['/data/-'] }),
      'so is a map with such a key, as in /data',
    ],
    [
      'a change of a key without a name',
      watching({ of: configMaps, changed: ['/data/'] }),
      'a name behind each slash',
    ],
    [
      'a change of who manages what',
      watching({ of: configMaps, changed: ['/metadata/managedFields'] }),
      'what is mirrored',
    ],
    [
      'a change of what was applied last',
      watching({
        of: configMaps,
        changed: ['/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration'],
      }),
      'what is mirrored',
    ],
    ['fields that select nothing', watching({ of: configMaps, fields: 'a' }), 'a field selector'],
    [
      'a change of another kind',
      watching({ of: configMaps, on: ['moved'] }),
      '$.trigger.watch.on[0]: expected',
    ],
    [
      'a map in the place of a selector',
      watching({ of: configMaps, labels: { team: 'blue' } }),
      '$.trigger.watch.labels.team: there is no such key',
    ],
    [
      'a key that is spelled wrongly',
      watching({ of: configMaps, lables: { matchLabels: { team: 'blue' } } }),
      '$.trigger.watch.lables: there is no such key',
    ],
    [
      'an operator that is none',
      watching([{ of: pods, labels: { matchExpressions: [{ key: 'a', operator: 'Has' }] } }]),
      '$.trigger.watch[0].labels.matchExpressions[0].operator: expected one of In, NotIn',
    ],
    [
      'an operator without its values',
      watching({ of: pods, labels: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      '$.trigger.watch.labels.matchExpressions[0]: expected values with In and NotIn',
    ],
    [
      'an index whose name ends where its key begins',
      watching({ of: pods, indexes: { 'by-image': () => [], 'image=digest': () => [] } }),
      '$.trigger.watch.indexes: expected names without , and =',
    ],
    [
      'an index of two names',
      watching({ of: pods, indexes: { 'image,digest': () => [] } }),
      '$.trigger.watch.indexes: expected names without , and =',
    ],
    [
      'an index of no name',
      watching({ of: pods, indexes: { '': () => [] } }),
      '$.trigger.watch.indexes: expected names without , and =',
    ],
    [
      'an owner of half a kind',
      watching({ of: pods, wakes: { owner: { group: 'a', version: 'v1', resource: 'bs' } } }),
      '$.trigger.watch.wakes.owner.kind: expected text',
    ],
    [
      'two whom it wakes',
      watching({ of: pods, wakes: { owner: configMaps, all: configMaps } }),
      '$.trigger.watch.wakes: expected one of the allowed forms',
    ],
    [
      'a namespace of what is in none',
      watching({ of: nodes, namespace: 'team-a' }),
      '$.trigger.watch: expected no namespace',
    ],
    [
      'a map in the place of an objectSelector',
      { ...admission, trigger: { ...admission.trigger, objectSelector: { team: 'blue' } } },
      '$.trigger.objectSelector.team: there is no such key',
    ],
    [
      'a fallback that is no period',
      { ...reconcile, trigger: { everySeconds: { setting: 'custom.a', fallback: '60s' } } },
      '$.trigger.everySeconds.fallback: expected a number',
    ],
    ['a period of nothing', { ...reconcile, trigger: { everySeconds: 0 } }, 'at least 1'],
    ['a path of ours', { ...endpoint, trigger: { path: '/mutate/pods' } }, '$.trigger.path'],
    ['a relative path', { ...endpoint, trigger: { path: 'greetings' } }, '$.trigger.path'],
    ['a key of nobody', { ...endpoint, timeout: 5 }, '$.timeout: there is no such key'],
    [
      'a right with a key that is spelled wrongly',
      { ...reconcile, access: [{ kind: configMaps, verbs: ['get'], namespaces: 'installation' }] },
      '$.access[0].namespaces: there is no such key',
    ],
    [
      'a right to what nobody can do',
      { ...reconcile, access: [{ kind: configMaps, verbs: ['get', 'read'] }] },
      '$.access[0].verbs[1]: expected one of get, list,',
    ],
    [
      'a right to half a kind',
      { ...reconcile, access: [{ kind: { resource: 'pods' }, verbs: ['get'] }] },
      '$.access[0].kind.',
    ],
    [
      'a right to a name that is none',
      { ...reconcile, access: [{ kind: pods, names: ['a', 5], verbs: ['get'] }] },
      '$.access[0].names[1]',
    ],
  ])('refuses a file with %s, and says how to mend it', (_, exported, why) => {
    const [problem] = problemsOf(found(exported, { file: 'mine/forbid-latest.ts' }));
    expect(problem?.file).toBe('mine/forbid-latest.ts');
    expect(problem?.why).toContain(why);
    expect(problem?.mend).toMatch(/\w{3}/);
  });

  it.each<[string, unknown, string]>([
    [
      'a key of a watch',
      watching({ of: configMaps, lables: {} }),
      'did you mean trigger.watch.labels?',
    ],
    [
      'a key of one of several watches',
      watching([{ of: configMaps, nam: 'a' }]),
      'did you mean trigger.watch[].name?',
    ],
    ['a key of its own', { ...reconcile, deadlineMS: 5 }, 'did you mean deadlineMs?'],
    [
      'a key of a right',
      { ...reconcile, access: [{ kind: pods, verbs: ['get'], nams: ['a'] }] },
      'did you mean access[].names?',
    ],
    [
      'a key that stands too high',
      { ...reconcile, everySeconds: 60 },
      'did you mean trigger.everySeconds?',
    ],
    [
      'a key of another shape',
      { ...reconcile, onFailure: 'deny' },
      'take it out; what may stand there: name, capability, summary, uses, reads, handler, access,',
    ],
    [
      'a key of another trigger',
      { ...endpoint, trigger: { path: '/greetings', operations: ['CREATE'] } },
      'take it out; what may stand there: path',
    ],
    [
      'labels',
      watching({ of: configMaps, labels: { team: 'blue' } }),
      "{ matchLabels: { team: 'blue' }",
    ],
    [
      'a kind',
      watching({ of: { group: '', version: 'v1', resource: 'pods', namespaced: true } }),
      "kind: 'Pod'",
    ],
  ])('says how to mend %s', (_, exported, mend) => {
    const [problem, ...others] = problemsOf(found(exported));
    expect(problem?.mend).toContain(mend);
    expect(others).toEqual([]);
  });

  it('says of a key that is spelled wrongly both that it is not there and that the other is missing', () => {
    const { trigger, ...rest } = reconcile;
    const problems = problemsOf(found({ ...rest, trigers: trigger }));
    expect(problems).toEqual([
      expect.objectContaining({ why: '$.trigger: expected an object' }),
      {
        file: 'functions/my-rules/follow-maps.ts',
        why: '$.trigers: there is no such key',
        mend: 'did you mean trigger?',
      },
    ]);
  });

  it('refuses a name that is not the file’s', () => {
    expect(problemsOf(found(admission, { file: 'mine/forbid.ts' }))).toEqual([
      {
        file: 'mine/forbid.ts',
        why: '$.name: expected "forbid", as the file is called',
        mend: "write name: 'forbid', or rename the file",
      },
    ]);
  });

  it.each(['.js', '.mjs', '.mts', '.cts'])('knows the name of a file that ends in %s', (ending) => {
    expect(problemsOf(found(admission, { file: `mine/forbid-latest${ending}` }))).toEqual([]);
  });

  it('refuses a name that is there twice', () => {
    const again = found({ ...admission }, { file: 'mine/forbid-latest.ts', origin: 'own' });
    expect(problemsOf(found(admission), again)).toEqual([
      {
        file: 'mine/forbid-latest.ts',
        why: 'functions/my-rules/forbid-latest.ts is called forbid-latest as well',
        mend: 'give one of them another name, and its file with it',
      },
    ]);
  });

  it('names every problem of every file', () => {
    const two = problemsOf(
      found({ ...admission, uses: ['clok'], deadlineMs: 0 }),
      found(undefined, { file: 'mine/empty.ts' }),
    );
    expect(two).toHaveLength(3);
  });
});

describe('isEnabled', () => {
  const settings = settingsFixed({ capabilities: ['node-affinity', 'pod-bootstrp'] }).current();
  const own = { ...admission, name: 'mine' };
  const registry = registryOf(
    found(admission),
    found(reconcile),
    found(endpoint),
    found(own, { origin: 'own' }),
  );

  it.each([
    ['what the settings name', endpoint, true],
    ['not what they leave out', admission, false],
    ['certificates always', reconcile, true],
    ['what is the user’s own, always', own, true],
  ])('holds for %s', (_, definition, expected) => {
    expect(registry.isEnabled(definition, settings)).toBe(expected);
  });

  it('finds capabilities that nothing has', () => {
    expect(registry.unknownCapabilities(settings)).toEqual(['pod-bootstrp']);
  });
});
