import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A server that has just learned of a kind may say "storage is (re)initializing": it asks for a second, as every client
 * gives it, and is asked again.
 */
export async function whenFree<T extends { readonly kind: string }>(
  ask: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer.kind !== 'busy' || performance.now() > until) return answer;
    await sleep(100);
  }
}
