/** Goes on at once where nothing has to be waited for: most answers are there, and each promise would cost their reviews. */
export function onceKnown<T, U>(
  value: T | Promise<T>,
  next: (value: T) => U | Promise<U>,
): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
