import { describe, expect, it } from 'vitest';
import { mayTouch, type PodRequest } from '#shared/domain/pod-bounds.ts';

const pod = (...images: readonly string[]) => ({
  spec: {
    containers: images.map((image, index) => ({ name: `c${index}`, image })),
    ephemeralContainers: images.map((image, index) => ({ name: `e${index}`, image })),
  },
});

const request = (stated: Partial<PodRequest>): PodRequest => ({
  operation: 'UPDATE',
  subresource: undefined,
  object: pod('a:2', 'b:1'),
  old: pod('a:1', 'b:1'),
  ...stated,
});

describe('what a mutation of a pod may touch', () => {
  it.each<[string, Partial<PodRequest>, string, boolean]>([
    ['anything of a new pod', { operation: 'CREATE', old: undefined }, '/spec/hostNetwork', true],
    ['a label of an old one', {}, '/metadata/labels/a', true],
    ['annotations of an old one', {}, '/metadata/annotations', true],
    ['not its owner', {}, '/metadata/ownerReferences/0', false],
    ['not a lookalike of labels', {}, '/metadata/labelsX', false],
    ['the image that this request changes', {}, '/spec/containers/0/image', true],
    ['not the image that it leaves', {}, '/spec/containers/1/image', false],
    ['not another field of that container', {}, '/spec/containers/0/env', false],
    ['not an image without the old pod', { old: undefined }, '/spec/containers/0/image', false],
    ['not its affinity', {}, '/spec/affinity', false],
    [
      'a new ephemeral container',
      { subresource: 'ephemeralcontainers', old: pod('a:1') },
      '/spec/ephemeralContainers/1/image',
      true,
    ],
    [
      'not an old ephemeral container',
      { subresource: 'ephemeralcontainers', old: pod('a:1') },
      '/spec/ephemeralContainers/0/image',
      false,
    ],
    [
      'not labels beside a new ephemeral container',
      { subresource: 'ephemeralcontainers', old: pod('a:1') },
      '/metadata/labels/a',
      false,
    ],
    ['nothing on resize', { subresource: 'resize' }, '/metadata/labels/a', false],
    ['nothing on status', { subresource: 'status' }, '/metadata/labels/a', false],
  ])('%s', (_, stated, path, expected) => {
    expect(mayTouch(request(stated), { op: 'add', path, value: 'x' })).toBe(expected);
  });
});
