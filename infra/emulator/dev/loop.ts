import { hostname } from 'node:os';
import type { Login } from '#shared/adapters/cluster/login.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { ConfigSource } from '#shared/runtime/config/source.ts';
import type { Happening } from '#shared/runtime/happening.ts';
import type { Log } from '#shared/runtime/log.ts';
import { type Serving, serve } from '#shared/runtime/serve.ts';
import { onEachChange } from '#shared/runtime/serving/on-change.ts';
import type { Server } from '../../cli/database.ts';
import { readMigrations } from '../../migrations/read.ts';
import type { FunctionsInWork, Reloaded } from './functions-in-work.ts';
import { isInspected } from './inspecting.ts';
import type { Installer } from './install.ts';
import { openLife } from './life.ts';
import { account } from './manifests.ts';
import { untilReady } from './until-ready.ts';

/** What is said of a loop as it turns. */
export type Telling = {
  readonly log: Log;
  readonly say: (text: string) => void;
  readonly onlooker: (happening: Happening) => void;
  readonly onReloaded: (reloaded: Reloaded) => void;
  readonly stopped: AbortSignal;
};

export type LoopOptions = Telling & {
  readonly functions: FunctionsInWork;
  readonly database: Server;
  readonly installer: Installer;
  readonly settings: ConfigSource;
  /** As the functions and the settings are now. */
  readonly manifests: () => readonly KubeObject[];
  /** In the name of a service account. */
  readonly loginBy: (token: string) => Login;
};

export type Loop = {
  readonly serving: Serving;
  restart(): Promise<void>;
};

/** Forwarder, worker, admission and functions, in a cluster that is given what it must know of them. */
export async function openLoop(options: LoopOptions, opened: AsyncDisposableStack): Promise<Loop> {
  const { functions, installer, settings, manifests, loginBy, onReloaded, log } = options;
  const installed = manifests();
  await installer.install(installed);
  const { namespace } = settings.current().installation;
  // With the rights that the functions state, and no others.
  const login = loginBy(await installer.token({ namespace, name: account }));
  const life = await openLife(() => served(options, login));
  opened.defer(() => life.stop());
  await untilReady({
    ...options,
    cluster: installer.cluster,
    serving: life.serving,
    manifests: installed,
  });
  functions.registry.onReplaced(() => installer.install(manifests()));
  opened.defer(reinstalling(options));
  functions.follow((reloaded) => {
    onReloaded(reloaded);
    void hastened(reloaded, life.now(), log);
  });
  return life;
}

/** What failed is tried again by the function that was mended, and not when its backoff is over; nor is an earlier `later`. */
async function hastened(reloaded: Reloaded, serving: Serving | undefined, log: Log): Promise<void> {
  if (reloaded.kind !== 'reloaded') return;
  try {
    await serving?.hasten(reloaded.functions);
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    log.warn({ why }, 'what waits for its time was not hastened, and waits on');
  }
}

/** What a changed configuration switches on or off is installed or removed. */
function reinstalling({ settings, installer, manifests, log }: LoopOptions): () => Promise<void> {
  const ended = new AbortController();
  const act = async () => {
    try {
      await installer.install(manifests());
    } catch (cause: unknown) {
      const why = cause instanceof Error ? cause.message : String(cause);
      log.error({ why }, 'the changed configuration was not installed');
    }
  };
  const following = onEachChange({ config: settings, act, signal: ended.signal });
  return () => {
    ended.abort();
    return following;
  };
}

async function served(options: LoopOptions, login: Login): Promise<Serving> {
  const { functions, settings: config, database, log, onlooker, stopped } = options;
  return serve({
    ...{ login, config, log, onlooker, stopped },
    role: 'all',
    store: { url: database.url, migrations: await readMigrations() },
    queue: { kind: 'postgres' },
    registry: functions.registry,
    replica: `emulator-${hostname()}`,
    isUntimed: isInspected,
  });
}
