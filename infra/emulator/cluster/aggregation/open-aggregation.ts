import { setImmediate as afterThis } from 'node:timers/promises';
import type { JsonObject } from '#shared/domain/json.ts';
import { inside } from '../access/stated.ts';
import { type ClientCertificate, openConnections } from '../admission/reaching/connections.ts';
import type { Reading, User } from '../parts.ts';
import { type ApiService, apiServiceFrom, apiServices, availableIn } from './api-service.ts';
import { type Availability, failedDiscovery, missingFor, passed } from './availability.ts';
import { type RemoteVersion, remoteVersions, versionDiscovery } from './discovering.ts';
import { openRemoteDocuments } from './open-remote-documents.ts';
import { type Exchange, proxied } from './proxying.ts';
import { got, type Reaching } from './remote.ts';
import type { RemoteDocuments } from './remote-documents.ts';

export type AggregationOptions = {
  readonly reading: Reading;
  readonly frontProxy: ClientCertificate;
  /** Writes a status past admission, as the server itself. */
  writeStatus(name: string, status: JsonObject): void;
  now(): Date;
  /** How often those are asked again that nothing has happened to. */
  readonly checkMs?: number;
};

export type Aggregation = {
  /** Whether another server has this version of the group; then the request is its own, discovery of the version included. */
  serves(group: string, version: string): boolean;
  proxy(exchange: Exchange, at: { group: string; version: string; user: User }): Promise<void>;
  /** For `/apis` and `/apis/<group>`. */
  versions(): readonly RemoteVersion[];
  /** For aggregated discovery: one `version` of an APIGroupDiscovery for each of the versions. */
  discovery(): Promise<readonly { readonly group: string; readonly version: JsonObject }[]>;
  /** Those that ask for more come first. */
  documents(): readonly RemoteDocuments[];
  /** Looks at all of them now. */
  check(): Promise<void>;
  close(): void;
};

const watched = [apiServices, 'services', 'endpoints', 'endpointslices.discovery.k8s.io'];

export function openAggregation(options: AggregationOptions): Aggregation {
  const { reading, frontProxy } = options;
  const connections = openConnections();
  const reaching: Reaching = { reading, connections, frontProxy };
  const all = openRegister(reading);
  const remote = (group: string, version: string) =>
    all().find((each) => isRemote(each) && each.group === group && each.version === version);
  const checks = openChecks(() => checkAll(options, reaching), options.checkMs ?? 30_000);
  for (const kind of watched) reading.onChange(kind, checks.soon);
  const documents = openRemoteDocuments(
    () => all().filter(isRemote).toSorted(byPriority),
    reaching,
  );
  reading.onChange(apiServices, documents.soon);
  return {
    serves: (group, version) => remote(group, version) !== undefined,
    async proxy(exchange, { group, version, user }) {
      const apiService = remote(group, version);
      if (apiService === undefined) throw new Error(`nobody else serves ${group}/${version}`);
      await proxied(exchange, { apiService, user }, reaching);
    },
    versions: () => remoteVersions(all()),
    discovery: () =>
      Promise.all(
        all()
          .filter(isRemote)
          .map((each) => discovered(each, reaching)),
      ),
    documents: documents.list,
    check: checks.now,
    close() {
      checks.close();
      documents.close();
      connections.close();
    },
  };
}

/** Read once for all requests until one of them changes. */
function openRegister(reading: Reading): () => readonly ApiService[] {
  let known: readonly ApiService[] | undefined;
  reading.onChange(apiServices, () => {
    known = undefined;
  });
  return () => {
    known ??= reading.list(apiServices).map(apiServiceFrom);
    return known;
  };
}

function isRemote({ service }: ApiService): boolean {
  return service !== undefined;
}

function byPriority(one: ApiService, other: ApiService): number {
  return other.groupPriority - one.groupPriority || (one.name < other.name ? -1 : 1);
}

async function discovered(apiService: ApiService, reaching: Reaching) {
  const { group, version, isAvailable } = apiService;
  const answer = isAvailable ? await got(apiService, pathOf(apiService), reaching) : undefined;
  const list = answer?.kind === 'got' ? answer.body : undefined;
  return { group, version: versionDiscovery(version, list) };
}

function pathOf({ group, version }: ApiService): string {
  return `/apis/${group}/${version}`;
}

async function checkAll(options: AggregationOptions, reaching: Reaching): Promise<void> {
  const objects = options.reading.list(apiServices);
  await Promise.all(
    objects.map(async (object) => {
      const apiService = apiServiceFrom(object);
      const { service, name } = apiService;
      if (service === undefined) return;
      const missing = missingFor(service, options.reading);
      const found = missing ?? (await asked(apiService, reaching));
      const status = changedStatus(object, found, options.now());
      if (status !== undefined) options.writeStatus(name, status);
    }),
  );
}

async function asked(apiService: ApiService, reaching: Reaching): Promise<Availability> {
  const answer = await got(apiService, pathOf(apiService), reaching);
  return answer.kind === 'got' ? passed : failedDiscovery(answer.why);
}

/** Only a change is written, and only one of the status moves its time. */
function changedStatus(object: JsonObject, found: Availability, now: Date): JsonObject | undefined {
  const before = availableIn(object);
  const { status, reason, message } = found;
  const isSame = before?.['status'] === status;
  if (isSame && before['reason'] === reason && before['message'] === message) return undefined;
  const lastTransitionTime = isSame
    ? (before['lastTransitionTime'] ?? null)
    : now.toISOString().replace(/\.\d+Z$/, 'Z');
  const condition = { type: 'Available', status, lastTransitionTime, reason, message };
  return { ...inside(object['status']), conditions: [condition] };
}

/** One look at a time; what changes meanwhile is looked at right after. */
function openChecks(check: () => Promise<void>, everyMs: number) {
  let running: Promise<void> | undefined;
  let isStale = false;
  const run = async () => {
    do {
      // A listener must not write while the store still tells of the change.
      await afterThis();
      isStale = false;
      await check();
    } while (isStale);
  };
  const now = () => {
    isStale = true;
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  const soon = () => {
    // A check of what an outage of the store left unwritten comes with the next one.
    now().catch(() => undefined);
  };
  const timer = setInterval(soon, everyMs).unref();
  return { now, soon, close: () => clearInterval(timer) };
}
