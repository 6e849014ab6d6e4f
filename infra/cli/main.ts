#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { readEnvironment } from '#shared/runtime/config.ts';
import manifest from '../../package.json' with { type: 'json' };
import { clusterNamed, definitionsThere, functionsFolder, loaded, reconcilers } from './named.ts';
import { processTerminal, sayError, type Terminal, type World } from './output.ts';

type Verb = {
  readonly name: string;
  readonly summary: string;
  /** Where what it found is told by 1 and 2: how it ends when it could not even look. */
  readonly stuck?: number;
  /** Loaded only when it is the one that is asked for, so that `--help` need not wait for all of them. */
  add(program: Command, world: World): Promise<unknown>;
};

const verbs: readonly Verb[] = [
  {
    name: 'dev',
    summary: 'a cluster, a database and every function, here and now',
    add: async (program, world) =>
      (await import('./dev.ts')).addDev(program, world, () => functionsFolder(program, world)),
  },
  {
    name: 'demo',
    summary: 'see on the running emulator what Gatehouse does, without kubectl',
    add: async (program, world) => (await import('./demo.ts')).addDemo(program, world),
  },
  {
    name: 'fault',
    summary: 'break something of the running emulator, as production will',
    add: async (program, world) => (await import('./fault.ts')).addFault(program, world),
  },
  {
    name: 'serve',
    summary: 'answer the API server, follow the cluster, run the functions',
    add: async (program, world) => {
      const { addServe } = await import('./serve.ts');
      addServe(program, world, async () => (await loaded(program, world)).registry);
    },
  },
  {
    name: 'render',
    summary: 'write the manifests that a deployment needs',
    add: async (program, world) => {
      const [{ addRender }, { unheardIn }] = await Promise.all([
        import('./render.ts'),
        import('./unheard.ts'),
      ]);
      return addRender(program, async () => {
        const { registry, settings } = await loaded(program, world);
        const definitions = registry.definitions.filter((each) =>
          registry.isEnabled(each, settings),
        );
        const unheard = unheardIn(registry, settings);
        const hasOwn = functionsFolder(program, world) !== undefined;
        return { definitions, settings, hasOwn, unheard };
      });
    },
  },
  {
    name: 'explain',
    summary: 'say what the functions would do with a pod, and why',
    add: async (program, world) => {
      const [{ addExplain }, { unheardIn }] = await Promise.all([
        import('./explain.ts'),
        import('./unheard.ts'),
      ]);
      addExplain(program, world, async () => {
        const found = await loaded(program, world);
        const unheard = unheardIn(found.registry, found.settings);
        for (const each of unheard) world.terminal.complain(`warning: ${each}\n`);
        return found;
      });
    },
  },
  {
    name: 'queue',
    summary: 'look at the messages that wake functions',
    add: async (program, world) => {
      const [{ addQueue }, { queueOn }] = await Promise.all([
        import('./queue.ts'),
        import('./queue/open.ts'),
      ]);
      const functions = (state: string | undefined) => reconcilers(program, world, state);
      const cluster = (state: string | undefined) => clusterNamed(program, world, state);
      addQueue(program, world, {
        useIn: queueOn(world, { functions, cluster }),
        functions: (state) => definitionsThere(program, world, state),
      });
    },
  },
  {
    name: 'events',
    summary: 'watch what happens, live',
    add: async (program, world) => {
      const [{ addEvents }, { followOn }] = await Promise.all([
        import('./events.ts'),
        import('./events/follow.ts'),
      ]);
      addEvents(program, world, {
        follow: followOn(world),
        cluster: (state) => clusterNamed(program, world, state),
        kinds: async (state) => {
          const { knownKinds } = await import('../emulator/world/known-kinds.ts');
          return knownKinds(await definitionsThere(program, world, state)).all();
        },
        functions: (state) => definitionsThere(program, world, state),
      });
    },
  },
  {
    name: 'migrate',
    summary: 'bring the schema of the database up to this version',
    add: async (program, world) => {
      const [{ addMigrate }, { databaseFor, databaseInUse, refuseOwnInPod }, state] =
        await Promise.all([import('./migrate.ts'), import('./database.ts'), import('./state.ts')]);
      const say = (text: string) => world.terminal.complain(`${text}\n`);
      addMigrate(program, world, async ({ isLook, state: folder }) => {
        const named = await state.databaseLookedInto(world.environment, folder, say);
        refuseOwnInPod(named);
        return (isLook ? databaseInUse : databaseFor)(named, say);
      });
    },
  },
  {
    name: 'image',
    summary: 'say who vouches for an image',
    stuck: 3,
    add: async (program, world) => {
      const [{ addImage }, { settingsFrom }] = await Promise.all([
        import('./image.ts'),
        import('./config.ts'),
      ]);
      const file = () => program.opts<{ config?: string }>().config;
      const settings = async () => settingsFrom(file() ?? world.environment.configFile);
      addImage(program, world, { settings });
    },
  },
  {
    name: 'webhooks',
    summary: 'switch Gatehouse’s webhooks off and on again',
    add: async (program, world) => (await import('./webhooks.ts')).addWebhooks(program, world),
  },
  {
    name: 'bootstrap',
    summary: 'say what became of pods when they were made',
    add: async (program, world) => (await import('./bootstrap.ts')).addBootstrap(program, world),
  },
  {
    name: 'config',
    summary: 'check the configuration, or show it or its schema',
    add: async (program, world) => {
      const { addConfig } = await import('./config.ts');
      addConfig(program, world, async () => {
        const { loadRegistry } = await import('./load.ts');
        return loadRegistry(functionsFolder(program, world));
      });
    },
  },
];

const exits = { ok: 0, failed: 1, usage: 2 } as const;

export async function runCli(
  argv: readonly string[],
  given: Pick<World, 'terminal' | 'environment'>,
): Promise<number> {
  let exit: number = exits.ok;
  const fail = (code: number = exits.failed) => {
    exit = code;
  };
  const { terminal, environment } = given;
  const program = rootCommand(terminal);
  let stuck: number | undefined;
  try {
    const asked = verbAsked(program, argv);
    stuck = asked?.stuck;
    await addVerbs(program, asked, { ...given, fail });
    for (const warning of environment.warnings) terminal.complain(`gatehouse: ${warning}\n`);
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (cause: unknown) {
    if (cause instanceof CommanderError) {
      return cause.exitCode === 0 ? exits.ok : (stuck ?? exits.usage);
    }
    terminal.complain(sayError(cause, { debug: argv.includes('--debug') }));
    return stuck ?? exits.failed;
  }
}

function rootCommand({ print, complain }: Terminal): Command {
  return new Command('gatehouse')
    .description(manifest.description)
    .version(manifest.version, '-V, --version')
    .option('--config <file>', 'the configuration (default: GATEHOUSE_CONFIG, else the defaults)')
    .option(
      '--functions <folder>',
      "your own functions beside Gatehouse's (default: GATEHOUSE_FUNCTIONS; of queue and events those of the dev that they look into)",
    )
    .option('--debug', 'show the stack of an error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: print, writeErr: complain })
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)');
}

async function addVerbs(program: Command, asked: Verb | undefined, world: World): Promise<void> {
  for (const verb of verbs) {
    const { name, summary, add } = verb;
    if (verb === asked) await add(program, world);
    else program.command(name).summary(summary).description(summary);
  }
}

function verbAsked(program: Command, argv: readonly string[]): Verb | undefined {
  const [first, second] = program.parseOptions([...argv]).operands;
  const asked = first === 'help' ? second : first;
  return verbs.find(({ name }) => name === asked);
}

/** Whoever reads us may stop early (`| head`): no reason to complain. */
function endQuietlyWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

/** A pipe takes at once no more than it holds. Whoever is told nothing may have closed it. */
async function untilWritten(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise<void>((told) => stream.write('', () => told()));
}

if (import.meta.main) {
  endQuietlyWhenNobodyReads();
  const environment = readEnvironment();
  const terminal = processTerminal(environment.colour);
  const exit = await runCli(process.argv.slice(2), { terminal, environment });
  await Promise.all([process.stdout, process.stderr].map(untilWritten));
  // Not left to what may still be open: a connection on which nothing comes through stays so for good.
  process.exit(exit);
}
