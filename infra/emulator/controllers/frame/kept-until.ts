/** Asked once, and then known until it is forgotten. What failed, or is no whole answer, is asked again. */
export function keptUntil<T>(
  ask: () => Promise<T>,
  isWhole: (answer: T) => boolean,
): { get(): Promise<T>; forget(): void } {
  let known: Promise<T> | undefined;
  const forget = () => {
    known = undefined;
  };
  return {
    get() {
      const asked = known ?? ask();
      known = asked;
      const check = (isKept: boolean) => {
        if (!isKept && known === asked) forget();
      };
      asked.then(
        (answer) => check(isWhole(answer)),
        () => check(false),
      );
      return asked;
    },
    forget,
  };
}
