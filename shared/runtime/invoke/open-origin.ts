import type { Origin } from './origin.ts';

/** Loaded for the first message that a function does more to than to run it. Region and keys are in Lambda's environment. */
export async function openOrigin(functionName: string): Promise<Origin> {
  const [{ originOn }, { mappedEndingsOn }, { openSqs }] = await Promise.all([
    import('./origin.ts'),
    import('#events/sqs-queue/mapped.ts'),
    import('#events/sqs-queue/sqs.ts'),
  ]);
  return originOn(mappedEndingsOn(openSqs({}), { now: Date.now }), functionName);
}
