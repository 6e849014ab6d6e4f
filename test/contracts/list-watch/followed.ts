import { onTestFinished } from 'vitest';
import type { Line, Scope, WatchEnd, Watching, WatchOptions } from '#shared/domain/watched.ts';
import { forever, type Place, versionOf } from './place.ts';
import { whenFree } from './when-free.ts';

export type Change = Line & { readonly kind: 'change' };

export type Followed = {
  /** The next so many changes; fails where the watch ends before. */
  changes(count: number): Promise<readonly Change[]>;
  /** Everything up to the line that is meant, and with it. */
  until(isMeant: (line: Line) => boolean): Promise<readonly Line[]>;
  /** Everything up to the end. */
  rest(): Promise<{ readonly lines: readonly Line[]; readonly end: WatchEnd }>;
};

type Options = Partial<WatchOptions> & { readonly isStreamed?: boolean };

/** From now on, where no version is named. */
export async function follow(
  place: Place,
  scope: Scope,
  { isStreamed = false, ...options }: Options = {},
): Promise<Followed> {
  const now = isStreamed ? undefined : (options.resourceVersion ?? (await versionOf(place, scope)));
  const wanted = { timeoutSeconds: 60, idleMs: 30_000, signal: forever, ...options };
  const watching = await whenFree(() =>
    place.stream.watch(scope, { ...wanted, resourceVersion: now }),
  );
  if (watching.kind !== 'open') throw new Error(`no watch: ${JSON.stringify(watching)}`);
  onTestFinished(watching.close);
  return readerOf(watching);
}

function readerOf(watching: Watching): Followed {
  const waiting: Line[] = [];
  const more = async (): Promise<WatchEnd | undefined> => {
    const next = await watching.next();
    if (!isBatch(next)) return next;
    waiting.push(...next);
    return undefined;
  };
  const take = async (enough: () => number) => {
    for (let count = enough(); ; count = enough()) {
      if (count > 0) return waiting.splice(0, count);
      const end = await more();
      if (end !== undefined) throw new Error(`the watch ended: ${JSON.stringify(end)}`);
    }
  };
  return {
    until: (isMeant) => take(() => waiting.findIndex(isMeant) + 1),
    async changes(count) {
      const lines = await take(() => {
        const last = waiting.filter(isChange)[count - 1];
        return last === undefined ? 0 : waiting.indexOf(last) + 1;
      });
      return lines.filter(isChange);
    },
    async rest() {
      for (;;) {
        const end = await more();
        if (end !== undefined) return { lines: waiting.splice(0), end };
      }
    },
  };
}

function isBatch(next: readonly Line[] | WatchEnd): next is readonly Line[] {
  return Array.isArray(next);
}

export function isChange(line: Line): line is Change {
  return line.kind === 'change';
}

/** `ADDED a` */
export function told(changes: readonly Line[]): readonly string[] {
  return changes.filter(isChange).map(({ type, object }) => `${type} ${object.metadata.name}`);
}

export function named(name: string): (line: Line) => boolean {
  return (line) => isChange(line) && line.object.metadata.name === name;
}
