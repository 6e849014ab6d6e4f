import { createHash } from 'node:crypto';
import { isJsonObject } from '#shared/domain/json.ts';
import { apiVersion, events as kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Clock, Cluster, EventWriter, Write } from '#shared/ports.ts';

type Report = Parameters<EventWriter['report']>[0];
type Component = { readonly component: string };

/** The API server's own limits: bytes of the note, characters of reason and name. */
const maxNoteBytes = 1_024;
const maxReason = 128;
const maxName = 253;

/** Another replica may count at the same moment; one lost count among many is no loss. */
const attempts = 3;

export function eventWriter(cluster: Cluster, clock: Clock, { component }: Component): EventWriter {
  return {
    async report(report) {
      const event = eventOf(report, clock.now(), component);
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const write = await written(cluster, event, clock.now());
        if (write.kind === 'busy') throw new Error(`cannot report ${report.reason}: ${write.why}`);
        if (write.kind === 'written') return;
      }
    },
  };
}

/** The name says what is reported, so the same report finds the Event that is there, from whichever replica. */
async function written(cluster: Cluster, event: KubeObject, now: Date): Promise<Write> {
  const { namespace, name = '' } = event.metadata;
  const target = { kind, namespace, name };
  const known = await cluster.find(target);
  if (known === undefined) return cluster.create(kind, event);

  const { resourceVersion } = known.metadata;
  const series = { count: countOf(known) + 1, lastObservedTime: microTime(now) };
  return cluster.patch(target, { type: 'merge', body: { series } }, { resourceVersion });
}

function eventOf({ regarding, type, ...report }: Report, now: Date, component: string): KubeObject {
  const reason = report.reason.slice(0, maxReason);
  const note = shortened(report.note, maxNoteBytes);
  // Events about what has no namespace live in `default`.
  const namespace = regarding.namespace ?? 'default';
  return {
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    // The server lets nobody change a note, so another note is another Event.
    metadata: { namespace, name: nameOf(regarding.name, [regarding.uid, type, reason, note]) },
    eventTime: microTime(now),
    reportingController: component,
    reportingInstance: component,
    action: reason,
    reason,
    type,
    note,
    regarding: {
      apiVersion: apiVersion(regarding.kind),
      kind: regarding.kind.kind,
      ...(regarding.namespace === undefined ? {} : { namespace: regarding.namespace }),
      name: regarding.name,
      uid: regarding.uid,
    },
  };
}

/** Names of RBAC objects and their like hold characters that the name of an Event may not. */
function nameOf(name: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replaceAll(/[.-]*\.[.-]*/g, '.')
    .slice(0, maxName - hash.length - 1)
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  return readable === '' ? hash : `${readable}.${hash}`;
}

function shortened(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const end = '…';
  // A character that was cut through decodes to U+FFFD.
  const cut = bytes.subarray(0, maxBytes - Buffer.byteLength(end)).toString();
  return `${cut.replace(/\uFFFD+$/, '')}${end}`;
}

function countOf({ series }: KubeObject): number {
  const count = isJsonObject(series) ? series['count'] : undefined;
  return typeof count === 'number' ? count : 1;
}

function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}
