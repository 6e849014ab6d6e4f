import { join } from 'node:path';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { Server } from '../../cli/database.ts';
import { type EmulatedCluster, emulatedCluster } from '../cluster/emulated-cluster.ts';
import { idOf } from '../cluster/served-kinds.ts';
import { isContained } from './contained.ts';
import { openControl } from './control.ts';
import { faultsOn, openTroubling } from './faults.ts';
import { freePort } from './free-port.ts';
import { type Folders, openFunctionsInWork } from './functions-in-work.ts';
import { openImages } from './images.ts';
import { isInspected, untimed } from './inspecting.ts';
import { openInstaller, type Watch } from './install.ts';
import { inFile } from './installed.ts';
import { letGo } from './let-go.ts';
import { openLoop, type Telling } from './loop.ts';
import { manifestsFor, userOf } from './manifests.ts';
import { nodesFor } from './nodes.ts';
import { notStarted } from './not-started.ts';
import { seldom } from './seldom.ts';
import { configInWork } from './settings.ts';
import { settled } from './settled.ts';
import { type Places, readPlaces, statedIn, writePlaces } from './state-files.ts';

export type DevOptions = Telling & {
  /** The configuration's file, followed. */
  readonly config: ConfigSource;
  readonly stateFolder: string;
  readonly folders: Folders;
  /** On its way; ours to stop. */
  readonly database: Promise<Server>;
  /** Of the API server: any free one where it is 0, that of the last time where nothing is said. */
  readonly port: number | undefined;
};

export type Dev = {
  readonly places: Places;
  stop(): Promise<void>;
};

/** A cluster, a database and every function in this process; on what is opened last it ends first. */
export async function openDev(options: DevOptions): Promise<Dev> {
  await using opened = new AsyncDisposableStack();
  const troubling = openTroubling();
  const last = await portsOfLastTime(options);
  const [cluster, functions, database] = await settled([
    openedCluster({ ...options, port: last.cluster }, opened),
    openFunctionsInWork(options.folders, (each) => untimed(troubling.dressed(each))),
    openedDatabase(options, opened),
  ]);
  opened.defer(() => functions.close());
  options.stopped.throwIfAborted();
  if (last.before !== 0 && last.before !== last.cluster) options.say(movedFrom(last));
  const admin = loginTo(cluster, tokenIn(cluster.tokenKubeconfig));
  // Of the last time, nodes are there: functions come first, and whoever runs pods comes last.
  if (!cluster.isResumed) await openNodes(admin, options, opened);
  const isThere = lookingInto(cluster);
  const memory = inFile(join(options.stateFolder, 'cluster', 'installed.json'));
  const installer = await openInstaller(admin, { isThere, memory });
  opened.defer(() => installer.close());

  const { registry } = functions;
  const settings = configInWork(options.config, { registry, server: last.server });
  const manifests = () => manifestsFor(registry, settings.current());
  const loginBy = (token: string) => loginTo(cluster, token);
  const loop = { ...options, functions, database, installer, settings, manifests, loginBy };
  const { serving, restart } = await openLoop(loop, opened);
  if (cluster.isResumed) await openNodes(admin, options, opened);

  const definitions = () => registry.definitions;
  const { cluster: admins, removeNow } = installer;
  const isOurs = (user: string) => user === userOf(settings.current());
  const { say } = options;
  const around = { troubling, definitions, restart, isOurs, say };
  const running = { cluster, admin: admins, removeNow, ...around };
  const control = await openControl(faultsOn(running));
  opened.defer(() => control.close());
  const stated = statedIn(options.folders, settings.current());
  const written = () =>
    writePlaces(options.stateFolder, {
      ...{ stated, cluster, serving, database, control },
      definitions: definitions(),
    });
  registry.onReplaced(async () => void (await written()));
  const places = await written();
  const all = opened.move();
  return { places, stop: () => all.disposeAsync() };
}

/** In the process itself: after a restart nearly all is as it was, and each apply takes 7 ms of it. */
export function lookingInto({ reading }: EmulatedCluster): NonNullable<Watch['isThere']> {
  return ({ kind, namespace, name }, object) =>
    isContained(object, reading.find(idOf(kind), { namespace, name }));
}

/** The webhooks then say it already; and what is written down, or was copied from there, holds over a restart. */
async function portsOfLastTime({ stateFolder, port }: DevOptions) {
  const places = await readPlaces(stateFolder);
  const [cluster, admission, probes] = await Promise.all([
    port ?? portAgain(places?.cluster),
    portAgain(places?.admission),
    portAgain(places?.probes),
  ]);
  const before = port === undefined ? portIn(places?.cluster) : 0;
  return { before, cluster, server: { port: admission, probePort: probes } };
}

/** Any free one where it is in use now. */
function portAgain(address: string | undefined): Promise<number> {
  return freePort(portIn(address)).catch(() => freePort());
}

function movedFrom({ before, cluster }: { readonly before: number; readonly cluster: number }) {
  return `the cluster is at port ${cluster}, since its own, ${before}, is in use: copies of its kubeconfig do not lead here`;
}

/** 0 where it is none. */
function portIn(address: string | undefined): number {
  return address !== undefined && URL.canParse(address) ? Number(new URL(address).port) : 0;
}

/** Whoever makes nodes and pods of what is written down. Read when they are wanted: after a restart they come last. */
async function openNodes(
  login: Login,
  { config, log, say }: DevOptions,
  opened: AsyncDisposableStack,
): Promise<void> {
  const images = openImages({ config, say });
  opened.defer(() => images.close());
  const kubelet = { nodes: nodesFor(config.current()), resolveImage: images.resolveImage };
  const { openControllers } = await loadedControllers();
  const controllers = await openControllers({ login, log, kubelet });
  opened.defer(() => controllers.close());
}

function loadedControllers() {
  return import('../controllers/open-controllers.ts');
}

const minuteMs = 60_000;

async function openedCluster(
  { stateFolder, port, say }: DevOptions & { readonly port: number },
  opened: AsyncDisposableStack,
): Promise<EmulatedCluster> {
  const directory = join(stateFolder, 'cluster');
  // A disk that is full is tried again twice a second.
  const log = seldom({ say, everyMs: minuteMs });
  const options = { directory, port, log, isUntimed: isInspected };
  const cluster = await emulatedCluster(options).catch((cause: unknown) => {
    throw notStarted(cause, { port, directory });
  });
  opened.defer(() => cluster.close());
  // At a first start there is time for it, while the database is made.
  if (!cluster.isResumed) await loadedControllers();
  return cluster;
}

async function openedDatabase(
  { database, stateFolder: folder }: DevOptions,
  opened: AsyncDisposableStack,
): Promise<Server> {
  const server = await database;
  opened.defer(() => server.stop());
  await letGo(server.url, { folder, forgetting: '--fresh' });
  return server;
}

function loginTo({ url: server, ca }: EmulatedCluster, token: string): Login {
  return { kind: 'direct', server, ca, by: { token } };
}

/** The kubeconfig is ours: made a moment ago, with one user. */
function tokenIn(kubeconfig: string): string {
  const { users } = JSON.parse(kubeconfig) as { users: readonly { user: { token: string } }[] };
  return users[0]?.user.token ?? '';
}
