import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeRights, type Right, rightsOf } from '#infra/deploy/rights.ts';
import { defineReconcile } from '#shared/define.ts';
import { leases, pods, secrets } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Access, Ports } from '#shared/ports.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';

function using(uses: readonly (keyof Ports)[], access: readonly Access[] = []) {
  const definition = defineReconcile({
    name: 'sample',
    capability: 'samples',
    trigger: { everySeconds: 60 },
    deadlineMs: 1_000,
    uses,
    access,
    handler: () => done,
  });
  return mergeRights(rightsOf(definition, defaultSettings));
}

const right = (resource: string, verbs: string[], rest: Partial<Right> = {}): Right => ({
  group: '',
  resource,
  names: [],
  verbs,
  ...rest,
});

describe('the rights of a function', () => {
  it.each<[keyof Ports, Right[]]>([
    ['settings', []],
    ['clock', []],
    ['certificates', []],
    ['conditions', []],
    ['measures', []],
    ['cluster', []],
    ['namespaces', [right('namespaces', ['get', 'list'])]],
    ['nodes', [right('nodes', ['list'])]],
    ['images', [right('secrets', ['get']), right('serviceaccounts', ['get'])]],
    [
      'bootstrapDocument',
      [
        right('clustertrustbundles', ['get', 'list'], { group: 'certificates.k8s.io' }),
        right('podtemplates', ['create'], { namespace: 'gatehouse-system' }),
        right('configmaps', ['get', 'list'], {
          namespace: 'kyma-system',
          names: ['rt-bootstrapper-config'],
        }),
      ],
    ],
    ['events', [right('events', ['create', 'get', 'patch'], { group: 'events.k8s.io' })]],
  ])('that uses %s', (port, expected) => {
    expect(using([port])).toEqual(expected);
  });

  it.each<[string, Access[], Right[]]>([
    ['in the whole cluster', [{ kind: pods, verbs: ['list'] }], [right('pods', ['list'])]],
    [
      'on a subresource',
      [{ kind: pods, subresource: 'eviction', verbs: ['create'] }],
      [right('pods/eviction', ['create'])],
    ],
    [
      'in our own namespace',
      [{ kind: leases, verbs: ['list'], namespace: 'installation' }],
      [right('leases', ['list'], { group: 'coordination.k8s.io', namespace: 'gatehouse-system' })],
    ],
    [
      'by name, with its create apart',
      [{ kind: secrets, verbs: ['create', 'get', 'update'], names: ['b', 'a'], namespace: 'x' }],
      [
        right('secrets', ['get', 'update'], { names: ['a', 'b'], namespace: 'x' }),
        right('secrets', ['create'], { namespace: 'x' }),
      ],
    ],
    [
      'in one line for one object',
      [
        { kind: pods, verbs: ['list'] },
        { kind: pods, verbs: ['get', 'list'] },
      ],
      [right('pods', ['get', 'list'])],
    ],
    [
      'without what a wider line gives already',
      [
        { kind: secrets, verbs: ['get', 'patch'], names: ['a'] },
        { kind: secrets, verbs: ['get'] },
        { kind: secrets, verbs: ['get'], namespace: 'x' },
      ],
      [right('secrets', ['patch'], { names: ['a'] }), right('secrets', ['get'])],
    ],
  ])('are those of its access: %s', (_, access, expected) => {
    expect(using(['cluster'], access)).toEqual(expected);
    expect(using(['cluster'], access.toReversed())).toEqual(expected);
  });

  it('are none for an access that no port of it can use', () => {
    expect(using(['nodes'], [{ kind: secrets, verbs: ['get'] }])).toEqual([
      right('nodes', ['list']),
    ]);
  });
});

const anyRight: fc.Arbitrary<Right> = fc
  .record({
    group: fc.constantFrom('', 'apps'),
    resource: fc.constantFrom('secrets', 'pods'),
    names: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    verbs: fc.uniqueArray(fc.constantFrom('get', 'list', 'create', 'patch'), { minLength: 1 }),
    namespace: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
  })
  .map(({ namespace, ...rest }) => (namespace === undefined ? rest : { ...rest, namespace }));

type Asked = Record<'group' | 'resource' | 'verb' | 'name' | 'namespace', string>;

/** Kubernetes' own rule: one line that covers all of it. */
function allows(rights: readonly Right[], asked: Asked): boolean {
  return rights.some(
    (each) =>
      each.group === asked.group &&
      each.resource === asked.resource &&
      each.verbs.includes(asked.verb) &&
      (each.namespace === undefined || each.namespace === asked.namespace) &&
      (each.names.length === 0 || each.names.includes(asked.name)),
  );
}

const anyRequest = fc.record({
  group: fc.constantFrom('', 'apps'),
  resource: fc.constantFrom('secrets', 'pods'),
  verb: fc.constantFrom('get', 'list', 'create', 'patch'),
  name: fc.constantFrom('a', 'b', 'c'),
  namespace: fc.constantFrom('x', 'y', 'z'),
});

describe('merged rights', () => {
  it('allow exactly what the single ones allow', () => {
    fc.assert(
      fc.property(
        fc.array(anyRight, { maxLength: 6 }),
        fc.array(anyRequest),
        (rights, requests) => {
          const apart = rights.flatMap((each) => mergeRights([each]));
          const merged = mergeRights(rights);

          for (const asked of requests) expect(allows(merged, asked)).toBe(allows(apart, asked));
        },
      ),
      { numRuns: 300 },
    );
  });
});
