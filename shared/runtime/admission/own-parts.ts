/**
 * What each pod of one template has for itself in the review that an API server sends of it: the request's uid, the random
 * end of its token volume's name, and when its fields were written. All else is equal to the byte (of Deployments and Jobs,
 * looked at on kube-apiserver 1.35); a pod with a name of its own, as of a StatefulSet, has no twin.
 */
export type OwnPart = {
  readonly kind: 'uid' | 'token-volume' | 'written-at';
  readonly start: number;
  readonly end: number;
};

/** As Go writes it, where a string's quotes are escaped and a map's keys are sorted: nothing else can look like these. */
const beforeUid = Buffer.from(
  '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"',
);
const uidLength = 36;
const tokenVolume = Buffer.from('kube-api-access-');
const beforeToken = Buffer.from('"name":"kube-api-access-');
const tokenLength = 5;
/** A volume and a mount go on with what is no text, as what follows a label or an annotation is. */
const afterToken = ['","projected":{', '","readOnly":true,"mountPath":"'].map((text) =>
  Buffer.from(text),
);
const beforeTime = Buffer.from('","time":"');
const timeLength = '2030-01-01T00:00:00Z'.length;
const afterTime = Buffer.from('","fieldsType":"');

/** `undefined` where it is nothing that an API server writes, or the token volume's name is more than one name. */
export function findOwnParts(bytes: Buffer): readonly OwnPart[] | undefined {
  if (!stands(bytes, beforeUid, 0)) return undefined;
  const parts = [uidAt(beforeUid.length), ...tokenVolumesIn(bytes), ...timesIn(bytes)];
  const isWhole = parts.every((part) => isFramed(bytes, part)) && areSound(bytes, parts);
  return isWhole ? parts.toSorted((one, other) => one.start - other.start) : undefined;
}

/** Equal but for their own parts, which are such parts in both. */
export function areTwins(bytes: Buffer, known: Buffer, parts: readonly OwnPart[]): boolean {
  return (
    bytes.length === known.length && areEqualBeside(bytes, known, parts) && areSound(bytes, parts)
  );
}

export function textOf(bytes: Buffer, { start, end }: OwnPart): string {
  return bytes.toString('latin1', start, end);
}

export function uidIn(bytes: Buffer, parts: readonly OwnPart[]): string {
  const uid = parts.find(({ kind }) => kind === 'uid');
  return uid === undefined ? '' : textOf(bytes, uid);
}

function uidAt(start: number): OwnPart {
  return { kind: 'uid', start, end: start + uidLength };
}

function tokenVolumesIn(bytes: Buffer): readonly OwnPart[] {
  return startsAfter(bytes, tokenVolume).map((start) => {
    return { kind: 'token-volume', start, end: start + tokenLength };
  });
}

function timesIn(bytes: Buffer): readonly OwnPart[] {
  return startsAfter(bytes, beforeTime)
    .filter((start) => stands(bytes, afterTime, start + timeLength))
    .map((start) => ({ kind: 'written-at', start, end: start + timeLength }));
}

function startsAfter(bytes: Buffer, needle: Buffer): readonly number[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) {
    starts.push(at + needle.length);
  }
  return starts;
}

export function stands(bytes: Buffer, what: Buffer, at: number): boolean {
  const end = at + what.length;
  return end <= bytes.length && bytes.compare(what, 0, what.length, at, end) === 0;
}

function areEqualBeside(bytes: Buffer, known: Buffer, parts: readonly OwnPart[]): boolean {
  let from = 0;
  for (const { start, end } of parts) {
    if (bytes.compare(known, from, start, from, start) !== 0) return false;
    from = end;
  }
  return bytes.compare(known, from, known.length, from, known.length) === 0;
}

const quote = 0x22;

/** A person may give that name to a label, an annotation or a container: it is a fact then, and no volume's. */
function isFramed(bytes: Buffer, { kind, start, end }: OwnPart): boolean {
  if (kind !== 'token-volume') return bytes[end] === quote;
  return (
    stands(bytes, beforeToken, start - beforeToken.length) &&
    afterToken.some((text) => stands(bytes, text, end))
  );
}

function areSound(bytes: Buffer, parts: readonly OwnPart[]): boolean {
  const first = parts.find(({ kind }) => kind === 'token-volume');
  return parts.every((part) => isSound(bytes, part, first ?? part));
}

const uidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** Of all letters and digits those which API servers take for random names. */
const tokenPattern = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Two names of token volumes would be two facts: which of them is whose decides what is mounted. */
function isSound(bytes: Buffer, part: OwnPart, firstToken: OwnPart): boolean {
  switch (part.kind) {
    case 'uid':
      return uidPattern.test(textOf(bytes, part));
    case 'written-at':
      return timePattern.test(textOf(bytes, part));
    case 'token-volume':
      return part === firstToken
        ? tokenPattern.test(textOf(bytes, part))
        : isSameName(bytes, part, firstToken);
  }
}

function isSameName(bytes: Buffer, part: OwnPart, first: OwnPart): boolean {
  for (let at = 0; at < tokenLength; at += 1) {
    if (bytes[part.start + at] !== bytes[first.start + at]) return false;
  }
  return true;
}
