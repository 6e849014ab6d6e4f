import type { Finding, Judgement, Unavailable, Untrusted } from './judgement.ts';

const untrusted: Readonly<Record<Untrusted, string>> = {
  'bad-reference': 'it is no name that anything could be signed under',
  'not-signed': 'it is not signed',
  'other-digest': 'something else is signed under this name',
  'bad-proof': 'its signature does not hold',
  'registry-refused': 'its registry refuses to show it',
  'notary-refused': 'who signs it refuses to tell',
  'too-many-roots': 'its root would be one more than its namespace may have',
  'too-many-images': 'its pod names more images than are judged',
  'bad-rules': "the namespace's annotations do not hold together",
};

const unavailable: Readonly<Record<Unavailable, string>> = {
  notary: 'who signs it could not be asked',
  registry: 'its registry could not be asked',
  'not-allowed': 'who has to be asked is at an address that is not to be connected to',
  'too-slow': 'it could not be verified in time',
  login: 'a pull secret of its pod could not be read',
  'root-not-kept': 'it would be a first use, which has to wait until it can be kept',
  contradicted: 'it was taken back while it was verified',
  'not-verified': 'nobody has verified it yet',
};

export const notPinned = 'it was not pinned; create it again';

/** As upstream begins; with no image, as upstream's validator has it too. */
export function headline(images: readonly string[]): string {
  const list = listed([...new Set(images)].toSorted(), headlineCharacters);
  return ['Pod images', list, 'validation failed'].filter((part) => part !== '').join(' ');
}

/** The reasons have to fit behind it. */
const headlineCharacters = 4_096;

/** As many as fit, and how many more there are. */
export function listed(images: readonly string[], mostCharacters: number): string {
  let length = 0;
  const cut = images.findIndex((image) => {
    length += image.length + 2;
    return length > mostCharacters;
  });
  if (cut === -1) return images.join(', ');
  return [...images.slice(0, cut), `and ${images.length - cut} more`].join(', ');
}

/** `nginx:1: it is not signed (…)` */
export function reasonOf({ image, judgement }: Finding): string {
  return `${image}: ${whyNot(judgement)}`;
}

function whyNot(judgement: Judgement): string {
  switch (judgement.kind) {
    case 'untrusted':
      return withNote(untrusted[judgement.why], judgement.note);
    case 'unavailable':
      return withNote(unavailable[judgement.why], judgement.note);
    case 'trusted':
      return 'it is signed';
    case 'allowed':
      return `it needs no signature (${judgement.entry})`;
  }
}

function withNote(sentence: string, note: string): string {
  return note === '' ? sentence : `${sentence} (${note})`;
}
