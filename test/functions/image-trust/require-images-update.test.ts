import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Namespaces } from '#shared/ports.ts';
import { podWith } from '#test/support/admission.ts';
import type { JudgeStated } from '#test/support/image-trust/judge-stated.ts';
import {
  type Asked,
  answered,
  known,
  namespaces,
  ok,
  pinned,
  rejecting,
  signed,
} from '#test/support/image-trust/requiring.ts';

const update = { operation: 'UPDATE' } as const;
const going = (pod: JsonObject) => ({
  ...pod,
  metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' },
});
const bad = podWith('a.io/none:1');
const worse = podWith('x.io/worse:1');
const debugging = (...ephemeralContainers: JsonObject[]) => ({
  ...podWith(pinned),
  spec: { ...podWith(pinned).spec, ephemeralContainers },
});

describe('the last word on an update', () => {
  it.each<[string, Asked, boolean]>([
    [
      'that brings no image, of what is revoked',
      { ...update, old: bad, object: { ...bad, metadata: { finalizers: [] } } },
      true,
    ],
    ['that brings an image', { ...update, old: bad, object: worse }, false],
    [
      'whatever its status label says',
      {
        ...update,
        old: { ...bad, metadata: { labels: { [rejecting]: 'pending' } } },
        object: worse,
      },
      false,
    ],
    ['of a pod that is being deleted', { ...update, old: going(bad), object: going(worse) }, true],
    [
      'that only says that it is being deleted',
      { ...update, old: bad, object: going(worse) },
      false,
    ],
    ['that is a resize', { ...update, subResource: 'resize', old: bad, object: bad }, true],
    [
      'that is a resize and brings an image',
      { ...update, subResource: 'resize', old: bad, object: worse },
      false,
    ],
    [
      'with an ephemeral container that is verified',
      {
        ...update,
        subResource: 'ephemeralcontainers',
        old: podWith(pinned),
        object: debugging({ name: 'd', image: pinned }),
      },
      true,
    ],
    [
      'with an ephemeral container that is not',
      {
        ...update,
        subResource: 'ephemeralcontainers',
        old: podWith(pinned),
        object: debugging({ name: 'd', image: 'x.io/y:1' }),
      },
      false,
    ],
    [
      'with an ephemeral container that repeats an unpinned tag',
      {
        ...update,
        subResource: 'ephemeralcontainers',
        old: podWith('a.io/web:1'),
        object: debugging({ name: 'd', image: 'a.io/web:1' }),
      },
      false,
    ],
    ['that is a deletion', { operation: 'DELETE', old: bad, object: bad }, true],
  ])('%s', async (_, asked, allowed) => {
    expect(await answered({ known, ...asked })).toMatchObject({ allowed });
  });

  it('asks nobody and reads nothing where no image comes', async () => {
    const nobody: Namespaces = {
      ...namespaces,
      findLive: () => Promise.reject(new Error('asked')),
    };
    const judge: JudgeStated = { ...signed(), recall: () => Promise.reject(new Error('asked')) };
    const path = '/validate/require-trusted-images';
    const asked = { ...update, path, namespaces: nobody, judge, old: bad, object: bad };
    expect(await answered(asked)).toMatchObject(ok);
  });
});
