import type { ApiService } from './api-service.ts';
import type { Reaching } from './remote.ts';
import { documentsOf, type RemoteDocuments } from './remote-documents.ts';

export type OpenedDocuments = {
  /** As they were last: of a server that is away too, but of none whose APIService is gone. */
  list(): readonly RemoteDocuments[];
  /** Asks those that something has happened to. */
  soon(): void;
  close(): void;
};

/** A start does not wait for other servers. */
const firstMs = 1_000;
const againMs = 60_000;

/** Asked for behind everybody's back: after each change of an APIService, and once in a while. */
export function openRemoteDocuments(
  remote: () => readonly ApiService[],
  reaching: Reaching,
): OpenedDocuments {
  const kept = new Map<string, RemoteDocuments>();
  const asked = new Map<string, string>();
  const ask = async (apiService: ApiService) => {
    const { uid, revision } = apiService;
    asked.set(uid, revision);
    const found = await documentsOf(apiService, kept.get(uid), reaching);
    // Who is slow does not overwrite what was asked for after it.
    if (asked.get(uid) === revision) kept.set(uid, found);
  };
  const askAll = () => {
    const all = remote();
    keepOnly(all, [kept, asked]);
    const due = all.filter(({ uid, revision, isAvailable }) => {
      return isAvailable && asked.get(uid) !== revision;
    });
    return Promise.all(due.map(ask));
  };
  const first = setTimeout(askAll, firstMs).unref();
  const again = setInterval(() => {
    asked.clear();
    return askAll();
  }, againMs).unref();
  let next: NodeJS.Immediate | undefined;
  return {
    list: () => remote().flatMap(({ uid }) => kept.get(uid) ?? []),
    soon() {
      // Many may change at once.
      clearImmediate(next);
      next = setImmediate(askAll);
    },
    close() {
      clearTimeout(first);
      clearInterval(again);
      clearImmediate(next);
    },
  };
}

function keepOnly(all: readonly ApiService[], maps: readonly Map<string, unknown>[]): void {
  const uids = new Set(all.map(({ uid }) => uid));
  for (const map of maps) {
    for (const uid of map.keys()) if (!uids.has(uid)) map.delete(uid);
  }
}
