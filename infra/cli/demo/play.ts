import type { Act } from './scenario.ts';

export type Shown = { readonly step: number; readonly act: Act; readonly came: readonly string[] };

type Playing = {
  /** Leaves what the acts make. */
  readonly keep: boolean;
  readonly show: (shown: Shown) => void;
  readonly signal: AbortSignal;
};

/** One act after the other; what they made goes at the end, also where that comes early. */
export async function play(acts: readonly Act[], playing: Playing): Promise<'shown' | 'stopped'> {
  const { keep, show, signal } = playing;
  const begun: Act[] = [];
  try {
    for (const [index, act] of acts.entries()) {
      begun.push(act);
      show({ step: index + 1, act, came: await act.play() });
    }
    return 'shown';
  } catch (cause: unknown) {
    if (signal.aborted && cause === signal.reason) return 'stopped';
    throw cause;
  } finally {
    if (!keep) await undo(begun);
  }
}

/** The last first, each whatever became of the others. */
async function undo(acts: readonly Act[]): Promise<void> {
  const failed: unknown[] = [];
  for (const act of acts.toReversed()) {
    await act.undo?.().catch((cause: unknown) => failed.push(cause));
  }
  if (failed.length > 0) throw failed[0];
}
