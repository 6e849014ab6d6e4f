import postgres, { type Sql } from 'postgres';
import { planner } from '#events/postgres-queue/connection.ts';

/** A part of a statement, and what stands in its place. */
export type Mutation = { readonly from: string; readonly to: string };

export type Mutated = {
  /** Whatever is asked by it is what production writes, but for the mutation. */
  readonly sql: Sql;
  /** In how many statements. */
  count(): number;
};

/** Of connections as the queue has them. Production knows nothing of it: it gets another `sql`. */
export function openMutated(url: string, mutation: Mutation | undefined): Mutated {
  const plain = postgres(url, { max: 4, onnotice: () => undefined, connection: planner });
  let count = 0;
  const written = (text: string): string => {
    if (mutation === undefined || !text.includes(mutation.from)) return text;
    count += 1;
    return text.replace(mutation.from, mutation.to);
  };
  return { sql: through(plain, written), count: () => count };
}

type Write = (text: string) => string;

function through<T extends object>(sql: T, write: Write): T {
  return new Proxy(sql, {
    apply: (target, self, [first, ...rest]: unknown[]) =>
      Reflect.apply(target as () => unknown, self, [
        isTemplate(first) ? read(first, write) : first,
        ...rest,
      ]),
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name);
      return (work: (tx: object) => unknown) =>
        (target as unknown as Sql).begin((tx) => work(through(tx, write)));
    },
  });
}

function isTemplate(given: unknown): given is TemplateStringsArray {
  return Array.isArray(given) && 'raw' in given;
}

function read(template: TemplateStringsArray, write: Write): TemplateStringsArray {
  const texts = template.map(write);
  return Object.assign(texts, { raw: texts });
}
