import type { Counter } from 'prom-client';
import { pause } from '../pause.ts';
import type { Counters } from './counters.ts';

/** As the metrics name them. */
export type Report = {
  readonly scope: string;
  readonly lagSeconds: number;
  readonly silentSeconds: number;
  readonly lists: number;
  readonly reconnects: number;
  readonly synthesisedDeletes: number;
  readonly refusedLines: number;
  readonly lost: number;
};

type Moment = Pick<Report, 'scope' | 'lagSeconds' | 'silentSeconds'>;

export async function reportOf(moment: Moment, count: Counters): Promise<Report> {
  const of = (counter: Counter) => sumOf(counter, moment.scope);
  return {
    ...moment,
    lists: await of(count.lists),
    reconnects: await of(count.reconnects),
    synthesisedDeletes: await of(count.gone),
    refusedLines: await of(count.refused),
    lost: await of(count.lost),
  };
}

/** However a count is told apart otherwise. */
async function sumOf(counter: Counter, scope: string): Promise<number> {
  const { values } = await counter.get();
  return values.reduce(
    (sum, { labels, value }) => sum + (labels['scope'] === scope ? value : 0),
    0,
  );
}

const usualEveryMs = 300_000;

type Rhythm = { readonly signal: AbortSignal; readonly everyMs?: number };

/** For whoever has a log and no metrics. */
export async function reportOn(
  report: () => Promise<void>,
  { signal, everyMs = usualEveryMs }: Rhythm,
): Promise<void> {
  while (!signal.aborted) {
    await pause(everyMs, signal);
    if (!signal.aborted) await report();
  }
}
