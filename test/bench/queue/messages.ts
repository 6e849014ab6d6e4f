import { objectMessage } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import { pods } from '#shared/domain/kind.ts';

/** What both sides carry. */
export const bodyBytes = 1_600;

const filler = JSON.stringify(
  Array.from({ length: 400 }, (_, at) => (at * 2_654_435_761) % 4_294_967_296),
);

/** Each of a group of its own, with all the columns of the forwarder's messages. */
export function messageOf(
  functionName: string,
  at: number,
): Outgoing & { readonly subject: string } {
  const uid = `6f1e2d3c-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const from = { function: functionName, cluster: 'bench', eventId: `${uid}/${at}/MODIFIED` };
  const place = { namespace: `team-${at % 97}`, name: `pod-${at}`, uid, deleted: false };
  const message = objectMessage(from, pods, place);
  return { ...message, subject: uid, body: padded(message.body) };
}

function padded(body: string): string {
  const head = `${body.slice(0, -1)},"filler":"`;
  return `${head}${filler.slice(0, bodyBytes - head.length - 2)}"}`;
}

/** In so many groups, which are filled in turns; each message is another object's, so that none is merged. */
export function messagesOf(
  functionName: string,
  from: number,
  count: number,
  groups = Number.POSITIVE_INFINITY,
) {
  return Array.from({ length: count }, (_, index) => {
    const at = from + index;
    const message = messageOf(functionName, at);
    return at < groups
      ? message
      : { ...message, group: messageOf(functionName, at % groups).group };
  });
}
