import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { secrets } from '#shared/domain/kind.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Cluster, ImagesAsked, Ports } from '#shared/ports.ts';
import { doorTo, type ImageTrust, imageTrust } from '#shared/runtime/image-trust.ts';
import { listening, type Unheard } from './unheard.ts';

/** What images are judged on from a terminal. */
export type Ground = {
  readonly settings: Settings;
  /** Where the installation keeps which roots it trusts; without it every one is seen for the first time. */
  readonly databaseUrl: string | undefined;
  /** Whose pull secrets are shown. */
  readonly cluster?: Pick<Cluster, 'find'> | undefined;
  readonly bootstrapDocument?: Pick<Ports['bootstrapDocument'], 'current'> | undefined;
  /** A Docker configuration, in place of all pull secrets. */
  readonly login?: string | undefined;
  readonly outside?: Outside;
  readonly now?: () => Date;
};

export type Images = AsyncDisposable & {
  readonly judge: ImageTrust;
  /** Who asks where there is no pod. */
  readonly pod: ImagesAsked['pod'];
  /** Who did not answer, since the last time. */
  unheard(): readonly Unheard[];
};

type Watch = ((line: string) => void) | undefined;

export async function openImages(ground: Ground, watch?: Watch): Promise<Images> {
  return opened(ground, (stored) => stored, watch);
}

/** Whatever is learnt is forgotten at the end; roots that the installation trusts are taken from it. */
export async function openForgetful(ground: Ground, watch?: Watch): Promise<Images> {
  const own = verdictsInMemory().open();
  return opened(ground, (stored) => withRootsOf(stored, own), watch);
}

async function opened(
  ground: Ground,
  over: (stored: VerdictStore) => VerdictStore,
  watch: Watch,
): Promise<Images> {
  const { login, bootstrapDocument, now = () => new Date() } = ground;
  const settings = withLogin(ground);
  await using stack = new AsyncDisposableStack();
  const { store, silence } = witnessed(await storeAt(ground, stack));
  const { door, take } = listening(ground.outside ?? doorTo(settings.imageTrust), watch);
  stack.defer(() => door.close());
  const judge = imageTrust({
    settings: { current: () => settings },
    clock: { now },
    cluster: secretsFrom(ground),
    bootstrapDocument: bootstrapDocument ?? { current: async () => undefined },
    store: over(store),
    outside: door,
  });
  const moved = stack.move();
  const pod = login === undefined ? undefined : anyPod;
  const unheard = () => [...take(), ...silence()];
  return { judge, pod, unheard, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

const anyPod = { namespace: '', serviceAccount: '', pullSecrets: ['login'] };

/** A login that is given is for the Notary too, wherever the installation has its own. */
function withLogin({ settings, login }: Ground): Settings {
  if (login === undefined) return settings;
  const { imageTrust } = settings;
  const notary = { ...imageTrust.notary, secret: 'login' };
  return { ...settings, imageTrust: { ...imageTrust, notary } };
}

function secretsFrom({ cluster, login }: Ground): Pick<Cluster, 'find'> {
  if (login === undefined) return cluster ?? { find: async () => undefined };
  const data = { '.dockerconfigjson': Buffer.from(login).toString('base64') };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data };
  return { find: async ({ kind }) => (kind === secrets ? secret : undefined) };
}

async function storeAt(
  { databaseUrl, settings: { installation } }: Ground,
  stack: AsyncDisposableStack,
): Promise<VerdictStore> {
  if (databaseUrl === undefined) return verdictsInMemory().open();
  const { verdictsOn } = await import('#shared/adapters/database/image-verdicts.ts');
  const database = openDatabase(databaseUrl, { name: 'gatehouse image', connections: 2 });
  const store = verdictsOn(database.sql, { cluster: installation.cluster });
  stack.defer(() => database.close());
  stack.defer(() => store.close());
  return store;
}

/** Whoever has waited so long is told that there is no answer. */
const silentMs = 500;

/** Why nobody knows what the installation trusts: whoever judges goes on without, and says nothing of it. */
function witnessed(store: VerdictStore) {
  let about: string | undefined;
  const seen =
    <Given extends readonly unknown[], T>(read: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      const late = setTimeout(() => {
        about ??= 'no answer';
      }, silentMs);
      try {
        return await read(...given);
      } catch (cause: unknown) {
        about = reasonOf(cause);
        throw cause;
      } finally {
        clearTimeout(late);
      }
    };
  const { find, findAnchor, findTag, findFacts } = store;
  const reads = { find: seen(find), findAnchor: seen(findAnchor), findTag: seen(findTag) };
  const silence = (): readonly Unheard[] =>
    about === undefined ? [] : [{ host: 'DATABASE_URL', why: 'database', about }];
  return { store: { ...store, ...reads, findFacts: seen(findFacts) }, silence };
}

/** Of several addresses that were tried, each has its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}

export function withRootsOf(stored: VerdictStore, own: VerdictStore): VerdictStore {
  return {
    ...own,
    async findAnchor(collection) {
      const known = await own.findAnchor(collection);
      if (known !== undefined) return known;
      const kept = await stored.findAnchor(collection);
      if (kept !== undefined) await own.keepAnchor(collection, kept, undefined);
      return own.findAnchor(collection);
    },
  };
}
