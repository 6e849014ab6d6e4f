import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch, setAt } from '#shared/domain/json-patch.ts';
import { podImages } from '#shared/domain/pod-images.ts';

const pod: JsonObject = {
  spec: {
    containers: [
      { name: 'web', image: 'nginx:1' },
      { name: 'odd', image: null },
      { name: 'log', image: 'fluent:2' },
    ],
    initContainers: [{ name: 'prepare', image: 'busybox' }],
    ephemeralContainers: [{ name: 'debug', image: 'debian' }],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      { name: 'model', image: { reference: 'models:3', pullPolicy: 'Always' } },
      { name: 'later', image: {} },
    ],
  },
};

describe('podImages', () => {
  it('finds every image that the kubelet pulls, and where it stands', () => {
    expect(podImages(pod)).toEqual([
      {
        of: 'init-container',
        name: 'prepare',
        image: 'busybox',
        path: ['spec', 'initContainers', 0, 'image'],
      },
      { of: 'container', name: 'web', image: 'nginx:1', path: ['spec', 'containers', 0, 'image'] },
      { of: 'container', name: 'log', image: 'fluent:2', path: ['spec', 'containers', 2, 'image'] },
      {
        of: 'ephemeral-container',
        name: 'debug',
        image: 'debian',
        path: ['spec', 'ephemeralContainers', 0, 'image'],
      },
      {
        of: 'volume',
        name: 'model',
        image: 'models:3',
        path: ['spec', 'volumes', 1, 'image', 'reference'],
      },
    ]);
  });

  it('gives paths by which each can be replaced', () => {
    const changes = podImages(pod).flatMap(({ path, image }) => setAt(pod, path, `m/${image}`, ''));
    expect(podImages(applyPatch(pod, changes)).map(({ image }) => image)).toEqual(
      podImages(pod).map(({ image }) => `m/${image}`),
    );
  });

  it.each<[string, JsonObject]>([
    ['no spec', {}],
    ['a null spec', { spec: null }],
    ['null lists', { spec: { containers: null, initContainers: null, volumes: null } }],
    ['items that are no objects', { spec: { containers: [null, 'a', ['b']] } }],
    ['no images', { spec: { containers: [{ name: 'a' }, { name: 'b', image: '' }] } }],
    ['an image that is no text', { spec: { containers: [{ name: 'a', image: { a: 1 } }] } }],
  ])('finds none in a pod with %s', (_, object) => {
    expect(podImages(object)).toEqual([]);
  });
});
