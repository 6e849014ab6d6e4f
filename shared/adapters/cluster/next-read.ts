/** Whoever asks while a read of the same key is under way shares the one after it: nobody gets an answer that was asked for before he asked. */
export function nextRead<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  const nextOnes = new Map<string, Promise<T>>();

  const begin = async (key: string): Promise<T> => {
    const before = underWay.get(key);
    // What is asked for in the same turn goes together.
    await (before === undefined ? aTurn() : atItsEnd(before));
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

function aTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** One that hangs holds up nobody else for long: another request may be answered at once. */
const patienceMs = 1_000;

function atItsEnd(read: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const ended = () => {
      clearTimeout(timer);
      resolve();
    };
    read.then(ended, ended);
  });
}
