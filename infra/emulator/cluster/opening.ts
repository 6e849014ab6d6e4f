import type { JsonObject } from '#shared/domain/json.ts';
import { apiServices } from './aggregation/api-service.ts';
import { type Aggregation, openAggregation } from './aggregation/open-aggregation.ts';
import { bootstrap } from './bootstrap.ts';
import { composed } from './composing.ts';
import { isEstablished } from './custom/definition/established.ts';
import type { Definitions } from './definitions.ts';
import { publishedKinds } from './discovery/published-kinds.ts';
import { expireEvents } from './expiring.ts';
import { type Faults, openFaults } from './faults.ts';
import { stateOwnPlace } from './own-place.ts';
import type { Reading } from './parts.ts';
import { openDocuments } from './schemas/open-documents.ts';
import { idOf, type ServedKind } from './served-kinds.ts';
import { otherServers } from './serving/aggregated.ts';
import { openIdPages, refusingWrites } from './serving/besides.ts';
import { type Counts, openCounts } from './serving/counts.ts';
import { deprecationOf } from './serving/deprecations.ts';
import { openApiPages } from './serving/documents.ts';
import type { Server } from './serving/handling.ts';
import { metricsPage } from './serving/metrics.ts';
import { readingOf } from './serving/reading.ts';
import { reviews } from './serving/reviewing.ts';
import { settleDefinitions } from './settling.ts';
import { type Kept, keepIn } from './state/keeping.ts';
import { type Keys, openKeys } from './state/keys.ts';
import { serveCustomKinds } from './store/custom-kinds.ts';
import { openStore, type Store } from './store/store.ts';
import { parsedBody } from './store/stored.ts';
import { serveTwin } from './store/twins.ts';
import { columnsFrom } from './tables/columns.ts';
import { lineCache } from './watching/watch-line.ts';

export type Opening = {
  readonly port?: number;
  readonly directory?: string;
  readonly historySize?: number;
  readonly mostBehind?: number;
  readonly bookmarkMs?: number;
  readonly hasLedger?: boolean;
  /** An hour, as on a real server, where it is left out. */
  readonly eventTtlMs?: number;
  readonly log: (line: string) => void;
  readonly now: () => Date;
  /** While it says so, webhooks have no timeout. */
  readonly isUntimed?: () => boolean;
};

/** A server that nobody has reached yet. */
export type Opened = {
  readonly server: Server;
  readonly store: Store;
  readonly keys: Keys;
  readonly reading: Reading;
  readonly faults: Faults;
  readonly counts: Counts;
  readonly isResumed: boolean;
  /** Said once, when that is known. */
  isReachedAt(url: string): void;
  close(): Promise<void>;
};

/** All that it has and knows: the state of the folder, or that of a new cluster. */
export async function open(options: Opening): Promise<Opened> {
  const { store, kept } = await openState(options);
  const { directory, now } = options;
  const keys = await openKeys(directory, now());
  const reading = readingOf(store);
  settleDefinitions(store, reading, now);
  const endExpiring = expireEvents(store, { now, ttlMs: options.eventTtlMs });
  const tokens = new Map([[keys.adminToken, admin]]);
  const { isUntimed } = options;
  const parts = composed({ ...keys, reading, tokens, now, isUntimed });
  const { rulesOf } = parts.parts;
  if (kept?.isResumed !== true) {
    bootstrap(store, { keys, now: now(), rulesOf });
  }
  const aggregation = openAggregation({
    reading,
    now,
    ...frontProxy(keys),
    writeStatus: statusWriter(store),
  });
  const place = { url: '' };
  const made = serverOn({ ...parts, options, store, kept, aggregation, place });
  return {
    ...{ ...made, store, keys, reading, isResumed: kept?.isResumed === true },
    isReachedAt(url) {
      place.url = url;
      stateOwnPlace(store, { url, now, rulesOf });
    },
    async close() {
      endExpiring();
      parts.close();
      aggregation.close();
      await kept?.close();
    },
  };
}

const admin = { name: 'kubernetes-admin', groups: ['system:masters'] };

/** The same objects as the core's events. */
const eventsTwin = 'events.events.k8s.io';

async function openState({ historySize = 10_000, hasLedger = false, directory, log }: Opening) {
  const kinds = publishedKinds();
  const own = kinds.filter((kind) => idOf(kind) !== eventsTwin);
  const store = openStore({ historySize, hasLedger, kinds: own });
  for (const kind of kinds) {
    if (idOf(kind) === eventsTwin) serveTwin(store, kind, 'events');
  }
  serveCustomKinds(store, (definition) => isEstablished(parsedBody(definition)));
  const kept = directory === undefined ? undefined : await keepIn(store, { directory, log });
  return { store, kept };
}

function frontProxy({ frontProxy: { certificate, key } }: Keys) {
  return { frontProxy: { cert: certificate, key } };
}

/** Past everybody: it is the server that writes. */
function statusWriter(store: Store) {
  return (name: string, status: JsonObject) => {
    const of = store.collections.get(apiServices);
    const before = of?.find(`/${name}`);
    if (of && before) store.update(of, before, { ...parsedBody(before), status });
  };
}

type Made = Omit<ReturnType<typeof composed>, 'close'> & {
  readonly options: Opening;
  readonly store: Store;
  readonly kept: Kept | undefined;
  readonly aggregation: Aggregation;
  readonly place: { readonly url: string };
};

function serverOn({ parts, access, definitions, converting, ...made }: Made) {
  const { options, store, kept, aggregation, place } = made;
  const faults = openFaults(() => store.collections.values(), options.mostBehind);
  const around = {
    ...{ revision: store.revision, pace: faults.pace, mostBehind: faults.mostBehind },
    lineFor: lineCache(1_000),
    bookmarkMs: options.bookmarkMs ?? 60_000,
  };
  const world = {
    ...{ store, parts, around, now: options.now, conversionOf: converting.conversionOf },
    ...aboutKinds(definitions),
  };
  const counts = openCounts();
  const beside = [
    refusingWrites(() => kept?.problem()),
    reviews(access, world),
    openIdPages(access, () => place.url),
    openApiPages(openDocuments(definitions.all, aggregation.documents), aggregation),
    metricsPage(store),
    otherServers(aggregation, store),
  ];
  return { server: { world, faults, counts, beside }, faults, counts };
}

function aboutKinds(definitions: Definitions) {
  return {
    columnsOf: columnsFrom(definitions),
    deprecationOf: (kind: ServedKind, version: string) =>
      definitions.version(kind, version)?.deprecation ?? deprecationOf(kind),
  };
}
