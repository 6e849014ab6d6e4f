import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type { Cluster } from '#shared/ports.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import { keepPostgres } from '../../../cli/database.ts';
import { trouble } from '../../../cli/output.ts';
import { freePort } from '../free-port.ts';
import type { Folders, FunctionsInWork } from '../functions-in-work.ts';
import { openInstaller, targetOf } from '../install.ts';
import { letGo } from '../let-go.ts';
import { openLoop, type Telling } from '../loop.ts';
import { configInWork } from '../settings.ts';
import { type Endpoints, endpointsAt, type Stated, statedIn } from '../state-files.ts';
import { doorFor, refuseAnother } from './door.ts';
import { firstContact } from './first-contact.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { callingKinds, madeKinds } from './made-kinds.ts';
import { manifestsThere } from './manifests-there.ts';
import { ownMark } from './mark.ts';
import { removeMarked, untilGone } from './remove.ts';
import { making, refusedThere, refuseWithoutRights } from './rights-there.ts';
import type { WayHere } from './way-here.ts';

export type AgainstOptions = Telling & {
  readonly config: ConfigSource;
  readonly stateFolder: string;
  readonly folders: Folders;
  /** Ours to close. */
  readonly functions: FunctionsInWork;
  readonly kubeconfig: Kubeconfig;
  readonly way: WayHere | undefined;
};

export type Against = {
  readonly places: Stated & {
    readonly against: string;
    readonly cluster: string;
    readonly admission: string;
    readonly probes: string;
    readonly endpoints: Endpoints;
    readonly database: string;
  };
  stop(): Promise<void>;
};

/** The same loop in somebody else's cluster; what it made there goes when it ends, however far it got. */
export async function openAgainst(options: AgainstOptions): Promise<Against> {
  const { config, kubeconfig, way, say, functions } = options;
  await using opened = new AsyncDisposableStack();
  opened.defer(() => functions.close());
  const admin: Login = { kind: 'kubeconfig', path: kubeconfig.path };
  const folder = await folderFor(options.stateFolder, kubeconfig);
  // It is ours alone from here on: whatever carries its mark there is of nobody who lives.
  const { log, stopped } = options;
  const database = await keepPostgres(folder, (text) => log.debug({}, text), { say, stopped });
  opened.defer(() => database.stop());
  await letGo(database.url, { folder });

  const mark = await ownMark(folder);
  const installer = await openInstaller(admin, { door: doorFor({ mark, say }) });
  opened.defer(() => installer.close());
  const { registry } = functions;
  const port = await portFor(way);
  const server = { port, address: way?.address ?? '127.0.0.1', names: way ? [way.host] : [] };
  const settings = configInWork(config, { registry, server });
  const there = { mark, host: way?.host };
  const manifests = () => manifestsThere(registry, settings.current(), there);
  const asked = { path: kubeconfig.path, registersWebhooks: way !== undefined };
  await refuseWithoutRights(installer.cluster, { ...asked, verbs: making });
  await clearGround(installer.cluster, { ...options, mark, manifests });

  // Until here nothing was made.
  stopped.throwIfAborted();
  const leaving = { mark, kubeconfig, say };
  opened.defer(() => removed(installer.cluster, { ...leaving, waves: madeKinds }));
  const loginBy = (token: string): Login => ({
    kind: 'kubeconfig-text',
    text: kubeconfig.textFor(token),
  });
  const loop = { ...options, functions, database, installer, settings, manifests, loginBy };
  const { serving } = await openLoop(loop, opened).catch((cause: unknown) => {
    throw refusedThere(cause, kubeconfig.path);
  });
  opened.defer(() => removed(installer.cluster, { ...leaving, waves: [callingKinds] }));
  const stated = statedIn(options.folders, settings.current());
  const written = async () => {
    const admission = `https://${way?.host ?? '127.0.0.1'}:${serving.port}`;
    const places = {
      against: kubeconfig.path,
      cluster: kubeconfig.server.origin,
      admission,
      probes: `http://127.0.0.1:${serving.probePort}`,
      endpoints: endpointsAt(admission, registry.definitions),
      ...stated,
      database: database.url,
    };
    const text = `${JSON.stringify(places, null, 2)}\n`;
    await writeFile(join(folder, 'endpoints.json'), text, { mode: 0o600 });
    return places;
  };
  registry.onReplaced(async () => void (await written()));
  const places = await written();
  const all = opened.move();
  return { places, stop: () => all.disposeAsync() };
}

/** The one that the API server was promised, before anything is made that names it. */
async function portFor(way: WayHere | undefined): Promise<number> {
  if (way?.port === undefined) return freePort();
  const { host, port, address } = way;
  return freePort(port, address).catch((cause: unknown) => {
    throw trouble(`port ${port} cannot be listened on`, {
      where: `${address}:${port}, for --webhook-host ${host}:${port}`,
      mend: 'stop what listens there, or name another: --webhook-host HOST:PORT',
      cause,
    });
  });
}

/** One a cluster: what is known of one says nothing of another. */
export async function folderFor(
  stateFolder: string,
  { path }: Pick<Kubeconfig, 'path'>,
): Promise<string> {
  const folder = join(stateFolder, 'against', await firstContact(path));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

type Ground = Pick<AgainstOptions, 'config' | 'say' | 'stopped'> & {
  readonly mark: string;
  readonly manifests: () => ReturnType<typeof manifestsThere>;
};

/** What a killed one of ours left is removed; where somebody else is, nothing is changed. */
async function clearGround(cluster: Cluster, ground: Ground) {
  const { config, say, stopped, mark, manifests } = ground;
  const left = await removeMarked(cluster, mark);
  if (left.length > 0) say(`removed what the last time was left there: ${left.join(', ')}`);
  const { namespace } = config.current().installation;
  if (!(await untilGone(cluster, namespace, { say, stopped }))) {
    throw trouble(`the namespace ${namespace} does not end`, {
      where: 'it has been terminating for more than a minute',
      mend: `see what holds it: kubectl get namespace ${namespace} -o yaml`,
    });
  }
  // All before any: it is refused before anything was changed.
  await Promise.all(manifests().map((each) => refuseAnother(targetOf(each), cluster, mark)));
}

type Removing = {
  readonly mark: string;
  readonly kubeconfig: Kubeconfig;
  readonly waves: typeof madeKinds;
  readonly say: (text: string) => void;
};

async function removed(
  cluster: Cluster,
  { mark, kubeconfig, waves, say }: Removing,
): Promise<void> {
  try {
    const gone = await removeMarked(cluster, mark, waves);
    if (gone.length > 0) say(`removed there: ${gone.join(', ')}`);
  } catch (cause: unknown) {
    throw trouble('what was made in the cluster could not be removed', {
      where: kubeconfig.path,
      mend: `gatehouse dev --against ${kubeconfig.path} --clean removes it; so does the next start`,
      cause,
    });
  }
}
