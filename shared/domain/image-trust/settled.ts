import { conflict, type Outcome, retry } from '../outcome.ts';

type Write =
  | { readonly kind: 'written' | 'not-found' }
  | { readonly kind: 'conflict'; readonly why: string }
  | { readonly kind: 'busy'; readonly why: string };

/** What becomes of a run whose last deed was this write; a pod that went meanwhile needs nothing more. */
export function settled(write: Write, otherwise: Outcome): Outcome {
  switch (write.kind) {
    case 'written':
    case 'not-found':
      return otherwise;
    case 'conflict':
      return conflict(write.why);
    case 'busy':
      return retry(write.why);
  }
}
