export type Once<T> = {
  get(): Promise<T>;
  /** What was made or is being made; nothing where nobody has asked. */
  known(): Promise<T> | undefined;
};

/** One attempt for all who ask; one that failed is made again. */
export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  return {
    known: () => made,
    get() {
      made ??= make().catch((cause: unknown) => {
        made = undefined;
        throw cause;
      });
      return made;
    },
  };
}
