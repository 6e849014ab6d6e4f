import { isJsonObject, type JsonObject } from '../json.ts';
import { headline } from './denial.ts';
import { invalidAnnotation, reject, rejectAnnotation } from './label-keys.ts';
import { markOf } from './trust-pod.ts';

/** What a pod's annotations alone are denied with, by whomever they were written; `undefined` where they reject nothing. */
export function rejectionIn(annotations: JsonObject): string | undefined {
  if (markOf(annotations, rejectAnnotation) !== reject) return undefined;
  const listed = markOf(annotations, invalidAnnotation) ?? '';
  return headline(listed === '' ? [] : [listed]);
}

/** Of any object. */
export function rejectionOf({ metadata }: JsonObject): string | undefined {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) ? rejectionIn(annotations) : undefined;
}
