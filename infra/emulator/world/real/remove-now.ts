import { objectPath } from '#shared/adapters/cluster/address.ts';
import { asker } from '#shared/adapters/cluster/ask.ts';
import type { Session } from '#shared/adapters/cluster/login.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Write } from '#shared/ports.ts';
import { type Place, wordsFor } from '../ref.ts';

export type RemoveNow = (place: Place, live: KubeObject) => Promise<Write>;

/** A pod that runs is not given its grace: whoever makes it anew wants its name now. Only while it is as it was seen. */
export function removerOf(session: Session): RemoveNow {
  const ask = asker(session, { deadlineMs: 10_000, maxAnswerBytes: 16e6, userAgent: 'recreate' });
  return async (place, live) => {
    const { uid, resourceVersion } = live.metadata;
    const { status, why } = await ask({
      what: `delete ${wordsFor(place)}`,
      method: 'DELETE',
      path: objectPath(place),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid, resourceVersion },
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      },
    });
    if (status < 300) return { kind: 'written', object: live };
    if (status === 404) return { kind: 'not-found' };
    if (status === 409) return { kind: 'conflict', why };
    throw new Error(`cannot delete ${wordsFor(place)}: ${why}`);
  };
}
