import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { events } from '#shared/domain/kind.ts';
import { metadataOf } from './kinds/words/edit.ts';
import { idOf } from './served-kinds.ts';
import type { Store } from './store/store.ts';
import { parsedBody } from './store/stored.ts';

/** The real server's `--event-ttl`. */
const hour = 3_600_000;

type Clockwork = { readonly now: () => Date; readonly ttlMs: number | undefined };

/** Events go an hour after they were last written: nobody else removes them, and each pod leaves some. */
export function expireEvents(store: Store, { now, ttlMs = hour }: Clockwork): () => void {
  const id = idOf({ ...events, group: '' });
  const of = store.collections.get(id);
  // Each lives as long as any other: who was written first is due first.
  const written = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const note = (key: string, at: number) => {
    written.delete(key);
    written.set(key, at);
    wakeFor(at);
  };
  const wakeFor = (at: number) => {
    timer ??= setTimeout(sweep, at + ttlMs - now().getTime()).unref();
  };
  const sweep = () => {
    timer = undefined;
    for (const [key, at] of written) {
      if (at + ttlMs > now().getTime()) return wakeFor(at);
      written.delete(key);
      const stored = of?.find(key);
      if (of !== undefined && stored !== undefined) store.delete(of, stored);
    }
  };
  const known = (of?.at(store.revision()) ?? []).map(
    (stored) => [stored.key, lastWritten(parsedBody(stored))] as const,
  );
  for (const [key, at] of known.toSorted(([, a], [, b]) => a - b)) note(key, at);
  store.onCommit((each, { type, now: stored }) => {
    if (each !== of) return;
    if (type === 'DELETED') written.delete(stored.key);
    else note(stored.key, now().getTime());
  });
  return () => clearTimeout(timer);
}

function lastWritten(event: JsonObject): number {
  const { creationTimestamp, managedFields } = metadataOf(event);
  const times = (Array.isArray(managedFields) ? managedFields : []).map((each) =>
    isJsonObject(each) ? each['time'] : undefined,
  );
  const all = [creationTimestamp, ...times].map((time) => Date.parse(String(time)));
  return Math.max(...all.filter((time) => !Number.isNaN(time)), 0);
}
