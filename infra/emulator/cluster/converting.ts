import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { type Connections, openConnections } from './admission/reaching/connections.ts';
import { posted } from './admission/reaching/posting.ts';
import { targetOf } from './admission/reaching/target.ts';
import { autoscalerConversion, autoscalerIn } from './autoscaler-forms.ts';
import { asksWebhook, converted, type Door } from './custom/conversion.ts';
import type { Definitions } from './definitions.ts';
import { eventConversion, eventIn } from './event-forms.ts';
import type { GroupVersionKind, Reading } from './parts.ts';
import { type Conversion, conversion } from './pipeline/conversion.ts';
import { isRefusal } from './refusal.ts';
import { idOf, type ServedKind, storedVersionOf } from './served-kinds.ts';

export type Converting = {
  /** `undefined` where nothing but the name of the version changes. */
  conversionOf(kind: ServedKind, version: string): Conversion | undefined;
  /** For webhooks that want another version than was asked for. */
  converted(object: JsonObject, to: GroupVersionKind): Promise<JsonObject>;
  close(): void;
};

export function openConverting(definitions: Definitions, reading: Reading): Converting {
  const connections = openConnections();
  const door = doorOf(reading, connections);
  const known = new WeakMap<JsonObject, Map<string, Conversion>>();
  const builtIn = builtInConversions();
  return {
    conversionOf(kind, version) {
      if (!kind.isCustom) return builtIn(kind, version);
      const definition = definitions.find(kind);
      const stored = storedVersionOf(kind);
      if (definition === undefined || stored === version || !asksWebhook(definition))
        return undefined;
      const made = known.get(definition) ?? new Map<string, Conversion>();
      known.set(definition, made);
      const to = (wanted: string) => (objects: readonly JsonObject[]) =>
        converted(objects, wanted, { definition, door, uid: randomUUID() });
      const ways = { kind, version: stored, out: to(version), back: to(stored) };
      return remembered(made, version, () => conversion(ways));
    },
    async converted(object, to) {
      const definition = definitions.ofKind(to);
      const apiVersion = to.group === '' ? to.version : `${to.group}/${to.version}`;
      if (definition === undefined) return { ...builtInForm(object, to), apiVersion };
      const made = await converted([object], to.version, { definition, door, uid: randomUUID() });
      if (isRefusal(made)) throw new Error(JSON.stringify(made.body));
      return made[0] ?? object;
    },
    close: connections.close,
  };
}

/** The few built-in kinds whose forms differ. */
function builtInConversions() {
  const known = new Map<string, Conversion>();
  return (kind: ServedKind, version: string): Conversion | undefined => {
    const id = idOf(kind);
    if (id === 'events.events.k8s.io')
      return remembered(known, id, () => eventConversion(core(kind)));
    const isOlder = id === 'horizontalpodautoscalers.autoscaling' && version === 'v1';
    return isOlder ? remembered(known, id, () => autoscalerConversion(kind)) : undefined;
  };
}

function builtInForm(object: JsonObject, { group, version, kind }: GroupVersionKind): JsonObject {
  if (kind === 'Event') return eventIn(group, object);
  return kind === 'HorizontalPodAutoscaler' ? autoscalerIn(version, object) : object;
}

/** They are kept as the core has them. */
function core(kind: ServedKind): ServedKind {
  return { ...kind, group: '' };
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** As admission reaches its webhooks. */
function doorOf(reading: Reading, connections: Connections): Door {
  return async ({ url, service, caBundle, body, timeoutMs }) => {
    const client = {
      ...(url !== undefined && { url }),
      ...(service !== undefined && { service: { ...service } }),
      ...(caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString('base64') }),
    };
    const target = targetOf(client, reading);
    if (target === undefined) throw new Error('the webhook names no place');
    const timeoutSeconds = Math.ceil(timeoutMs / 1_000);
    const answer = await posted(
      { target, body: JSON.stringify(body), timeoutSeconds },
      connections,
    );
    if (answer.kind === 'unreachable') throw new Error(answer.why);
    return answer;
  };
}
