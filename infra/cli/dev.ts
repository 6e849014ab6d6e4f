import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { sayProblem } from '#shared/runtime/config/load.ts';
import { type ConfigChange, type ConfigSource, openConfig } from '#shared/runtime/config/source.ts';
import type { Folders } from '../emulator/dev/functions-in-work.ts';
import { openErrorWords } from './dev/error-words.ts';
import { guardThread } from './dev/guard.ts';
import { devHelp } from './dev/help.ts';
import { openHere, refusePortInUse } from './dev/here.ts';
import { type How, type Lines, openLines } from './dev/lines.ts';
import { outliveFunctions } from './dev/outlive-functions.ts';
import { forgetState, openStateFolder } from './dev/state-folder.ts';
import { untilTold } from './dev/until-told.ts';
import { type OutputFormat, trouble, type World } from './output.ts';

type Options = How & {
  readonly state?: string;
  readonly port?: number;
  readonly fresh: boolean;
  /** The port, or that it is a usual one. */
  readonly inspect?: number | true;
  readonly against?: string;
  readonly webhookHost?: string;
  readonly yes: boolean;
  readonly clean: boolean;
  readonly output: OutputFormat;
};

export function addDev(program: Command, world: World, ownFolder: () => string | undefined): void {
  program
    .command('dev')
    .summary('a cluster, a database and every function, here and now')
    .description(
      'Runs all of Gatehouse beside a Kubernetes API of its own that kubectl takes for a real one: no Docker, no cluster, no account. Functions are read again when they, or what they import, are saved. What happens is printed as it happens. The state is kept; Ctrl-C ends all of it.',
    )
    .option('--state <folder>', 'where the state is kept (default: GATEHOUSE_STATE, or .gatehouse)')
    .option('--port <port>', 'of the API server (default: that of last time), 0 for any free', port)
    .option('--fresh', 'forget the state of last time', false)
    .option('--inspect [port]', 'for a debugger; at a breakpoint no deadline ends', port)
    .option('-q, --quiet', 'print no lines of what happens', false)
    .option('--json', 'print lines as JSON', false)
    .addOption(
      new Option('-o, --output <format>', 'the same, as other verbs have it')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addOption(
      new Option('--against <kubeconfig>', 'in this real cluster, until it ends').conflicts([
        'port',
        'fresh',
      ]),
    )
    .option('--webhook-host <host[:port]>', 'how that cluster’s API server reaches this machine')
    .option('--yes', 'do not ask before that cluster is changed', false)
    .option('--clean', 'only remove what a killed one has left in that cluster', false)
    .addHelpText('after', devHelp)
    .action(async (given: Options, command: Command) => {
      refuseWithoutCluster(given, command);
      const { config, debug } = program.opts<{ config?: string; debug?: true }>();
      const options = { ...given, json: given.json || given.output === 'json' };
      await dev(options, world, { config, debug: debug === true, own: ownFolder() });
    });
}

/** Whoever forgot to name the cluster must not be left to believe that it was cleaned. */
function refuseWithoutCluster({ against, clean, yes, webhookHost }: Options, command: Command) {
  if (against !== undefined) return;
  const [alone] =
    Object.entries({ clean, yes, 'webhook-host': webhookHost }).find(([, is]) => is) ?? [];
  if (alone === undefined) return;
  command.error(
    `error: option '--${alone}' is of another cluster: name it by --against <kubeconfig>`,
  );
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('Expected a port, or 0 for any free one.');
}

type Given = {
  readonly config: string | undefined;
  readonly own: string | undefined;
  readonly debug: boolean;
};

async function dev(options: Options, world: World, given: Given): Promise<void> {
  const { config: file, own, debug } = given;
  const { environment, terminal } = world;
  const { against, inspect } = options;
  const stateFolder = options.state ?? environment.stateFolder;
  const folders = foldersFor(own);
  const inWords = openErrorWords({ debug, folders });
  const lines = openLines({ ...options, inWords }, terminal);
  const config = configFrom(file ?? environment.configFile, lines);
  await openStateFolder(stateFolder);
  await refusePortInUse(options.port, stateFolder);
  if (options.fresh) await forgetState(stateFolder, lines);
  await using opened = new AsyncDisposableStack();
  opened.defer(outliveFunctions(lines.log));
  const guard = guardThread(lines, folders);
  opened.defer(guard.stop);
  if (inspect !== undefined) opened.defer(await inspected(inspect, lines));
  const told = (most: number) => {
    const stopped = untilTold(most, lines.say);
    stopped.addEventListener('abort', lines.ending);
    return stopped;
  };
  const base = { config, stateFolder, folders, ...tellingOf(lines) };
  const running =
    against === undefined
      ? await openHere({ ...base, stopped: told(1), port: options.port })
      : await (await import('./dev/against.ts')).openThere(
          { ...options, against },
          { ...world, terminal: { ...terminal, ask: lines.ask } },
          { ...base, told },
        );
  if (running === undefined) return;
  opened.defer(() => running.stop());
  guard.begun();
  lines.ready(running.places);
  if (!running.stopped.aborted) await once(running.stopped, 'abort');
}

function tellingOf({ log, say, happened, reloaded }: Lines) {
  return { log, say, onlooker: happened, onReloaded: reloaded };
}

/** As Node's own, where nobody names a port. */
const usualInspectorPort = 9229;

async function inspected(stated: number | true, { say }: Lines): Promise<() => void> {
  const { openInspector } = await import('../emulator/dev/inspecting.ts');
  const { url, close } = openInspector(stated === true ? usualInspectorPort : stated);
  say(`a debugger can attach at ${url}; until it ends, no deadline does`);
  return close;
}

/** A package has no sources of ours to work on. */
function foldersFor(own: string | undefined): Folders {
  const root = join(import.meta.dirname, '../..');
  const sources = ['functions', 'shared/domain'].map((folder) => join(root, folder));
  return { builtIn: existsSync(join(root, 'infra/cli/dev.ts')) ? sources : [], own };
}

function configFrom(file: string | undefined, { log, say }: Lines): ConfigSource {
  const warnOf = (warnings: readonly string[]): void => {
    if (warnings.length > 0) log.warn({ warnings }, 'some of the configuration is not used');
  };
  const onChange = (change: ConfigChange): void => {
    if (change.kind === 'refused') {
      const why = change.problems.map(sayProblem).join('; ');
      log.error({ why }, 'the changed configuration is refused; the last good one is kept');
    } else if (change.kind === 'taken') say('a new configuration is served');
    else if (change.kind === 'warned') warnOf(change.warnings);
  };
  const opened = openConfig({ file, onChange });
  if (opened.ok) warnOf(opened.source.warnings());
  if (opened.ok) return opened.source;
  throw trouble('the configuration cannot be used', {
    where: opened.problems.map(sayProblem),
    mend: 'gatehouse config check FILE says when it is good; gatehouse config schema has every key',
  });
}
