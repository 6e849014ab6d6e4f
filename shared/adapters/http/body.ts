import type { IncomingMessage } from 'node:http';
import { type OutsideRefused, refused } from '#shared/domain/outside.ts';

export type Body = { readonly kind: 'body'; readonly bytes: Uint8Array } | OutsideRefused;

/** As it was sent: what is compressed is refused by its head, so that a small body cannot become a large one. */
export async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Body> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!['', 'identity'].includes(encoding)) {
    return hungUp(answer, refused('encoded', 'the answer is compressed, which was not asked for'));
  }
  const tooLarge = refused('too-large', `the answer is larger than ${maxBytes} bytes`);
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) return hungUp(answer, tooLarge);

  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return hungUp(answer, tooLarge);
    chunks.push(chunk);
  }
  return { kind: 'body', bytes: Buffer.concat(chunks) };
}

/** The rest would have to be read before the connection can serve again. */
function hungUp(answer: IncomingMessage, why: OutsideRefused): OutsideRefused {
  answer.destroy();
  return why;
}
