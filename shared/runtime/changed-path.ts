import { refine, text } from '#shared/domain/decode.ts';
import { parsePointer } from '#shared/domain/json-pointer.ts';
import { isMirroredPath } from '#shared/domain/mirrored.ts';

const pointer = refine(
  text,
  (path) => path.startsWith('/') && parsePointer(path) !== undefined,
  'a JSON pointer such as /spec',
);
const named = refine(
  pointer,
  (path) => !segmentsOf(path).includes(''),
  'a name behind each slash, as in /spec',
);
/** No list has a place of that name. Of a map that has one, all is named: that wakes for more, and a slip wakes for nothing. */
const plain = refine(
  named,
  (path) => !segmentsOf(path).some((segment) => segment === '*' || segment === '-'),
  'no * and no -: a list is named as a whole, as in /spec/containers, and so is a map with such a key, as in /data',
);
const keyed = refine(
  plain,
  (path) => !isBelowText(segmentsOf(path)),
  'nothing below a label or an annotation: a slash in its key is written ~1, as in /metadata/labels/app.kubernetes.io~1name',
);

/** A path by which nothing is ever seen to change would wake nobody, for ever: it is a slip. */
export const changedPath = refine(
  keyed,
  (path) => isMirroredPath(segmentsOf(path)),
  'what is mirrored: managedFields and the last applied configuration are not, by whose absence nothing ever changes',
);

function segmentsOf(path: string): readonly string[] {
  return parsePointer(path) ?? [];
}

function isBelowText([top, map = '', ...below]: readonly string[]): boolean {
  return top === 'metadata' && ['labels', 'annotations'].includes(map) && below.length > 1;
}
