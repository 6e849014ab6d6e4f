import { once } from 'node:events';
import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { addressOf } from '#shared/adapters/database/address.ts';
import { followConfig } from '#shared/runtime/config/follow.ts';
import { sayProblem } from '#shared/runtime/config/load.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { Environment } from '#shared/runtime/config.ts';
import { onStrays } from '#shared/runtime/invoke/strays.ts';
import { openLog } from '#shared/runtime/log.ts';
import { loginFrom } from '#shared/runtime/login.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { type Serving, serve } from '#shared/runtime/serve.ts';
import type { ServeOptions } from '#shared/runtime/serving/house.ts';
import { type Role, roles } from '#shared/runtime/serving/role.ts';
import { readMigrations } from '../migrations/read.ts';
import type { Server } from './database.ts';
import { notListening } from './not-listening.ts';
import { trouble, type World } from './output.ts';
import { queueChoice, refuseUnnameable } from './queue/open.ts';
import { apart } from './until-told.ts';

export type LoadRegistry = () => Promise<Registry>;

type Options = { readonly role: Role; readonly kubeconfig?: string };

export function addServe(program: Command, world: World, loadRegistry: LoadRegistry): void {
  program
    .command('serve')
    .summary('answer the API server, follow the cluster, run the functions')
    .description(
      'Serves one role or all of them, against the cluster of KUBECONFIG or the one that it runs in: admission answers reviews over HTTPS, the forwarder follows the cluster into the database of DATABASE_URL, the worker runs what that wakes. Outside of a cluster, all of them can do with a database of their own in the state folder. SIGTERM drains; a second one ends at once.',
    )
    .addOption(new Option('--role <role>', 'what to be').choices([...roles]).default('all'))
    .option('--kubeconfig <file>', 'the cluster (default: KUBECONFIG, or the one that we run in)')
    .addHelpText('after', examples)
    .action(async ({ role, kubeconfig }: Options) => {
      const { config: file } = program.opts<{ config?: string }>();
      const { environment } = world;
      refuseWithoutDatabase(role, environment);
      const queue = queueChoice(environment);
      const registry = await loadRegistry();
      refuseUnnameable(queue, registry, role);
      const log = openLog({ level: 'info' });
      const config = configFrom(file ?? environment.configFile, log);
      const login = loginFrom({
        ...environment,
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
      });
      refuseWithoutCluster({ config, login, role });
      await refuseUnusable(login);
      const replica = environment.podName ?? `${hostname()}-${process.pid}`;
      const { stopped, broken } = untilTold(log);
      const server = await unlessStopped(stopped, () =>
        serverFor(role, environment, { log, stopped }),
      );
      try {
        const store = server && { url: server.url, migrations: await readMigrations() };
        const options = { role, store, queue, registry, config, login, replica, log, stopped };
        const serving = await unlessStopped(stopped, () => served(options));
        if (!stopped.aborted) await once(stopped, 'abort');
        await serving?.stop();
      } finally {
        await server?.stop();
      }
      if (broken()) throw brokenOff();
    });
}

const examples = `
Examples:
  $ KUBECONFIG=~/.kube/config gatehouse serve --role admission
  $ gatehouse serve --functions ./functions --config gatehouse.yaml
  $ DATABASE_URL=postgres://… gatehouse serve --role worker
`;

type ServeLog = ReturnType<typeof openLog>;

/** Told to stop while it waited for the state folder, or for its first certificate: an end, and no failure. */
async function unlessStopped<T>(
  stopped: AbortSignal,
  begin: () => Promise<T>,
): Promise<T | undefined> {
  try {
    stopped.throwIfAborted();
    return await begin();
  } catch (cause: unknown) {
    if (stopped.aborted && cause === stopped.reason) return undefined;
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

async function served(options: ServeOptions): Promise<Serving> {
  try {
    return await serve(options);
  } catch (cause: unknown) {
    throw notListening(cause, options.config.current());
  }
}

/** With a database of its own in each pod, no two of them would know the same. */
function refuseWithoutDatabase(role: Role, { databaseUrl, inCluster }: Environment): void {
  const isAlone = role === 'worker' || role === 'forwarder';
  // Throws where it is no address.
  if (databaseUrl !== undefined) addressOf(databaseUrl);
  if (databaseUrl !== undefined || role === 'admission') return;
  if (!isAlone && inCluster === undefined) return;
  throw trouble(`there is no database for ${isAlone ? `a ${role}` : 'a pod'} to share`, {
    where: 'DATABASE_URL is not set',
    mend: [
      'set DATABASE_URL to a Postgres 15 or newer: postgres://user:password@host:port/name;',
      'or run gatehouse serve --role admission, which can do without one;',
      'or, outside of a cluster, gatehouse serve: it brings a database of its own',
    ],
  });
}

/** Admission alone reads the cluster itself where nobody names a database. */
async function serverFor(
  role: Role,
  environment: Environment,
  { log, stopped }: { readonly log: ServeLog; readonly stopped: AbortSignal },
): Promise<Server | undefined> {
  const { databaseUrl: url, stateFolder } = environment;
  if (url !== undefined) return { url, stop: async () => {} };
  if (role === 'admission') return undefined;
  const { chatter, keepPostgres } = await import('./database.ts');
  const say = (text: string) => {
    const level = chatter.test(text) ? 'debug' : 'info';
    log[level]({ stateFolder }, text);
  };
  return keepPostgres(stateFolder, say, { say, stopped });
}

type Serves = {
  readonly config: ConfigSource;
  readonly login: Login | undefined;
  readonly role: Role;
};

/** Certificates of our own live in the cluster's Secret: without a cluster there is nothing to serve with. */
function refuseWithoutCluster({ config, login, role }: Serves): void {
  if (login !== undefined) return;
  const canDoWithout = role !== 'forwarder';
  if (canDoWithout && config.current().certificates.source === 'files') return;
  throw trouble('there is no cluster to serve', {
    where: 'KUBECONFIG is not set, --kubeconfig is not given, and this is no pod',
    mend: [
      'set KUBECONFIG to a cluster’s file and run it again;',
      ...(canDoWithout
        ? ['or serve mounted certificates without one: certificates.source: files;']
        : []),
      'or see without any cluster what the functions do: gatehouse explain -f pod.yaml',
    ].join('\n              '),
  });
}

/** A worker that found out by its first message would have taken it, and fail each. Reads files, and asks nobody. */
async function refuseUnusable(login: Login | undefined): Promise<void> {
  if (login?.kind !== 'kubeconfig' && login?.kind !== 'kubeconfig-text') return;
  try {
    const session = await openSession(login);
    session.close();
  } catch (cause: unknown) {
    throw trouble('the kubeconfig cannot be used', {
      where: login.kind === 'kubeconfig' ? login.path : 'the text in the environment',
      mend: 'name a file that kubectl can use by --kubeconfig or KUBECONFIG: it needs a current context',
      cause,
    });
  }
}

type Told = { readonly stopped: AbortSignal; readonly broken: () => boolean };

/** The first signal asks to end, the second one does not ask. */
function untilTold(log: ServeLog): Told {
  const controller = new AbortController();
  let isBroken = false;
  const stop = () => controller.abort(new Error('told to stop before it served'));
  const told = apart(() => {
    if (controller.signal.aborted) process.exit(1);
    stop();
  });
  process.on('SIGTERM', told);
  process.on('SIGINT', told);
  onStrays(log, () => {
    isBroken = true;
    stop();
  });
  return { stopped: controller.signal, broken: () => isBroken };
}

function brokenOff(): Error {
  return trouble('it ended because something was thrown outside of any call', {
    where: 'the log has it, with its stack',
    mend: 'catch it where it is thrown: in a timer or a callback that a function left behind',
  });
}
