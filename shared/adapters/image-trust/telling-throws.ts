import type { JudgeParts } from './parts.ts';

/** Told where it happens: whoever waits for it may be gone by then, and all who are not hear of the same. */
export function tellingThrows<T>(work: Promise<T>, { threw }: Pick<JudgeParts, 'threw'>) {
  return work.catch((cause: unknown): never => {
    threw(cause);
    throw cause;
  });
}
