import { type Command, InvalidArgumentError } from 'commander';
import type { Kind } from '#shared/domain/kind.ts';
import { type Told, toldFrom } from '#shared/runtime/happening.ts';
import { pause } from '#shared/runtime/pause.ts';
import { outputOption } from './config.ts';
import {
  type Filter,
  isWanted,
  nearestKind,
  type WantedKind,
  wantedKind,
} from './events/filter.ts';
import { lineOf } from './events/line.ts';
import { type OutputFormat, type Terminal, trouble, type World } from './output.ts';
import { type Answered, answeredBy, type Functions, hint, wokenOf } from './queue/strangers.ts';
import { plain } from './queue/table.ts';
import { stateOption } from './state.ts';
import { untilTold } from './until-told.ts';

/** Hears what is told until the signal; throws where the connection is lost. */
export type Follow = (hearing: {
  readonly onPayload: (payload: string) => void;
  readonly onReady: () => void;
  readonly signal: AbortSignal;
  readonly isBehind?: () => boolean;
  /** The state folder, where one was named. */
  readonly state: string | undefined;
}) => Promise<void>;

type Options = Omit<Filter, 'kind'> & {
  readonly kind?: string;
  readonly state?: string;
  readonly output: OutputFormat;
};

export type Hearing = {
  readonly follow: Follow;
  /** Of a fleet that shares the database. */
  readonly cluster: (state: string | undefined) => Promise<string>;
  /** Those of Kubernetes, and those that functions name. */
  readonly kinds: (state: string | undefined) => Promise<readonly Kind[]>;
  /** The functions here. */
  readonly functions: (state: string | undefined) => Promise<Functions>;
};

export function addEvents(program: Command, world: World, hearing: Hearing): void {
  program
    .command('events')
    .description('watch what happens in the cluster, and what functions make of it')
    .command('tail')
    .summary('live lines, until Ctrl-C')
    .description(
      'Prints what happens as it happens: each change, whom it wakes, what became of each run, and how long it took; of a fleet that shares a database, in the cluster that the configuration names. Costs the workers nothing while nobody looks; lines that they cannot tell in time are dropped, and counted. Reviews are not among them: to answer one, nothing is written to the database. Those gatehouse dev prints, and of a gatehouse serve denials are in the log.',
    )
    .option('--kind <kind>', 'only of this kind: pods, Pod, deployments.apps', filled)
    .option('--namespace <namespace>', 'only of this namespace', filled)
    .option('--function <name>', 'only what wakes this function, and its runs', filled)
    .addOption(stateOption())
    .addOption(outputOption('text', 'json'))
    .action((options: Options) => tail(options, world, hearing));
}

function filled(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError(
    'expected a name, found nothing; without the option all is shown.',
  );
}

const againMs = 500;

async function tail(
  { output, kind, state, ...rest }: Options,
  { terminal }: World,
  hearing: Hearing,
) {
  const wanted = kind && { kind: kindNamed(kind, await hearing.kinds(state)) };
  const filter: Filter = { ...rest, ...wanted };
  if (rest.function !== undefined) {
    refuseUnheard(rest.function, await hearing.functions(state), terminal);
  }
  const cluster = await hearing.cluster(state);
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
      await hearing.follow({ onPayload, onReady, signal, isBehind, state }).catch(onEnd);
      await pause(againMs, signal);
    }
  } finally {
    told.off();
  }
}

/** A replica answers without a word to the database; whoever waited here for one would wait in vain. */
function refuseUnheard(name: string, here: Functions, { complain }: Terminal) {
  const what = answeredBy(name, here);
  if (what !== undefined) throw unheard(name, what);
  const heard = wokenOf(here);
  if (heard.includes(name)) return;
  // Others of the fleet may have it.
  complain(`there is no function ${plain(name)} here${hint(name, heard)}\n`);
}

function unheard(name: string, what: Answered): Error {
  const where =
    what === 'review'
      ? 'for denials in the log of whoever serves admission'
      : 'in the log of whoever serves it';
  return trouble(`${name} answers ${what}s, and those are not told here`, {
    where: `to answer a ${what}, nothing is written to the database`,
    mend: `look at the lines of gatehouse dev, or ${where}`,
  });
}

/** What no happening is ever of would be waited for in vain. */
function kindNamed(word: string, kinds: readonly Kind[]): WantedKind {
  const wanted = wantedKind(word, kinds);
  if (wanted !== undefined) return wanted;
  const nearest = nearestKind(word, kinds);
  throw trouble(`there is no kind ${word} that a function here could follow`, {
    mend: [
      ...(nearest === undefined ? [] : [`did you mean ${nearest}?`]),
      'where a function of your own follows it, name its folder by --functions',
    ],
  });
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
