import { describe, expect, it } from 'vitest';
import { imagesIn, slotsToVerify } from '#shared/domain/image-trust/slots.ts';

const container = (name: string, image: string) => ({ name, image });
const spec = {
  initContainers: [container('init', 'init:1')],
  containers: [container('web', 'web:1'), container('side', 'side:1')],
  ephemeralContainers: [container('debug', 'debug:1')],
  volumes: [
    { name: 'data', image: { reference: 'data:1' } },
    { name: 'tmp', emptyDir: {} },
  ],
};

describe('slotsToVerify', () => {
  it('takes every image of a new pod, of containers of each kind and of volumes', () => {
    expect(imagesIn(slotsToVerify({ spec }, undefined))).toEqual([
      'init:1',
      'web:1',
      'side:1',
      'debug:1',
      'data:1',
    ]);
  });

  it('T-P takes an image that is there twice once', () => {
    const twice = { ...spec, initContainers: [container('init', 'web:1')] };
    expect(imagesIn(slotsToVerify({ spec: twice }, undefined))).toHaveLength(4);
  });

  it.each<[string, object, readonly string[]]>([
    ['T-C4 that changes nothing', {}, []],
    [
      'of one image',
      { containers: [container('web', 'web:2'), container('side', 'side:1')] },
      ['web:2'],
    ],
    [
      'that swaps two images',
      { containers: [container('web', 'side:1'), container('side', 'web:1')] },
      ['side:1', 'web:1'],
    ],
    [
      'that only changes their order',
      { containers: [container('side', 'side:1'), container('web', 'web:1')] },
      [],
    ],
    [
      'with an ephemeral container that repeats an image',
      { ephemeralContainers: [container('debug', 'debug:1'), container('again', 'web:1')] },
      ['web:1'],
    ],
    [
      'that moves an image to a container of another kind',
      { initContainers: [container('init', 'init:1'), container('web', 'web:1')] },
      ['web:1'],
    ],
    [
      'with two containers of one name',
      {
        containers: [
          container('web', 'web:1'),
          container('web', 'evil:1'),
          container('side', 'side:1'),
        ],
      },
      ['evil:1'],
    ],
    ['that takes a digest away', { initContainers: [container('init', 'init')] }, ['init']],
    ['of a volume', { volumes: [{ name: 'data', image: { reference: 'data:2' } }] }, ['data:2']],
    ['that takes a container away', { initContainers: [] }, []],
  ])('of an update %s takes what it brings', (_, change, expected) => {
    const after = { spec: { ...spec, ...change } };
    expect(imagesIn(slotsToVerify(after, { spec }))).toEqual(expected);
  });

  it('takes everything where the old pod has two of one name', () => {
    const old = { ...spec, containers: [container('web', 'web:1'), container('web', 'web:1')] };
    const found = slotsToVerify(
      { spec: { containers: [container('web', 'web:1')] } },
      { spec: old },
    );
    expect(imagesIn(found)).toEqual(['web:1']);
  });
});
