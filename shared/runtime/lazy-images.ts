import type { OpenVerdicts } from '#shared/adapters/database/image-verdicts.ts';
import type { Database } from '#shared/adapters/database/open.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
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
    const { imageTrust } = await import('./image-trust.ts');
    const store = lazyStore(database, parts);
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

/** Opened by whoever asks first while there is a database: until then each question finds it away. */
function lazyStore({ get }: Once<Database>, { settings }: Pick<Sources, 'settings'>): OpenVerdicts {
  const [changes, releases] = [new Set<Heard>(), new Set<Heard>()];
  let made: OpenVerdicts | undefined;
  let isClosed = false;
  const { get: store } = once(async () => {
    const { sql } = await get();
    const { verdictsOn } = await import('#shared/adapters/database/image-verdicts.ts');
    if (isClosed) throw new Error('the verdicts are closed');
    const verdicts = verdictsOn(sql, { cluster: settings.current().installation.cluster });
    verdicts.onChange(tellingAll(changes));
    verdicts.onRelease(tellingAll(releases));
    made = verdicts;
    return verdicts;
  });
  return {
    find: async (...given) => (await store()).find(...given),
    list: async (...given) => (await store()).list(...given),
    keep: async (...given) => (await store()).keep(...given),
    findAnchor: async (...given) => (await store()).findAnchor(...given),
    keepAnchor: async (...given) => (await store()).keepAnchor(...given),
    claim: async (...given) => (await store()).claim(...given),
    release: async (...given) => (await store()).release(...given),
    findTag: async (...given) => (await store()).findTag(...given),
    keepTag: async (...given) => (await store()).keepTag(...given),
    findFacts: async (...given) => (await store()).findFacts(...given),
    keepFacts: async (...given) => (await store()).keepFacts(...given),
    onChange: (heard) => void changes.add(heard),
    onRelease: (heard) => void releases.add(heard),
    async close() {
      isClosed = true;
      // Who is still being looked for holds nobody up.
      await made?.close();
    },
  };
}

type Heard = Parameters<VerdictStore['onChange']>[0];

function tellingAll(those: ReadonlySet<Heard>): Heard {
  return (collection) => {
    for (const heard of those) heard(collection);
  };
}
