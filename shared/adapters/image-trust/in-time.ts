import type { TrustRules } from '#shared/domain/image-trust/rules.ts';

type Patience = { readonly rules: Pick<TrustRules, 'timeoutMs'>; readonly signal: AbortSignal };

/** Nothing where it takes too long: what is under way goes on, only this answer does without it. */
export async function inTime<T>(
  work: Promise<T>,
  { rules, signal }: Patience,
): Promise<T | undefined> {
  // Nobody may wait for it any more when it ends: how it does is told to those who do.
  work.catch(() => undefined);
  if (signal.aborted) return undefined;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  const timer = setTimeout(end, rules.timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
