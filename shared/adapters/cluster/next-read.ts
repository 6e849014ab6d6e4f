/** Whoever asks while a read of the same key is under way shares the one after it: nobody gets an answer that was asked for before he asked. */
export function nextRead<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  const nextOnes = new Map<string, Promise<T>>();

  const begin = async (key: string): Promise<T> => {
    // What is asked for in the same turn goes together.
    await (underWay.get(key)?.catch(toldToWhoShares) ?? new Promise(process.nextTick));
    nextOnes.delete(key);
    const answer = read(key);
    underWay.set(key, answer);
    try {
      return await answer;
    } finally {
      if (underWay.get(key) === answer) underWay.delete(key);
    }
  };
  return (key) => {
    const next = nextOnes.get(key) ?? begin(key);
    nextOnes.set(key, next);
    return next;
  };
}

function toldToWhoShares(): void {}
