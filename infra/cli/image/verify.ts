import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import type { Finding } from '#shared/domain/image-trust/judgement.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { doorTo, imageTrust } from '#shared/runtime/image-trust.ts';

export type Verifying = {
  readonly settings: Settings;
  readonly rules: TrustRules;
  /** Where the installation keeps which roots it trusts; without it every one is seen for the first time. */
  readonly databaseUrl: string | undefined;
  readonly progress: ((line: string) => void) | undefined;
  readonly outside?: Outside;
  readonly now?: () => Date;
};

/** As a dry run: nothing is planted. Without a cluster there are no pull secrets. */
export async function verifyImage(name: string, verifying: Verifying): Promise<Finding> {
  const { settings, rules, databaseUrl, progress, now = () => new Date() } = verifying;
  await using stack = new AsyncDisposableStack();
  const store = await storeAt(databaseUrl, settings, stack);
  const door = verifying.outside ?? doorTo(settings.imageTrust);
  stack.defer(() => door.close());
  const judge = imageTrust({
    settings: { current: () => settings },
    clock: { now },
    cluster: { find: async () => undefined },
    bootstrapDocument: { current: async () => undefined },
    store,
    outside: progress === undefined ? door : watched(door, progress),
  });
  const { signal } = new AbortController();
  const [finding] = await judge.judge([name], { rules, isDryRun: true, signal });
  progress?.('');
  if (finding === undefined) throw new Error('nothing was found out');
  return finding;
}

async function storeAt(
  url: string | undefined,
  { installation }: Settings,
  stack: AsyncDisposableStack,
): Promise<VerdictStore> {
  if (url === undefined) return verdictsInMemory().open();
  const { verdictsOn } = await import('#shared/adapters/database/image-verdicts.ts');
  const database = openDatabase(url, { name: 'gatehouse image', connections: 2 });
  const store = verdictsOn(database.sql, { cluster: installation.cluster });
  stack.defer(() => database.close());
  stack.defer(() => store.close());
  return store;
}

/** Tells whom we wait for. */
function watched(door: Outside, progress: (line: string) => void): Outside {
  let count = 0;
  return {
    ...door,
    read: (request) => {
      count += 1;
      progress(`asking ${URL.parse(request.url)?.host ?? 'somebody'} (${count})`);
      return door.read(request);
    },
  };
}
