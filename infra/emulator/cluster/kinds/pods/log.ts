import type { Subresource } from '../../parts.ts';
import { metadataOf, textOf } from '../words/edit.ts';

/** No container runs, so none has written anything; that is said in the words of a log. */
export const log: Subresource = {
  shape: 'action',
  verb: 'get',
  type: { group: '', version: 'v1', kind: 'PodLogOptions' },
  act: (_, pod) =>
    Promise.resolve(
      `The emulated cluster runs no containers: pod ${textOf(metadataOf(pod), 'name')} has no logs.\n`,
    ),
};
