import type { Clock } from '#shared/ports.ts';

export type FreshCache<V> = { find(key: string): Promise<V> };

export type CacheOptions<V> = {
  readonly load: (key: string) => Promise<V>;
  readonly lifeMs: (value: V) => number;
  readonly maxEntries: number;
  readonly clock?: Clock | undefined;
};

type Entry<V> = {
  /** The age of a value counts from the moment when it was asked for: it may be that old. */
  readonly known?: { readonly value: V; readonly at: number };
  readonly failed?: { readonly cause: unknown; readonly at: number };
  readonly pending?: Promise<V>;
};

/** A server that refuses is not asked again by each of a thousand readers. */
const failureLifeMs = 200;

/** Goes on when the machine's clock is set back. */
const monotonic: Clock = { now: () => new Date(performance.timeOrigin + performance.now()) };

/** Values that are never older than their life. From half of it on, a reader has them refreshed without waiting. */
export function freshCache<V>(options: CacheOptions<V>): FreshCache<V> {
  const { load, lifeMs, maxEntries, clock = monotonic } = options;
  const entries = boundedMap<Entry<V>>(maxEntries);
  const now = () => clock.now().getTime();

  const ask = (key: string): Promise<V> => {
    const at = now();
    const { known } = entries.get(key) ?? {};
    const before = known === undefined ? {} : { known };
    const pending = load(key).then(
      (value) => {
        entries.set(key, { known: { value, at } });
        return value;
      },
      (cause: unknown) => {
        entries.set(key, { ...before, failed: { cause, at: now() } });
        throw cause;
      },
    );
    entries.set(key, { ...before, pending });
    return pending;
  };

  const waited = async (key: string, { pending, failed }: Entry<V>): Promise<V> => {
    if (pending !== undefined) return pending;
    if (failed !== undefined && now() - failed.at < failureLifeMs) throw failed.cause;
    return ask(key);
  };

  return {
    async find(key) {
      const entry = entries.get(key) ?? {};
      if (entry.known === undefined) return waited(key, entry);

      const { value, at } = entry.known;
      const spent = (now() - at) / lifeMs(value);
      if (spent >= 1) return waited(key, entry);
      if (spent >= 0.5) void waited(key, entry).catch(toldToWhoWaits);
      return value;
    },
  };
}

/** A refresh that failed is remembered in its entry; whoever needs the value then gets the error. */
function toldToWhoWaits(): void {}

/** What was written longest ago goes first. */
function boundedMap<V>(maxEntries: number) {
  const entries = new Map<string, V>();
  return {
    get: (key: string) => entries.get(key),
    set(key: string, value: V) {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.size > maxEntries ? entries.keys() : [];
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}
