import type { Payload } from '#events/messages.ts';
import type { Delivery, Outgoing } from '#events/queue.ts';
import { type Ledger, runOf } from './ledger.ts';

/** In which order messages were committed, and whether they come in it. */
export type Order = {
  readonly marked: (message: Outgoing) => Outgoing;
  committed(messages: readonly Outgoing[]): void;
  /** What was buried comes back to the end of its group. */
  redriven(bodies: readonly string[]): void;
  delivered(delivery: Delivery): void;
};

/** The mark stands behind the body, which a merge leaves as it is: so it names the message, not what was merged into it. */
const border = '\n';

export function openOrder(ledger: Ledger): Order {
  let marks = 0;
  let place = 0;
  const places = new Map<string, number>();
  const last = new Map<string, number>();
  const events = openEvents(ledger);
  return {
    marked(message) {
      marks += 1;
      return { ...message, body: `${payloadText(message.body)}${border}${marks}` };
    },
    committed(messages) {
      ledger.count += 1;
      for (const { function: name, body, eventId } of messages) {
        place += 1;
        places.set(markOf(body), place);
        events.judge(eventId, payloadOf(body));
        ledger.owe(runOf(name, payloadOf(body)), 'wake', `message ${eventId} was committed`);
      }
    },
    redriven(bodies) {
      for (const body of bodies) {
        place += 1;
        places.set(markOf(body), place);
      }
    },
    delivered({ group, body }) {
      const own = places.get(markOf(body)) ?? 0;
      const before = last.get(group) ?? 0;
      if (own < before) ledger.break('order', `${group}: message ${own} came after ${before}`);
      last.set(group, Math.max(own, before));
    },
  };
}

type Events = { judge(eventId: string, payload: Payload): void };

/** The same event id is the same event, whoever is told of it and however often. */
function openEvents(ledger: Ledger): Events {
  const told = new Map<string, string>();
  return {
    judge(eventId, payload) {
      if (payload.kind !== 'object') return;
      const { uid, deleted } = payload;
      const what = `${uid}${deleted ? ' deleted' : ''}`;
      const before = told.get(eventId) ?? what;
      told.set(eventId, what);
      const isOwn = eventId.split('/').includes(uid);
      if (before === what && isOwn) return;
      ledger.break('duplicate', `${eventId} stands for ${what}, and before for ${before}`);
    },
  };
}

function markOf(body: string): string {
  return body.slice(body.lastIndexOf(border) + 1);
}

/** Without the mark. */
export function payloadText(body: string): string {
  const at = body.lastIndexOf(border);
  return at < 0 ? body : body.slice(0, at);
}

export function payloadOf(body: string): Payload {
  return JSON.parse(payloadText(body));
}
