export type Draining = {
  /** Receives a batch of ten and settles it: how many there were. */
  readonly takeBatch: () => Promise<number>;
  readonly atOnce: number;
  readonly max: number;
  readonly seconds: number;
};

/** Messages a second, until the time is over or enough are through. */
export async function rateOf({ takeBatch, atOnce, max, seconds }: Draining): Promise<number> {
  const began = performance.now();
  const isOver = () => taken >= max || performance.now() - began > seconds * 1_000;
  let taken = 0;
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      // Not in one line: that reads what others have taken before it waits.
      const count = await takeBatch();
      taken += count;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (taken * 1_000) / (performance.now() - began);
}
