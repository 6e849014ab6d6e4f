import { type Ask, asker } from '#shared/adapters/cluster/ask.ts';
import type { Session } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import type { Log } from '#shared/runtime/log.ts';
import { apiServices, customKinds, type KindOf } from '../shapes/kinds.ts';
import type { Thing } from '../shapes/meta.ts';
import { actingAs, reader } from './acting-as.ts';
import { openApi } from './api.ts';
import type { World } from './controller.ts';
import { discover } from './discovery.ts';
import { keptUntil } from './kept-until.ts';
import { openReporting } from './reporting.ts';
import { openRousing } from './rousing.ts';
import { openShelves, type Shelves } from './shelves.ts';

type Around = { readonly log: Log; readonly signal: AbortSignal };

const userAgent = 'gatehouse-controllers';
const limits = { deadlineMs: 30_000, maxAnswerBytes: 64 * 1024 * 1024, userAgent };

/** What all of them know; whoever writes or tells does it in a name of his own. */
export async function openWorld(
  session: Session,
  { log, signal }: Around,
): Promise<Omit<World, 'api' | 'report'>> {
  const reading = actingAs(session, reader);
  const ask = asker(reading, limits);
  const now = () => new Date();
  const { pause, rouse } = openRousing(signal);
  const stream = openStream({ session: reading, userAgent });
  const shelves = openShelves({ stream, signal, pause, now });
  const apiBy = (user: string) => openApi(asker(actingAs(session, user), limits), shelves.echo);
  shelves.onTrouble((kind, why) => log.debug({ kind, why }, 'follows a kind anew'));
  const all: Omit<World, 'api' | 'report'> = {
    ...discovering(ask, shelves, rouse),
    as: once((user) => {
      const api = apiBy(user);
      return { ...all, api, report: openReporting({ api, log, now }) };
    }),
    shelf: shelves.whole,
    metadataOf: shelves.metadataOf,
    followed: shelves.all,
    synced: shelves.synced,
    listMetadata: (kind, namespace) =>
      stream.list({ kind, namespace, metadataOnly: true }, { limit: 500, signal }),
    listLive: (kind, namespace) => listLive(stream, kind, { namespace, signal }),
    findLive: apiBy(reader).find,
    now,
    rootCa: await rootCaOf(session),
    log,
    signal,
  };
  return all;
}

/** What is opened for a name is there for whoever says it again. */
function once<T>(open: (name: string) => T): (name: string) => T {
  const opened = new Map<string, T>();
  return (name) => {
    const known = opened.get(name) ?? open(name);
    opened.set(name, known);
    return known;
  };
}

type Where = { readonly namespace: string; readonly signal: AbortSignal };

async function* listLive<T extends Thing>(
  stream: ReturnType<typeof openStream>,
  kind: KindOf<T>,
  { namespace, signal }: Where,
): AsyncGenerator<T> {
  let from: string | undefined;
  do {
    const page = await stream.list({ kind, namespace }, { limit: 500, continue: from, signal });
    if (page.kind !== 'page') throw new Error(`cannot list ${kind.resource}: ${page.why}`);
    // The server's answer is an object of the API.
    yield* page.objects as readonly unknown[] as readonly T[];
    from = page.continue;
  } while (from !== undefined);
}

/** What is served changes with the definitions of custom kinds and with the aggregated APIs. */
function discovering(
  ask: Ask,
  shelves: Shelves,
  rouse: () => void,
): Pick<World, 'discover' | 'discoverAnew'> {
  const { get, forget } = keptUntil(
    () => discover(ask),
    ({ failures }) => failures.length === 0,
  );
  for (const kind of [customKinds, apiServices]) {
    shelves.metadataOf(kind).onChange(() => {
      forget();
      rouse();
    });
  }
  return {
    discover: get,
    discoverAnew() {
      forget();
      return get();
    },
  };
}

async function rootCaOf(session: Session): Promise<string> {
  const { ca } = await session.options();
  return Buffer.isBuffer(ca) || typeof ca === 'string' ? ca.toString() : '';
}
