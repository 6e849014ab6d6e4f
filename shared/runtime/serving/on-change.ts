import type { ConfigSource } from '../config/source.ts';
import { pause } from '../pause.ts';

const lookEveryMs = 1_000;

export type Following = {
  readonly config: Pick<ConfigSource, 'generation'>;
  readonly act: () => Promise<unknown>;
  /** Acts again after so long although nothing has changed here. */
  readonly againMs?: number;
  readonly signal: AbortSignal;
};

/** Acts at once, and within about a second of each change of the configuration. */
export async function onEachChange({ config, act, againMs, signal }: Following): Promise<void> {
  while (!signal.aborted) {
    const acted = { generation: config.generation(), at: performance.now() };
    await act();
    const isDue = () => performance.now() - acted.at > (againMs ?? Number.POSITIVE_INFINITY);
    while (!signal.aborted && config.generation() === acted.generation && !isDue()) {
      await pause(lookEveryMs, signal);
    }
  }
}
