import { expect, it } from 'vitest';
import { deepest } from '#events/forwarder/seen.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { subscribed, until } from '#test/support/forwarding.ts';
import { create, everyPlace, mirrored, saying } from './odd-places.ts';

const everywhere = everyPlace();

/** As a server's text says it: what no API server of Kubernetes stores, an aggregated one may. */
const says = (text: string) => {
  const { metadata = {}, ...rest } = JSON.parse(text);
  return (object: KubeObject): KubeObject => ({
    ...object,
    ...rest,
    metadata: { ...object.metadata, ...metadata },
  });
};

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const odd: readonly (readonly [string, string])[] = [
  ['a NUL in its spec', '{"spec":{"te\\u0000xt":"a\\u0000b"}}'],
  ['half a character in its spec', '{"spec":{"te\\ud800xt":"a\\udfffb"}}'],
  ['a NUL in a label', '{"metadata":{"labels":{"a\\u0000":"b\\u0000"}}}'],
  ['half a character in a label', '{"metadata":{"labels":{"a\\ud800":"b\\ud800"}}}'],
  ['a label of 100,000 characters', `{"metadata":{"labels":{"a":"${'b'.repeat(100_000)}"}}}`],
  ['a label that is a number', '{"metadata":{"labels":{"a":1,"b":null,"c":{"d":[]}}}}'],
  ['labels that are a list', '{"metadata":{"labels":["a",1,null]}}'],
  ['labels that are null', '{"metadata":{"labels":null}}'],
  ['labels that are a text', '{"metadata":{"labels":"a=b"}}'],
  ['a label with the name of a prototype', '{"metadata":{"labels":{"__proto__":"a","b":"c"}}}'],
  ['a NUL in an annotation', '{"metadata":{"annotations":{"a\\u0000":"b\\u0000"}}}'],
  ['annotations that are a text', '{"metadata":{"annotations":"a"}}'],
  ['an owner that is nothing', '{"metadata":{"ownerReferences":[null,1,"a",[]]}}'],
  [
    'an owner whose version is an object',
    '{"metadata":{"ownerReferences":[{"apiVersion":{"toString":1},"kind":"Pod","uid":"u"}]}}',
  ],
  ['a NUL in the uid of an owner', '{"metadata":{"ownerReferences":[{"uid":"a\\u0000"}]}}'],
  [
    'a uid of an owner of 100,000',
    `{"metadata":{"ownerReferences":[{"uid":"${'u'.repeat(1e5)}"}]}}`,
  ],
  ['a NUL in its version', '{"metadata":{"resourceVersion":"1\\u0000"}}'],
  [
    'a number beyond all',
    '{"spec":{"huge":1e400,"long":123456789012345678901234567890,"zero":-0}}',
  ],
  ['as many levels as there may be', `{"spec":${nested(deepest - 1)}}`],
  ['one key twice', '{"spec":{"a":1,"a":{"b":2},"a":[3]}}'],
  ['the key of prototypes', '{"spec":{"__proto__":{"a":1}},"__proto__":{"spec":1}}'],
  ['its own toJSON', '{"spec":{"toJSON":1},"toJSON":{"a":1}}'],
];

it.each(everywhere(odd))(
  '%s, %s stops nobody, and is mirrored until it is deleted',
  async (_, __, text, open) => {
    const place = await open(saying({ isOdd: true, of: says(text) }, 'stream'));
    const one = await place.start([
      subscribed({ of: pods, changed: ['/spec', '/metadata/labels'] }),
      subscribed({ of: pods, wakes: { owner: pods } }, 'owners'),
      subscribed({ of: pods, labels: { matchLabels: { a: 'b' } } }, 'labelled'),
    ]);
    await until('it watches', () => one.kinds().includes('watching'));
    create(place.cluster, 'odd');
    create(place.cluster, 'web');
    await mirrored(place, 'web');
    expect(await place.names()).toContain('odd');

    const at = { namespace: 'default', name: 'odd' };
    place.cluster.objects.patch(pods, at, { spec: { changed: true } });
    place.cluster.objects.delete(pods, at);
    create(place.cluster, 'next');
    await mirrored(place, 'next');
    expect((await place.names()).toSorted()).toEqual(['next', 'web']);
    expect(one.told.filter(({ kind }) => kind === 'failed')).toEqual([]);
  },
);
