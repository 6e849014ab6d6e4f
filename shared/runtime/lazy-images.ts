import type { Database } from '#shared/adapters/database/open.ts';
import type { Cluster, ImageJudge, Ports } from '#shared/ports.ts';
import { type Once, once } from './once.ts';

type Sources = Pick<Ports, 'settings' | 'clock' | 'bootstrapDocument'> & {
  readonly cluster: Pick<Cluster, 'find'>;
  readonly database: Once<Database>;
  readonly threw: ((cause: unknown) => void) | undefined;
};

export type LazyImages = { readonly images: ImageJudge; close(): Promise<void> };

/** A process whose functions judge no images loads none of it. */
export function lazyImages({ database, ...parts }: Sources): LazyImages {
  const opened = once(async () => {
    const [{ imageTrust }, store] = await Promise.all([
      import('./image-trust.ts'),
      storeOf(database, parts),
    ]);
    const judge = imageTrust({ ...parts, store });
    return {
      judge,
      async close() {
        judge.close();
        await store.close();
      },
    };
  });
  return {
    images: {
      judge: async (...given) => (await opened.get()).judge.judge(...given),
      recall: async (...given) => (await opened.get()).judge.recall(...given),
    },
    close: async () => {
      await (await opened.known())?.close();
    },
  };
}

async function storeOf({ get }: Once<Database>, { settings }: Pick<Sources, 'settings'>) {
  const found = await get().catch(() => undefined);
  if (found === undefined) {
    const { noStore } = await import('#shared/adapters/image-trust/no-store.ts');
    return { ...noStore(), close: async () => undefined };
  }
  const { verdictsOn } = await import('#shared/adapters/database/image-verdicts.ts');
  return verdictsOn(found.sql, { cluster: settings.current().installation.cluster });
}
