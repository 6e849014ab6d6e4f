import { type Opened, openEnvelope, refused } from './envelope.ts';

/** Reads at most `maxBytes`. An over-long or broken body is a kind of answer, not an exception. */
export async function openBody(request: Request, maxBytes: number): Promise<Opened> {
  if (!isJson(request.headers.get('content-type'))) {
    return refused('the content type must be application/json');
  }
  const length = request.headers.get('content-length');
  if (length === null) return openStream(request, maxBytes);
  return Number(length) > maxBytes ? tooLarge(maxBytes) : openEnvelope(await request.text());
}

/** The very type, as API servers write it, is looked at first: this is asked for every review. */
export function isJson(contentType: string | null | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

function tooLarge(maxBytes: number): Opened {
  return refused(`the body is larger than ${maxBytes} bytes`, undefined, 413);
}

/** Without a length the body is counted as it comes, and let go of once it is too much. */
async function openStream(request: Request, maxBytes: number): Promise<Opened> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return openEnvelope(Buffer.concat(chunks).toString('utf8'));
}
