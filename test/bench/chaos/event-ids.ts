import type { Known } from './checker.ts';
import type { Run } from './runs.ts';

/** `uid/resourceVersion/what`; where one object woke for others, the other one's uid behind it. */
const shape = /^([^/]+)\/(\d+)\/([a-z]+)(?:\/([^/]+))?$/;

/** The id names something that happened: to that very object, in one of its versions, and its end only after its end. */
export function isKnown(
  { eventId, uid, isDeletion }: Run,
  objects: ReadonlyMap<string, Known>,
): boolean {
  const [, cause = '', version, what, member = cause] = shape.exec(eventId) ?? [];
  const object = objects.get(cause);
  if (object === undefined || member !== uid) return false;
  const isEnd = what === 'deleted';
  return (
    object.versions.has(Number(version)) &&
    isEnd === isDeletion &&
    (!isEnd || object.endedAt !== undefined)
  );
}
