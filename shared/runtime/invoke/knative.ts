import { retry } from '#shared/domain/outcome.ts';
import type { Log } from '../log.ts';
import type { Ran } from '../reconcile.ts';
import type { Message } from '../wake.ts';
import { type EventMode, eventRequest } from './cloud-event-out.ts';
import { type HttpAnswer, ranFrom } from './knative-answer.ts';

export type Posting = {
  readonly url: string;
  readonly mode: EventMode;
  /** The function's own. */
  readonly deadlineMs: number;
  readonly stopped: AbortSignal;
  readonly log: Log;
};

/** A service that was scaled to nothing starts first, and the call waits for it. */
const coldStartMs = 30_000;
/** An outcome is short; whatever is longer is none. */
const maxBytes = 64 * 1_024;

/** One message to a function that runs as a service. It never throws: whoever cannot be reached is asked again. */
export async function post(message: Message, posting: Posting): Promise<Ran> {
  const { url, mode, deadlineMs, stopped, log } = posting;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(deadlineMs + coldStartMs)]);
  try {
    const { headers, body } = eventRequest(message, mode);
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'manual',
    });
    return ranFrom(await read(response), new Date());
  } catch (cause: unknown) {
    log.warn({ id: message.id, url, err: cause }, 'a service did not answer');
    return retry('the service did not answer');
  }
}

async function read(response: Response): Promise<HttpAnswer> {
  const { status, headers } = response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks).toString('utf8') };
}
