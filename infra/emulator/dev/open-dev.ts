import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { Log } from '#shared/runtime/log.ts';
import { type Serving, serve } from '#shared/runtime/serve.ts';
import type { Happening } from '#shared/runtime/worker/happening.ts';
import { keepPostgres, type Server } from '../../cli/database.ts';
import { readMigrations } from '../../migrations/read.ts';
import { type EmulatedCluster, emulatedCluster } from '../cluster/emulated-cluster.ts';
import { openControllers } from '../controllers/open-controllers.ts';
import { openControl } from './control.ts';
import { faultsOn, openTroubling } from './faults.ts';
import { freePort } from './free-port.ts';
import {
  type Folders,
  type FunctionsInWork,
  openFunctionsInWork,
  type Reloaded,
} from './functions-in-work.ts';
import { type Installer, openInstaller } from './install.ts';
import { account, manifestsFor } from './manifests.ts';
import { nodesFor } from './nodes.ts';
import { configInWork } from './settings.ts';
import { type Places, writePlaces } from './state-files.ts';
import { untilReady } from './until-ready.ts';

export type DevOptions = {
  /** The configuration's file, followed. */
  readonly config: ConfigSource;
  readonly stateFolder: string;
  readonly folders: Folders;
  /** Of the API server; any free one where it is 0. */
  readonly port: number;
  readonly log: Log;
  readonly say: (text: string) => void;
  readonly onlooker: (happening: Happening) => void;
  readonly onReloaded: (reloaded: Reloaded) => void;
  readonly stopped: AbortSignal;
};

export type Dev = {
  readonly places: Places;
  stop(): Promise<void>;
};

/** A cluster, a database and every function in this process; on what is opened last it ends first. */
export async function openDev(options: DevOptions): Promise<Dev> {
  await using opened = new AsyncDisposableStack();
  const troubling = openTroubling();
  // First who takes longest to come, and waits for nobody.
  const [cluster, database, functions] = await settled([
    openedCluster(options, opened),
    openedDatabase(options, opened),
    openFunctionsInWork(options.folders, troubling.dressed),
  ]);
  opened.defer(() => functions.close());
  const admin = loginTo(cluster, { token: tokenIn(cluster.tokenKubeconfig) });
  await openNodes(admin, options, opened);
  const installer = await openInstaller(admin);
  opened.defer(() => installer.close());

  const { registry } = functions;
  const settings = configInWork(options.config, { registry, port: await freePort() });
  const place = { ...options, cluster, functions, installer, settings };
  const login = await install(place);
  const life = await openLife(() => served(place, { login, database }));
  opened.defer(() => life.stop());
  const { serving, restart } = life;
  await untilReady({ ...options, ...installer, serving, manifests: manifestsOf(place) });
  registry.onReplaced(() => installer.install(manifestsOf(place)));
  functions.follow(options.onReloaded);

  const definitions = () => registry.definitions;
  const running = { cluster, admin: installer.cluster, troubling, definitions, restart };
  const control = await openControl(faultsOn(running));
  opened.defer(() => control.close());
  const places = await writePlaces(options.stateFolder, { cluster, serving, database, control });
  const all = opened.move();
  return { places, stop: () => all.disposeAsync() };
}

/** Whoever makes nodes and pods of what is written down. */
async function openNodes(
  login: Login,
  { config, log }: DevOptions,
  opened: AsyncDisposableStack,
): Promise<void> {
  const kubelet = { nodes: nodesFor(config.current()) };
  const controllers = await openControllers({ login, log, kubelet });
  opened.defer(() => controllers.close());
}

/** What serves ends and begins anew, at the same ports but for that of its probes. */
async function openLife(serveOnce: () => Promise<Serving>) {
  const serving = await serveOnce();
  let now = serving;
  return {
    serving,
    stop: () => now.stop(),
    async restart() {
      await now.stop();
      now = await serveOnce();
    },
  };
}

/** Where one of them fails, the others are waited for all the same, so that they can be closed. */
async function settled<T extends readonly Promise<unknown>[]>(opening: readonly [...T]) {
  await Promise.allSettled(opening);
  return Promise.all(opening);
}

async function openedCluster(
  { stateFolder, port, say }: DevOptions,
  opened: AsyncDisposableStack,
): Promise<EmulatedCluster> {
  const directory = join(stateFolder, 'cluster');
  const cluster = await emulatedCluster({ directory, port, log: say });
  opened.defer(() => cluster.close());
  return cluster;
}

async function openedDatabase(
  { stateFolder, log }: DevOptions,
  opened: AsyncDisposableStack,
): Promise<Server> {
  const database = await keepPostgres(stateFolder, (text) => log.debug({}, text));
  opened.defer(() => database.stop());
  return database;
}

type Place = DevOptions & {
  readonly cluster: EmulatedCluster;
  readonly functions: FunctionsInWork;
  readonly installer: Installer;
  readonly settings: ConfigSource;
};

function manifestsOf({ functions: { registry }, settings }: Place) {
  return manifestsFor(registry, settings.current());
}

/** Roles, webhooks and Services, and who we are there: with the rights that the functions state, and no others. */
async function install(place: Place): Promise<Login> {
  const { installer, cluster, settings } = place;
  await installer.install(manifestsOf(place));
  const { namespace } = settings.current().installation;
  const token = await installer.token({ namespace, name: account });
  return loginTo(cluster, { token });
}

function loginTo({ url: server, ca }: EmulatedCluster, by: { readonly token: string }): Login {
  return { kind: 'direct', server, ca, by };
}

type Ground = { readonly login: Login; readonly database: Server };

async function served(
  { functions: { registry }, settings: config, log, onlooker, stopped }: Place,
  { login, database }: Ground,
): Promise<Serving> {
  return serve({
    role: 'all',
    store: { url: database.url, migrations: await readMigrations() },
    queue: { kind: 'postgres' },
    registry,
    config,
    login,
    replica: `emulator-${hostname()}`,
    log,
    onlooker,
    stopped,
  });
}

/** The kubeconfig is ours: made a moment ago, with one user. */
function tokenIn(kubeconfig: string): string {
  const { users } = JSON.parse(kubeconfig) as { users: readonly { user: { token: string } }[] };
  return users[0]?.user.token ?? '';
}
