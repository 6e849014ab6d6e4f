/** What became of one run of a reconcile function. The loop does the rest: settle, wait, back off, bury. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly afterSeconds: number }
  | { readonly kind: 'conflict'; readonly why: string }
  | { readonly kind: 'retry'; readonly why: string }
  | { readonly kind: 'give-up'; readonly why: string };

export const done: Outcome = Object.freeze({ kind: 'done' });

/** Not yet: costs no attempt. */
export function later(afterSeconds: number): Outcome {
  return { kind: 'later', afterSeconds };
}

/** Somebody wrote first: runs again at once with live reads. */
export function conflict(why: string): Outcome {
  return { kind: 'conflict', why };
}

/** That failed: runs again with backoff, without a limit. */
export function retry(why: string): Outcome {
  return { kind: 'retry', why };
}

/** It can never work: the message is buried at once. */
export function giveUp(why: string): Outcome {
  return { kind: 'give-up', why };
}
