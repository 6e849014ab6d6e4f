import type { Database } from '#shared/adapters/database/open.ts';
import type { Cluster, ImageJudge, Ports } from '#shared/ports.ts';
import { type Once, once } from './once.ts';

type Sources = Pick<Ports, 'settings' | 'clock' | 'bootstrapDocument'> & {
  /** For runs, which must not go by an older one than what woke them. */
  readonly unremembered: Pick<Ports['bootstrapDocument'], 'current'>;
  readonly cluster: Pick<Cluster, 'find'>;
  readonly database: Once<Database>;
  readonly threw: ((cause: unknown) => void) | undefined;
};

export type LazyImages = {
  readonly images: ImageJudge;
  readonly imagesOfRuns: ImageJudge;
  /** The judge, and with him what he remembers of the database: whoever asks next has another one made. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

/** A process whose functions judge no images loads none of it. */
export function lazyImages({ database, unremembered, ...parts }: Sources): LazyImages {
  const open = async () => {
    const [{ imageTrust }, store] = await Promise.all([
      import('./image-trust.ts'),
      storeOf(database, parts),
    ]);
    const judge = imageTrust({ ...parts, store });
    return {
      judge,
      judgeOfRuns: judge.goingBy(unremembered),
      leaveStore: store.close,
      async close() {
        judge.close();
        await store.close();
      },
    };
  };
  let opened = once(open);
  const lazily = (get: () => Promise<ImageJudge>): ImageJudge => ({
    judge: async (...given) => (await get()).judge(...given),
    recall: async (...given) => (await get()).recall(...given),
  });
  return {
    images: lazily(async () => (await opened.get()).judge),
    imagesOfRuns: lazily(async () => (await opened.get()).judgeOfRuns),
    async forget() {
      const before = opened;
      opened = once(open);
      // What is under way to registries and Notaries is somebody's review still, and ends by itself.
      await (await before.known())?.leaveStore();
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
