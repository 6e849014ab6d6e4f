import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { type Accepted, takesPlain } from './accepting.ts';
import type { Answer } from './world.ts';

/** As the real server: what is smaller is not worth the time. */
const worthPacking = 128 * 1024;
const packing = { level: constants.Z_BEST_SPEED };

type How = Writing & {
  readonly packs: boolean;
  /** Of the request: whoever says none gets one. */
  readonly id: string;
};

type Writing = {
  readonly type: 'json' | 'yaml';
  readonly isPretty: boolean;
};

function writing(
  request: IncomingMessage,
  { code }: Answer,
  accepted: Accepted | undefined,
): Writing {
  // A refusal has one form alone, also for whoever wants none of it.
  if (code >= 400 && !takesPlain(request.headers.accept)) return { type: 'json', isPretty: true };
  const type = accepted?.type ?? 'json';
  return { type, isPretty: accepted?.isPretty === true || isPretty(request) };
}

export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, accepted }: { readonly answer: Answer; readonly accepted: Accepted | undefined },
): Promise<void> {
  const packs = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const id = requestId(request);
  const how = { ...writing(request, answer, accepted), packs, id };
  const { body } = answer;
  const isInPieces = typeof body === 'object' && Symbol.iterator in body;
  if (answer.code === 304 || answer.code === 204) return sendNothing(response, answer, id);
  // Nothing has no type either.
  if (body === '') {
    const headers = { 'content-length': '0', ...answer.headers };
    return sendNothing(response, { ...answer, headers }, id);
  }
  if (!isInPieces) return sendText(response, answer, { text: textFrom(body), how });
  const pieces = (body as Iterable<string>)[Symbol.iterator]();
  const { text, isAll } = firstOf(pieces, how.type === 'yaml' || how.isPretty);
  if (isAll) return sendText(response, answer, { text, how });
  await sendPieces(response, answer, { first: text, rest: pieces, packs, id });
}

export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const stated = headers['audit-id'];
  return typeof stated === 'string' && stated !== '' ? stated : randomUUID();
}

function textFrom(body: Answer['body']): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Browsers and those who look by hand get it in lines. */
function isPretty({ url = '', headers }: IncomingMessage): boolean {
  const [, stated] = /[?&]pretty=([^&]+)/.exec(url) ?? [];
  if (stated !== undefined) return /^(1|t|T|TRUE|true|True)$/.test(stated);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '');
}

function firstOf(pieces: Iterator<string>, wantsAll: boolean) {
  const parts: string[] = [];
  for (let length = 0; wantsAll || length < worthPacking; ) {
    const { value, done } = pieces.next();
    if (done === true) return { text: parts.join(''), isAll: true };
    parts.push(value);
    length += value.length;
  }
  return { text: parts.join(''), isAll: false };
}

type Text = { readonly text: string; readonly how: How };

/** Of an answer without a body caches would take its type and length for those of the body that they keep. */
function sendNothing(response: ServerResponse, { code, headers }: Answer, id: string): void {
  const own = { 'audit-id': id, 'cache-control': 'no-cache, private' };
  response.writeHead(code, { ...own, ...(headers as Record<string, string>) });
  response.end();
}

function sendText(response: ServerResponse, answer: Answer, { text, how }: Text): void {
  const isJson = /^[{[]/.test(text) && !('content-type' in (answer.headers ?? {}));
  const plain = isJson ? written(text, how) : text;
  const bytes = Buffer.from(plain);
  const isPacked = how.packs && bytes.length > worthPacking;
  const sent = isPacked ? gzipSync(bytes, packing) : bytes;
  response.writeHead(answer.code, {
    ...headersOf(isJson ? jsonOrYaml(how) : plainText, how.id),
    ...(answer.code === 404 && !isJson && noSniff),
    ...(isPacked && packed),
    'content-length': sent.length,
    ...(answer.headers as Record<string, string>),
  });
  response.end(sent);
}

/** Go's plain pages of errors say so. */
const noSniff = { 'x-content-type-options': 'nosniff' };
const plainText = 'text/plain; charset=utf-8';
const packed = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

function jsonOrYaml({ type }: How): string {
  return `application/${type}`;
}

function headersOf(type: string, id: string) {
  return { 'audit-id': id, 'cache-control': 'no-cache, private', 'content-type': type };
}

/** As Go's writer of YAML: sorted, lists as far left as what they are of. */
const inGo = { sortMapEntries: true, indentSeq: false, lineWidth: 0, schema: 'yaml-1.1' } as const;

function written(text: string, { type, isPretty }: How): string {
  if (type === 'yaml') return stringify(JSON.parse(text), inGo);
  return isPretty ? JSON.stringify(JSON.parse(text), null, 2) : `${text}\n`;
}

type Pieces = Pick<How, 'packs' | 'id'> & {
  readonly first: string;
  readonly rest: Iterator<string>;
};

/** Whoever reads slowly holds up nothing but his own list. */
async function sendPieces(
  response: ServerResponse,
  answer: Answer,
  { first, rest, packs, id }: Pieces,
) {
  response.writeHead(answer.code, { ...headersOf('application/json', id), ...(packs && packed) });
  const source = Readable.from(whole(first, rest), { highWaterMark: 1 });
  try {
    if (packs) await pipeline(source, createGzip(packing), response);
    else await pipeline(source, response);
  } catch {
    // The client left: there is nobody to tell.
    response.destroy();
  }
}

function* whole(first: string, rest: Iterator<string>): Generator<Buffer> {
  yield Buffer.from(first);
  for (let next = rest.next(); next.done !== true; next = rest.next())
    yield Buffer.from(next.value);
  yield Buffer.from('\n');
}
