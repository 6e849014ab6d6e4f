import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';

export const imageChannel = 'gatehouse_images';
export const claimChannel = 'gatehouse_image_claims';

/**
 * Tells where verdicts changed and where claims were given back, on one connection that is opened by who wants to know. Whenever it is opened anew, anything
 * may have changed meanwhile. What was not told at all ends with the time for which a verdict is fresh.
 */
export function imageChangesOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'onChange' | 'onRelease'> & { close(): Promise<void> } {
  const ending = new AbortController();
  const hear = (heard: Heard) => (payload: string) => {
    const space = payload.indexOf(' ');
    if (payload.slice(space + 1) === cluster) heard(payload.slice(0, space));
  };
  const listen = async (channel: string, heard: Heard): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        await sql.listen(channel, hear(heard), () => heard(undefined));
        return;
      } catch {
        // An outage is no news here: whoever asks learns of it.
        await wait(1_000, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      }
    }
  };
  return {
    onChange: (heard) => void listen(imageChannel, heard),
    onRelease: (heard) => void listen(claimChannel, heard),
    close: async () => ending.abort(),
  };
}

type Heard = Parameters<VerdictStore['onChange']>[0];
