import type { Command } from 'commander';
import { type Told, toldFrom } from '#shared/runtime/worker/happening.ts';
import { pause } from '#shared/runtime/worker/pause.ts';
import { outputOption } from './config.ts';
import { type Filter, isWanted } from './events/filter.ts';
import { lineOf } from './events/line.ts';
import type { OutputFormat, Terminal, World } from './output.ts';
import { untilTold } from './until-told.ts';

/** Hears what is told until the signal; throws where the connection is lost. */
export type Follow = (hearing: {
  readonly onPayload: (payload: string) => void;
  readonly onReady: () => void;
  readonly signal: AbortSignal;
  readonly isBehind?: () => boolean;
}) => Promise<void>;

type Options = Filter & { readonly output: OutputFormat };

export type Hearing = {
  readonly follow: Follow;
  /** Of a fleet that shares the database. */
  readonly cluster: () => Promise<string>;
};

export function addEvents(program: Command, world: World, hearing: Hearing): void {
  program
    .command('events')
    .description('watch what happens in the cluster, and what functions make of it')
    .command('tail')
    .summary('live lines, until Ctrl-C')
    .description(
      'Prints what happens as it happens: each change, whom it wakes, what became of each run, and how long it took; of a fleet that shares a database, in the cluster that the configuration names. Costs the workers nothing while nobody looks; lines that they cannot tell in time are dropped, and counted.',
    )
    .option('--kind <kind>', 'only of this kind: pods, deployments.apps')
    .option('--namespace <namespace>', 'only of this namespace')
    .option('--function <name>', 'only what wakes this function, and its runs')
    .addOption(outputOption('text', 'json'))
    .action((options: Options) => tail(options, world, hearing));
}

const againMs = 500;

async function tail({ output, ...filter }: Options, { terminal }: World, hearing: Hearing) {
  const cluster = await hearing.cluster();
  const told = untilTold();
  const { signal } = told;
  const onPayload = (payload: string): void => {
    const { lines, dropped, cluster: whose = cluster } = toldFrom(payload) ?? nothing;
    if (whose !== cluster) return;
    if (dropped > 0) terminal.complain(`${dropped} lines were dropped\n`);
    for (const line of lines.filter((each) => isWanted(each, filter))) {
      terminal.print(
        output === 'json' ? `${JSON.stringify(line)}\n` : lineOf(line, terminal.paint),
      );
    }
  };
  const { isBehind = () => false } = terminal;
  const { onReady, onEnd } = connectionTold(terminal, cluster);
  try {
    while (!signal.aborted) {
      await hearing.follow({ onPayload, onReady, signal, isBehind }).catch(onEnd);
      await pause(againMs, signal);
    }
  } finally {
    told.off();
  }
}

const nothing: Told = { cluster: undefined, lines: [], dropped: 0 };

/** An outage is told once. A database that was never there is none. */
function connectionTold({ complain }: Terminal, cluster: string) {
  let state: 'unknown' | 'listening' | 'lost' = 'unknown';
  return {
    onReady(): void {
      state = 'listening';
      complain(`listening to the cluster ${cluster}; Ctrl-C ends it\n`);
    },
    onEnd(cause: unknown): void {
      if (state === 'unknown') throw cause;
      if (state === 'listening') {
        complain('the connection was lost; what happens meanwhile is not shown\n');
      }
      state = 'lost';
    },
  };
}
