import { placeholderUid } from './review.ts';

export type Addressed = {
  readonly host: string;
  readonly path: string;
  readonly timeoutSeconds: number;
};

export type Request = {
  readonly bytes: Buffer;
  /** Writes the next uid in place: the same length, another request. */
  renew(count: number): string;
};

const countDigits = 12;

/** What a kube-apiserver puts on the wire before the body, in the order in which Go writes it. */
export function requestHead({ host, path, timeoutSeconds }: Addressed, length: number): string {
  return [
    `POST ${path}?timeout=${timeoutSeconds}s HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: kube-apiserver-admission',
    `Content-Length: ${length}`,
    'Accept: application/json, */*',
    'Content-Type: application/json',
    'Accept-Encoding: gzip',
    '',
    '',
  ].join('\r\n');
}

export function requestOf(body: string, addressed: Addressed): Request {
  const bytes = Buffer.from(requestHead(addressed, Buffer.byteLength(body)) + body, 'utf8');
  const at = bytes.indexOf(placeholderUid);
  const fixed = placeholderUid.slice(0, -countDigits);
  return {
    bytes,
    renew(count) {
      const digits = count.toString(16).padStart(countDigits, '0');
      bytes.write(digits, at + fixed.length, 'latin1');
      return fixed + digits;
    },
  };
}
