import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import { asStored, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { Clock } from '#shared/ports.ts';
import type { Newest } from './newest.ts';
import { lifetimesIn } from './times-for.ts';

type Grounds = { readonly clock: Clock; readonly settings: () => ImageTrustSettings };

/** What other replicas know, as far as their clocks are believed: there is no other way to read of it. */
export function asBelieved(store: VerdictStore, { clock, settings }: Grounds): VerdictStore {
  const believed = (found: readonly Verdict[]) =>
    found.map((each) => asStored(each, clock.now(), lifetimesIn(settings())));
  return {
    ...store,
    find: async (collection, asked) => believed(await store.find(collection, asked)),
    list: async (collection, most) => believed(await store.list(collection, most)),
  };
}

/** One's own as well: the clock may have been set right since. */
export function asRemembered(kept: Newest<Verdict>, { clock, settings }: Grounds): Newest<Verdict> {
  return {
    ...kept,
    find: (key) => {
      const found = kept.find(key);
      return found && asStored(found, clock.now(), lifetimesIn(settings()));
    },
  };
}
