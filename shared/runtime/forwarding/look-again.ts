import type { ConfigSource } from '../config/source.ts';
import { pause } from '../pause.ts';

type Looking = {
  readonly config: Pick<ConfigSource, 'generation'>;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
};

/** A function that is switched on or off is followed within a second or two. */
export async function lookAgain(
  look: () => Promise<void>,
  { config, signal, everyMs = 1_000 }: Looking,
): Promise<void> {
  let seen = config.generation();
  while (!signal.aborted) {
    await pause(everyMs, signal);
    if (signal.aborted || config.generation() === seen) continue;
    seen = config.generation();
    await look();
  }
}
