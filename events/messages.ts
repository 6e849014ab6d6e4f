import type { Kind } from '#shared/domain/kind.ts';
import {
  type ObjectChanged,
  objectChanged,
  type PeriodElapsed,
  periodElapsed,
  type SetAffected,
  setAffected,
} from './kinds.ts';
import type { Outgoing } from './queue.ts';

/** Whatever a message can carry. */
export type Payload = ObjectChanged | PeriodElapsed | SetAffected;

/** Whose message it is, and what caused it: of an object, `uid/resourceVersion/type`. */
export type From = {
  readonly function: string;
  readonly cluster: string;
  readonly eventId: string;
};

type At = Pick<ObjectChanged, 'namespace' | 'name' | 'uid' | 'deleted'>;

export function objectMessage(from: From, { group, resource }: Kind, at: At): Outgoing {
  const { namespace, name, uid, deleted } = at;
  const { cluster, eventId } = from;
  return messageFor(
    from.function,
    { kind: 'object', cluster, group, resource, namespace, name, uid, deleted },
    eventId,
  );
}

export function setMessage(
  from: From,
  { group, resource }: Kind,
  { namespace, after }: Pick<SetAffected, 'namespace' | 'after'>,
): Outgoing {
  const { cluster, eventId } = from;
  return messageFor(
    from.function,
    { kind: 'set', cluster, group, resource, namespace, after },
    eventId,
  );
}

/** The same one each time: nothing has happened but time. */
export function periodMessage(functionName: string): Outgoing {
  const payload = { kind: 'period', function: functionName } as const;
  return messageFor(functionName, payload, `${functionName}/period`);
}

export function messageFor(functionName: string, payload: Payload, eventId: string): Outgoing {
  return {
    function: functionName,
    group: groupOf(functionName, payload),
    body: JSON.stringify(payload),
    eventId,
    ...kindOf(payload),
  };
}

/** Of one that nobody here can read: what waits for others stands for itself alone. */
export function unreadMessage(message: Omit<Outgoing, 'mergeKey'>): Outgoing {
  return { ...message, mergeKey: `${message.type}/${message.eventId}` };
}

function kindOf(payload: Payload): Pick<Outgoing, 'type' | 'mergeKey' | 'subject'> {
  switch (payload.kind) {
    case 'object': {
      const { uid, deleted } = payload;
      // A deletion never stands for a change, nor an object for another one that had its name.
      return { type: objectChanged.name, mergeKey: `${uid}/${deleted}`, subject: uid };
    }
    case 'period':
      return { type: periodElapsed.name, mergeKey: 'period' };
    case 'set':
      return { type: setAffected.name, mergeKey: keyOfSet(payload) };
  }
}

/** Whoever is looked for alone never stands for all. */
function keyOfSet({ after, again }: SetAffected): string {
  return again === undefined ? `set/${after}` : `again/${again.since}/${after}`;
}

/** Function, cluster, kind, namespace and name. Only the cluster's name may hold a slash, so that no two are the same text. */
function groupOf(functionName: string, payload: Payload): string {
  if (payload.kind === 'period') return `${functionName}/period`;

  const { cluster, group, resource, namespace } = payload;
  const kind = group === '' ? resource : `${resource}.${group}`;
  // No object has an empty name.
  const name = payload.kind === 'object' ? payload.name : '';
  return [functionName, cluster, kind, namespace, name].join('/');
}
