import { apiVersion, events, type Kind } from '#shared/domain/kind.ts';
import type { Log } from '#shared/runtime/log.ts';
import { timeText } from '../conditions.ts';
import type { Thing } from '../shapes/meta.ts';
import { type Api, outcomeOf } from './api.ts';
import type { Report, World } from './controller.ts';
import { openSimilarEvents } from './similar-events.ts';

/** What has been told, so that it is counted when it comes again: as many as the real recorder keeps. */
const mostTold = 4_096;
const mostLetters = 1_024;
const usual = 'gatehouse-controllers';

type Around = { readonly api: Pick<Api, 'create' | 'patch'>; readonly log: Log; now(): Date };
type Telling = { readonly about: Thing; readonly kind: Kind; readonly event: Report };
type Told = {
  readonly name: string;
  readonly namespace: string;
  count: number;
  tail: Promise<string>;
};

/** Writes Events in the older form, as kubelet and controllers still do: by name they are in the order of time. */
export function openReporting({ api, log, now }: Around): World['report'] {
  const told = new Map<string, Told>();
  const isOneOfMany = openSimilarEvents();
  let last = 0n;

  const begin = (telling: Telling): Told => {
    const nanos = BigInt(now().getTime()) * 1_000_000n;
    last = nanos > last ? nanos : last + 1n;
    const { name, namespace = 'default' } = telling.about.metadata;
    const own = { name: `${name}.${last.toString(16)}`, namespace };
    const body = eventOf(telling, own, timeText(now()));
    return { ...own, count: 1, tail: written(api.create(olderEvents, body)) };
  };
  const again = (known: Told, message: string): void => {
    known.count += 1;
    const body = { count: known.count, lastTimestamp: timeText(now()), message };
    const { name, namespace } = known;
    known.tail = known.tail.then((version) =>
      written(api.patch({ kind: olderEvents, namespace, name }, body, version)),
    );
  };
  const aloneOrCombined = (telling: Telling) => {
    const { event } = telling;
    const likeness = likenessOf(telling);
    if (!isOneOfMany(likeness, event.note, now().getTime())) {
      return { key: [likeness, event.part ?? '', event.note].join('\0'), event };
    }
    const note = `(combined from similar events): ${event.note}`;
    return { key: likeness, event: { ...event, note } };
  };
  return (about, kind, stated) => {
    const { key, event } = aloneOrCombined({ about, kind, event: stated });
    const known = told.get(key);
    if (known !== undefined) again(known, messageOf(event.note));
    const entry = known ?? begin({ about, kind, event });
    told.delete(key);
    told.set(key, entry);
    const [oldest] = told.keys();
    if (told.size > mostTold && oldest !== undefined) told.delete(oldest);
    entry.tail.catch((cause: unknown) => {
      // It has gone, or could not be written: next time it is told anew.
      if (told.get(key) === entry) told.delete(key);
      log.debug({ reason: event.reason, cause: String(cause) }, 'an Event was not written');
    });
  };
}

const olderEvents: Kind = { ...events, group: '', version: 'v1' };

/** The version that it has now. */
async function written(write: ReturnType<Api['create']>): Promise<string> {
  const answer = await write;
  if (answer.kind === 'written') return answer.object.metadata.resourceVersion ?? '';
  const outcome = outcomeOf(answer);
  throw new Error(outcome.kind === 'done' ? answer.kind : JSON.stringify(outcome));
}

/** All but the words. */
function likenessOf({ about, event }: Telling): string {
  const { by = usual, host = '', type, reason } = event;
  return [about.metadata.uid, by, host, type, reason].join('\0');
}

function messageOf(note: string): string {
  return note.slice(0, mostLetters);
}

function eventOf(
  { about, kind, event }: Telling,
  { name, namespace }: Pick<Told, 'name' | 'namespace'>,
  at: string,
) {
  const { by: component = usual, host = '', part, type, reason, note } = event;
  const { uid, resourceVersion } = about.metadata;
  return {
    metadata: { name, namespace },
    involvedObject: {
      ...{ apiVersion: apiVersion(kind), kind: kind.kind, name: about.metadata.name, uid },
      ...{ namespace: about.metadata.namespace, resourceVersion },
      ...(part !== undefined && { fieldPath: part }),
    },
    ...{ type, reason, message: messageOf(note) },
    ...{ firstTimestamp: at, lastTimestamp: at, count: 1 },
    source: { component, ...(host !== '' && { host }) },
    ...{ reportingComponent: component, reportingInstance: host },
  };
}
