import type { Outgoing } from '#events/queue.ts';

/** What both sides carry. */
export const bodyBytes = 1_600;

const filler = JSON.stringify(
  Array.from({ length: 400 }, (_, at) => (at * 2_654_435_761) % 4_294_967_296),
);

/** Each of a group of its own, with all the columns of the forwarder's messages. */
export function messageOf(functionName: string, at: number): Outgoing {
  const uid = `6f1e2d3c-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const head = `{"name":"pod-${at}","uid":"${uid}","filler":"`;
  return {
    function: functionName,
    group: `${functionName}/bench/pods/team-${at % 97}/pod-${at}`,
    type: 'object.changed.v1',
    body: `${head}${filler.slice(0, bodyBytes - head.length - 2)}"}`,
    eventId: `${uid}/${at}/MODIFIED`,
    mergeKey: `${uid}/false`,
    subject: uid,
  };
}

export function messagesOf(functionName: string, from: number, count: number) {
  return Array.from({ length: count }, (_, at) => messageOf(functionName, from + at));
}
