import type { ReadFailure, RegistryRefusal } from './registry.ts';

/** What it means for what was asked for that it was not handed out. */
export type Meaning =
  /** Nobody is heard, or who is heard fails. */
  | 'away'
  /** Nobody was asked: we do not go there. */
  | 'not-asked'
  | 'missing'
  /** Not with the credentials that we have. */
  | 'denied'
  /** Another status, behind which registries hide what one may not see, as behind a page for people. */
  | 'withheld'
  | 'a-page'
  /** Something was sent, and it is not what was asked for. */
  | 'flawed';

const meanings = {
  'bad-url': 'not-asked',
  'plain-http': 'not-asked',
  address: 'not-asked',
  redirect: 'not-asked',
  denied: 'denied',
  'login-left-out': 'denied',
  challenge: 'denied',
  'token-server': 'denied',
  status: 'withheld',
  'media-type': 'a-page',
  malformed: 'flawed',
  digest: 'flawed',
  'too-large': 'flawed',
  encoded: 'flawed',
} as const satisfies Readonly<Record<RegistryRefusal, Meaning>>;

export function meaningOf(failure: ReadFailure): Meaning {
  switch (failure.kind) {
    case 'not-found':
      return 'missing';
    case 'unavailable':
      return 'away';
    case 'refused':
      return meanings[failure.why];
  }
}
