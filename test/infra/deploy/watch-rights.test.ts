import { describe, expect, it } from 'vitest';
import { watchRights } from '#infra/deploy/watch-rights.ts';
import { defineReconcile } from '#shared/define.ts';
import { configMaps, secrets } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { planOf } from './samples.ts';

/** What the forwarder may do because each of these is what a function of its own watches. */
function rightsOf(...watches: readonly Watch[]) {
  const definitions = watches.map((watch, at) =>
    defineReconcile({
      ...{ name: `f${at}`, capability: 'samples', uses: [], deadlineMs: 1_000 },
      ...{ trigger: { watch }, handler: () => done },
    } as const),
  );
  return watchRights(planOf({ definitions })).flatMap(({ resource, namespace, names, verbs }) =>
    resource === 'namespaces'
      ? []
      : [`${verbs.join()} ${resource} ${names.join() || 'all'} in ${namespace ?? 'all'}`],
  );
}

describe('the rights of the forwarder', () => {
  it.each<[string, readonly Watch[], readonly string[]]>([
    [
      'to one namespace',
      [{ of: configMaps, namespace: 'a' }],
      ['get,list,watch configmaps all in a'],
    ],
    ['to one name', [{ of: configMaps, name: 'x' }], ['get,list,watch configmaps x in all']],
    [
      'to one namespace, in which a name is watched as well',
      [
        { of: configMaps, namespace: 'a' },
        { of: configMaps, namespace: 'a', name: 'x' },
      ],
      ['get,list,watch configmaps all in a'],
    ],
    [
      'to all, where a name everywhere and a namespace are followed by one loop',
      [
        { of: configMaps, namespace: 'a' },
        { of: configMaps, name: 'x' },
      ],
      ['get,list,watch configmaps all in all'],
    ],
    [
      'to all Secrets, where somebody asks for them',
      [{ of: secrets, namespace: 'a' }, { of: secrets, name: 'x' }, { of: secrets }],
      ['get,list,watch secrets all in all'],
    ],
  ])('are %s', (_, watches, expected) => {
    expect(rightsOf(...watches)).toEqual(expected);
  });

  it('are never to all Secrets because two functions want a few', () => {
    const both = [
      { of: secrets, namespace: 'a' },
      { of: secrets, name: 'x' },
    ];
    expect(() => rightsOf(...both)).toThrow(
      /f0 \(all in a\), f1 \(x in all namespaces\)\. Together[\s\S]*to mend it: /,
    );
  });
});
