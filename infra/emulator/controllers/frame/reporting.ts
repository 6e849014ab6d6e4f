import { apiVersion, events, type Kind } from '#shared/domain/kind.ts';
import type { Log } from '#shared/runtime/log.ts';
import { timeText } from '../conditions.ts';
import type { Thing } from '../shapes/meta.ts';
import { type Api, outcomeOf, type Written } from './api.ts';
import type { Report, World } from './controller.ts';
import { openRecent } from './recent.ts';
import { openSimilarEvents } from './similar-events.ts';

/** What has been told, so that it is counted when it comes again: as many as the real recorder keeps. */
const mostTold = 4_096;
const mostLetters = 1_024;
const usual = 'gatehouse-controllers';

type Around = { readonly api: Pick<Api, 'create' | 'patch'>; readonly log: Log; now(): Date };
type Telling = { readonly about: Thing; readonly kind: Kind; readonly event: Stated };
type Stated = Report & { readonly reporter?: string };
type Told = {
  readonly name: string;
  readonly namespace: string;
  readonly first: string;
  count: number;
  /** The version that it has when all until now is written; none while it is not there. */
  tail: Promise<string>;
};

/** Writes Events in the older form, as kubelet and controllers still do: by name they are in the order of time. */
export function openReporting({ api, log, now }: Around): World['report'] {
  const recent = openRecent<Told>(mostTold);
  const isOneOfMany = openSimilarEvents();
  let last = 0n;

  const begun = ({ metadata: { name, namespace = 'default' } }: Thing): Told => {
    const nanos = BigInt(now().getTime()) * 1_000_000n;
    last = nanos > last ? nanos : last + 1n;
    const own = { name: `${name}.${last.toString(16)}`, namespace, first: timeText(now()) };
    return { ...own, count: 0, tail: Promise.resolve('') };
  };
  const aloneOrCombined = (telling: Telling) => {
    const { event } = telling;
    const likeness = likenessOf(telling);
    if (!isOneOfMany(likeness, event.note, now().getTime())) {
      return { key: [likeness, event.part ?? '', event.note].join('\0'), event };
    }
    // Nobody in particular reports them all.
    const note = `(combined from similar events): ${event.note}`;
    return { key: likeness, event: { ...event, note, reporter: '' } };
  };
  return (about, kind, stated) => {
    const { key, event } = aloneOrCombined({ about, kind, event: stated });
    const told = recent.at(key, () => begun(about));
    told.count += 1;
    const body = eventOf({ about, kind, event }, told, timeText(now()));
    told.tail = told.tail.then(async (version) => versionOf(await write(body, version, api)));
    told.tail.catch((cause: unknown) => {
      // Next time it is told anew.
      recent.forget(key, told);
      log.debug({ reason: event.reason, cause: String(cause) }, 'an Event was not written');
    });
  };
}

const olderEvents: Kind = { ...events, group: '', version: 'v1' };

/** Anew where it has never been, and where somebody has removed it. */
async function write(
  body: ReturnType<typeof eventOf>,
  version: string,
  api: Around['api'],
): Promise<Written> {
  if (version === '') return api.create(olderEvents, body);
  const { count, lastTimestamp, message } = body;
  const target = { kind: olderEvents, ...body.metadata };
  const again = await api.patch(target, { count, lastTimestamp, message }, version);
  return again.kind === 'not-found' ? api.create(olderEvents, body) : again;
}

function versionOf(written: Written): string {
  if (written.kind === 'written') return written.object.metadata.resourceVersion ?? '';
  const outcome = outcomeOf(written);
  throw new Error(outcome.kind === 'done' ? written.kind : JSON.stringify(outcome));
}

/** All but the words. */
function likenessOf({ about, event }: Telling): string {
  const { by = usual, host = '', type, reason } = event;
  return [about.metadata.uid, by, host, type, reason].join('\0');
}

function eventOf(
  { about, kind, event }: Telling,
  { name, namespace, first, count }: Told,
  at: string,
) {
  const { by: component = usual, reporter = component, host = '', part } = event;
  const { type, reason, note } = event;
  const { uid, resourceVersion } = about.metadata;
  return {
    metadata: { name, namespace },
    involvedObject: {
      ...{ apiVersion: apiVersion(kind), kind: kind.kind, name: about.metadata.name, uid },
      ...{ namespace: about.metadata.namespace, resourceVersion },
      ...(part !== undefined && { fieldPath: part }),
    },
    ...{ type, reason, message: note.slice(0, mostLetters) },
    ...{ firstTimestamp: first, lastTimestamp: at, count },
    source: { component, ...(host !== '' && { host }) },
    ...{ reportingComponent: reporter, reportingInstance: host },
  };
}
