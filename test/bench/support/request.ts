import { placeholderUid } from './review.ts';

export type Addressed = {
  readonly host: string;
  readonly path: string;
  readonly timeoutSeconds: number;
};

export type Request = {
  readonly bytes: Buffer;
  /** Writes the next review in place: the same length, another request of another pod. */
  renew(count: number): string;
};

/** As many pods in a row as a template is asked for, unless somebody says otherwise. */
export const usualReplicas = 20;

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

const hex = '0123456789abcdef';
/** Without those that make words. */
const random = 'bcdfghjklmnpqrstvwxz2456789';

type Own = {
  /** As it stands in the body, wherever it does; its last digits are written anew. */
  readonly text: string;
  readonly digits: number;
  readonly alphabet: string;
};

const uid: Own = { text: placeholderUid, digits: 12, alphabet: hex };
const ofThePod: readonly Own[] = [
  uid,
  { text: 'kube-api-access-x7k2p', digits: 5, alphabet: random },
  { text: '2026-09-03T09:14:27', digits: 2, alphabet: '012345' },
];
const ofTheTemplate: readonly Own[] = [
  { text: '6d4cf56db6', digits: 10, alphabet: random },
  { text: '3f1c2b9a-5a0e-4a52-9d38-7b1f0a6c2e11', digits: 12, alphabet: hex },
];

/** What differs between pods on a real API server differs here; each so many are of another template. */
export function requestOf(
  body: string,
  addressed: Addressed,
  replicas: number = usualReplicas,
): Request {
  const bytes = Buffer.from(requestHead(addressed, Buffer.byteLength(body)) + body, 'utf8');
  const pod = ofThePod.map((own) => writerOf(bytes, own));
  const template = ofTheTemplate.map((own) => writerOf(bytes, own));
  return {
    bytes,
    renew(count) {
      for (const write of pod) write(count);
      for (const write of template) write(Math.floor(count / replicas));
      return uid.text.slice(0, -uid.digits) + numeral(count, uid);
    },
  };
}

function writerOf(bytes: Buffer, own: Own): (count: number) => void {
  const places: number[] = [];
  for (let at = bytes.indexOf(own.text); at !== -1; at = bytes.indexOf(own.text, at + 1)) {
    places.push(at + own.text.length - own.digits);
  }
  return (count) => {
    const [first, ...others] = places;
    if (first === undefined) return;
    bytes.write(numeral(count, own), first, 'latin1');
    for (const place of others) bytes.copyWithin(place, first, first + own.digits);
  };
}

/** In as many digits of its own alphabet. */
function numeral(count: number, { digits, alphabet }: Own): string {
  const all = Array.from({ length: digits }, (_, index) => {
    const at = Math.floor(count / alphabet.length ** (digits - 1 - index)) % alphabet.length;
    return alphabet[at];
  });
  return all.join('');
}
