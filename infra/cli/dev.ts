import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { sayProblem } from '#shared/runtime/config/load.ts';
import { type ConfigChange, type ConfigSource, openConfig } from '#shared/runtime/config/source.ts';
import type { Folders } from '../emulator/dev/functions-in-work.ts';
import { type How, type Lines, openLines } from './dev/lines.ts';
import { trouble, type World } from './output.ts';

type Options = How & {
  readonly state?: string;
  readonly port: number;
  readonly fresh: boolean;
};

export function addDev(program: Command, world: World, ownFolder: () => string | undefined): void {
  program
    .command('dev')
    .summary('a cluster, a database and every function, here and now')
    .description(
      'Runs all of Gatehouse beside a Kubernetes API of its own that kubectl takes for a real one: no Docker, no cluster, no account. Functions are read again when they are saved. What happens is printed as it happens. The state is kept; Ctrl-C ends all of it.',
    )
    .option('--state <folder>', 'where the state is kept (default: GATEHOUSE_STATE, or .gatehouse)')
    .option('--port <port>', 'of the API server, 0 for any free one', port, 0)
    .option('--fresh', 'forget the state of last time', false)
    .option('-q, --quiet', 'print no lines of what happens', false)
    .option('--json', 'print lines as JSON', false)
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const { config } = program.opts<{ config?: string }>();
      await dev(options, world, { config, own: ownFolder() });
    });
}

const examples = `
Examples:
  $ gatehouse dev
  $ KUBECONFIG=.gatehouse/kubeconfig kubectl get nodes
  $ gatehouse dev --functions ./functions --config gatehouse.yaml --fresh
`;

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('Expected a port, or 0 for any free one.');
}

type Given = { readonly config: string | undefined; readonly own: string | undefined };

async function dev(options: Options, world: World, { config: file, own }: Given): Promise<void> {
  const { environment, terminal } = world;
  const stateFolder = options.state ?? environment.stateFolder;
  const lines = openLines(options, terminal);
  const config = configFrom(file ?? environment.configFile, lines);
  if (options.fresh) await forget(stateFolder);
  const stopped = untilTold();
  const { openDev } = await import('../emulator/dev/open-dev.ts');
  const running = await openDev({
    ...{ config, stateFolder, stopped, port: options.port, folders: foldersFor(own) },
    ...{ log: lines.log, say: lines.say, onlooker: lines.happened, onReloaded: lines.reloaded },
  });
  lines.ready(running.places);
  if (!stopped.aborted) await once(stopped, 'abort');
  await running.stop();
}

/** A package has no sources of ours to work on. */
function foldersFor(own: string | undefined): Folders {
  const root = join(import.meta.dirname, '../..');
  const sources = ['functions', 'shared/domain'].map((folder) => join(root, folder));
  return { builtIn: existsSync(join(root, 'infra/cli/dev.ts')) ? sources : [], own };
}

function configFrom(file: string | undefined, { log, say }: Lines): ConfigSource {
  const onChange = (change: ConfigChange): void => {
    if (change.kind === 'refused') {
      const why = change.problems.map(sayProblem).join('; ');
      log.error({ why }, 'the changed configuration is refused; the last good one is kept');
    } else if (change.kind === 'taken') say('a new configuration is served');
  };
  const opened = openConfig({ file, onChange });
  if (opened.ok) return opened.source;
  throw trouble('the configuration cannot be used', {
    where: opened.problems.map(sayProblem),
    mend: 'gatehouse config check FILE says when it is good; gatehouse config schema has every key',
  });
}

/** What is ours in there, and nothing that somebody else may have put beside it. */
async function forget(stateFolder: string): Promise<void> {
  for (const name of ['cluster', 'postgres']) {
    await rm(join(stateFolder, name), { recursive: true, force: true });
  }
}

/** The first signal asks to end, the second one does not ask. */
function untilTold(): AbortSignal {
  const controller = new AbortController();
  const told = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort(new Error('told to stop'));
  };
  process.on('SIGTERM', told);
  process.on('SIGINT', told);
  return controller.signal;
}
