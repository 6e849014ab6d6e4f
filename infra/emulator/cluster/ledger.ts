import { idOf, type ServedKind } from './served-kinds.ts';
import type { Change } from './store/history.ts';

/** What truly happened, in order: whoever followed can be held to it. */
export type Entry = {
  /** `pods`, `deployments.apps` */
  readonly resource: string;
  readonly type: Change['type'];
  readonly version: number;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, with fractions: the moment of the commit. */
  readonly at: number;
  /** Counts the restores to an older state: versions of two histories do not compare. */
  readonly epoch: number;
};

export type Ledger = {
  entries(): readonly Entry[];
  /** For long runs: what is counted already need not stay in memory. */
  forget(): void;
};

export function openLedger() {
  let entries: Entry[] = [];
  return {
    entries: () => entries,
    forget: () => {
      entries = [];
    },
    write(kind: ServedKind, { type, version, now }: Change, epoch: number): void {
      const { uid, namespace, name, labels } = now;
      const at = performance.timeOrigin + performance.now();
      entries.push({
        resource: idOf(kind),
        type,
        version,
        uid,
        namespace,
        name,
        labels,
        at,
        epoch,
      });
    },
  };
}
