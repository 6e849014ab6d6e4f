import type { Cursor } from '#shared/domain/mirrored.ts';

/** A cursor as `watches` has it. */
export type StoredCursor = {
  readonly epoch: number;
  readonly generation: number;
  readonly position: string;
  readonly resource_version: string | null;
};

export function cursorFrom(stored: StoredCursor): Cursor {
  const { epoch, generation, position, resource_version: resourceVersion } = stored;
  if (position === 'watching' && resourceVersion !== null) {
    return { epoch, generation, at: { resourceVersion } };
  }
  return { epoch, generation, at: position === 'listing' ? 'listing' : 'nowhere' };
}

export function storedFrom({ epoch, generation, at }: Cursor): StoredCursor {
  return typeof at === 'string'
    ? { epoch, generation, position: at, resource_version: null }
    : { epoch, generation, position: 'watching', resource_version: at.resourceVersion };
}
