import { once } from 'node:events';
import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { followConfig } from '#shared/runtime/config/follow.ts';
import { sayProblem } from '#shared/runtime/config/load.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import { openLog } from '#shared/runtime/log.ts';
import { loginFrom } from '#shared/runtime/login.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { type Serving, serve } from '#shared/runtime/serve.ts';
import type { ServeOptions } from '#shared/runtime/serving/house.ts';
import { trouble, type World } from './output.ts';

export type LoadRegistry = () => Promise<Registry>;

type Options = { readonly role: 'admission' | 'all'; readonly kubeconfig?: string };

export function addServe(program: Command, world: World, loadRegistry: LoadRegistry): void {
  program
    .command('serve')
    .summary('answer the API server')
    .description(
      'Serves the enabled functions over HTTPS and runs the periodic ones, against the cluster of KUBECONFIG or the one that it runs in. SIGTERM drains; a second one ends at once.',
    )
    .addOption(
      new Option('--role <role>', 'what to be: admission, or everything there is')
        .choices(['admission', 'all'])
        .default('all'),
    )
    .option('--kubeconfig <file>', 'the cluster (default: KUBECONFIG, or the one that we run in)')
    .addHelpText('after', examples)
    .action(async ({ kubeconfig }: Options) => {
      const { config: file } = program.opts<{ config?: string }>();
      const { environment } = world;
      const registry = await loadRegistry();
      const log = openLog({ level: 'info' });
      const config = configFrom(file ?? environment.configFile, log);
      const login = loginFrom({
        ...environment,
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
      });
      refuseWithoutCluster(config, login);
      const replica = environment.podName ?? `${hostname()}-${process.pid}`;
      outliveStrays(log);
      const stopped = untilTold();
      const serving = await served({ registry, config, login, replica, log, stopped });
      if (!stopped.aborted) await once(stopped, 'abort');
      await serving?.stop();
    });
}

const examples = `
Examples:
  $ KUBECONFIG=~/.kube/config gatehouse serve --role admission
  $ gatehouse serve --functions ./functions --config gatehouse.yaml
`;

type ServeLog = ReturnType<typeof openLog>;

/** Told to stop while it waited for its first certificate: an end, and no failure. */
async function served(options: ServeOptions): Promise<Serving | undefined> {
  try {
    return await serve(options);
  } catch (cause: unknown) {
    if (options.stopped.aborted && cause === options.stopped.reason) return undefined;
    throw cause;
  }
}

function configFrom(file: string | undefined, log: ServeLog): ConfigSource {
  const opened = followConfig({ file, log });
  if (opened.ok) return opened.source;
  throw trouble('the configuration cannot be used', {
    where: opened.problems.map(sayProblem).join('\n         '),
    mend: 'gatehouse config check FILE says when it is good; gatehouse config schema has every key',
  });
}

/** Certificates of our own live in the cluster's Secret: without a cluster there is nothing to serve with. */
function refuseWithoutCluster(config: ConfigSource, login: Login | undefined): void {
  if (login !== undefined || config.current().certificates.source === 'files') return;
  throw trouble('there is no cluster to serve', {
    where: 'KUBECONFIG is not set, --kubeconfig is not given, and this is no pod',
    mend: [
      'set KUBECONFIG to a cluster’s file and run it again;',
      'or serve mounted certificates without one: certificates.source: files;',
      'or see without any cluster what the functions do: gatehouse explain -f pod.yaml',
    ].join('\n              '),
  });
}

/** A promise that a user's own function forgot must not end the server that others stand behind. */
function outliveStrays(log: ServeLog): void {
  process.on('unhandledRejection', (cause) => {
    log.error({ err: cause }, 'a promise was rejected that nobody waited for');
  });
}

/** The first signal asks to end, the second one does not ask. */
function untilTold(): AbortSignal {
  const controller = new AbortController();
  const told = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort(new Error('told to stop before it served'));
  };
  process.on('SIGTERM', told);
  process.on('SIGINT', told);
  return controller.signal;
}
