import type { JsonObject } from '#shared/domain/json.ts';
import { metadataOf } from '../words/edit.ts';

/** The admission of the real server keeps what is in use from going; whose controller says when it is not. */
export function guarded(finalizer: string) {
  return (whole: JsonObject): JsonObject => {
    const { finalizers } = metadataOf(whole);
    const stated = Array.isArray(finalizers) ? finalizers : [];
    if (stated.includes(finalizer)) return whole;
    return { ...whole, metadata: { ...metadataOf(whole), finalizers: [...stated, finalizer] } };
  };
}
