import { describe, expect, it } from 'vitest';
import { watchRights } from '#infra/deploy/watch-rights.ts';
import { defineReconcile } from '#shared/define.ts';
import { configMaps, pods, secrets } from '#shared/domain/kind.ts';
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

const placeInSettings = {
  namespace: { setting: 'podBootstrap.configMap.namespace', fallback: 'a' },
  name: { setting: 'podBootstrap.configMap.name', fallback: 'b' },
};

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
      'to one name, where it is spelled as a field at the server',
      [{ of: configMaps, fields: 'metadata.name==x', atServer: true }],
      ['get,list,watch configmaps x in all'],
    ],
    [
      'to all of a kind, which no role narrows to a label or another field',
      [{ of: pods, fields: 'spec.nodeName=a', atServer: true }],
      ['get,list,watch pods all in all'],
    ],
    [
      'to all of a kind as well that is woken as a set',
      [{ of: configMaps, namespace: 'a', wakes: { all: pods } }],
      ['get,list,watch configmaps all in a', 'get,list,watch pods all in a'],
    ],
    [
      'to the place that the settings name',
      [{ of: configMaps, place: placeInSettings }],
      ['get,list,watch configmaps rt-bootstrapper-config in kyma-system'],
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
