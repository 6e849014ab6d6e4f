import { hasRoomFor } from '../annotation-room.ts';
import type { JsonObject } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import type { Change } from '../verdict.ts';
import { listed } from './denial.ts';
import {
  invalidAnnotation,
  reject,
  rejectAnnotation,
  type Status,
  statusLabel,
} from './label-keys.ts';
import { markOf, type TrustPod } from './trust-pod.ts';

type Mark = { readonly key: string; readonly value: string | undefined; readonly why: string };

export type Marks = {
  /** `undefined`: the label stays away, or goes. */
  readonly status: Status | undefined;
  readonly isRejected: boolean;
  /** What is to be told of; with none, what stands there is stale. */
  readonly invalid: readonly string[];
};

/** The fewest operations: nothing where all stands as it should. */
export function markChanges(pod: TrustPod, marks: Marks): readonly Change[] {
  return [
    ...marked(pod, 'labels', wantedLabels(marks)),
    ...marked(pod, 'annotations', wantedAnnotations(marks)),
  ];
}

function wantedLabels({ status }: Marks): readonly Mark[] {
  return [{ key: statusLabel, value: status, why: 'what is known of its images' }];
}

/** All annotations of an object together have 256 KiB: one more and nobody could mark the pod. */
const invalidCharacters = 32_768;

export function invalidText(images: readonly string[]): string {
  return listed(images, invalidCharacters);
}

function wantedAnnotations({ isRejected, invalid }: Marks): readonly Mark[] {
  const rejecting = isRejected
    ? { value: reject, why: 'it must not run' }
    : { value: undefined, why: 'nothing speaks against it now' };
  const telling =
    invalid.length === 0
      ? { value: undefined, why: 'no image is invalid now' }
      : { value: invalidText(invalid), why: 'they are not trusted' };
  return [
    { key: rejectAnnotation, ...rejecting },
    { key: invalidAnnotation, ...telling },
  ];
}

/** The same as a merge patch, for whoever has no request to answer; `undefined` where all stands as it should. */
export function markBody(pod: TrustPod, marks: Marks): JsonObject | undefined {
  const labels = bodyOf(pod.metadata.labels, wantedLabels(marks));
  const { annotations: there } = pod.metadata;
  const list = { [invalidAnnotation]: invalidText(marks.invalid) };
  // Without the list where it has no room: the label would be refused along with it.
  const fitting = hasRoomFor(there, list) ? marks : { ...marks, invalid: [] };
  const annotations = bodyOf(there, wantedAnnotations(fitting));
  if (labels === undefined && annotations === undefined) return undefined;
  return { metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
}

function bodyOf(there: JsonObject, marks: readonly Mark[]): JsonObject | undefined {
  const other = marks.filter(({ key, value }) => markOf(there, key) !== value);
  if (other.length === 0) return undefined;
  return Object.fromEntries(other.map(({ key, value = null }) => [key, value]));
}

/** Of an update that brings no image: what nobody but us may say goes back to what it was, and no rejection outlives its request. */
export function restored(pod: TrustPod, old: TrustPod, mayWriteStatus: boolean): readonly Change[] {
  const before = markOf(old.metadata.labels, statusLabel);
  const status = mayWriteStatus ? markOf(pod.metadata.labels, statusLabel) : before;
  return [
    ...marked(pod, 'labels', [
      { key: statusLabel, value: status, why: 'nobody but Gatehouse says what is known of images' },
    ]),
    ...marked(pod, 'annotations', [
      { key: rejectAnnotation, value: undefined, why: 'this request brings no image' },
    ]),
  ];
}

function marked(
  { metadata }: TrustPod,
  of: 'labels' | 'annotations',
  marks: readonly Mark[],
): readonly Change[] {
  const there = metadata[of];
  const other = marks.filter(({ key, value }) => markOf(there, key) !== value);
  if (other.length === 0) return [];
  if (Object.keys(there).length > 0) return other.flatMap((mark) => oneByOne(there, of, mark));

  // Missing, null and empty look the same from here, and the whole fits all of them.
  const value = Object.fromEntries(
    other.flatMap((mark) => (mark.value === undefined ? [] : [[mark.key, mark.value]])),
  );
  const why = other.map((mark) => mark.why).join('; ');
  return [{ op: 'add', path: pointer('metadata', of), value, why }];
}

function oneByOne(
  there: JsonObject,
  of: 'labels' | 'annotations',
  { key, value, why }: Mark,
): readonly Change[] {
  const path = pointer('metadata', of, key);
  const isThere = Object.hasOwn(there, key);
  if (value !== undefined) return [{ op: isThere ? 'replace' : 'add', path, value, why }];
  return isThere ? [{ op: 'remove', path, why }] : [];
}
