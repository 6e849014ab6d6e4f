import { inBatches } from '#shared/domain/in-batches.ts';

/** Whoever asks while a read is under way shares the one after it: nobody gets an answer that was asked for before he asked. */
export function nextRead<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const ask = inBatches<string, { readonly answer: T }>({
    run: async (keys) => {
      const [key = ''] = keys;
      const answer = await read(key);
      return keys.map(() => ({ answer }));
    },
    ...{ max: Number.POSITIVE_INFINITY, atOnce: 1 },
    mayGoTogether: (first, other) => first === other,
  });
  return async (key) => (await ask(key)).answer;
}
