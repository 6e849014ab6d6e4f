export type Life = { isOver: boolean };

const never = new Promise<never>(() => undefined);

/** What a dead process asks is never answered, and what was under way is not heard any more. */
export function mortal<T extends object>(ports: T, life: Life): T {
  const wrapped = Object.entries(ports).map(([name, call]) => [name, until(life, call)]);
  return Object.fromEntries(wrapped) as T;
}

function until(life: Life, call: unknown): unknown {
  if (typeof call !== 'function') return call;
  return async (...given: readonly unknown[]) => {
    const answer: unknown = life.isOver ? never : await call(...given);
    return life.isOver ? never : answer;
  };
}
