import { closeSync, openSync, readSync } from 'node:fs';

/** What a function wrote down of one run. Times are of the machine's monotonic clock, in milliseconds. */
export type Run = {
  readonly function: string;
  readonly uid: string;
  /** Of what woke it; of whoever knows no such ids, what he was told. */
  readonly eventId: string;
  readonly isDeletion: boolean;
  readonly state: 'living' | 'tombstone' | 'nothing';
  /** Of the object that it read; empty where there was none. */
  readonly version: string;
  /** Of the namespace that it read, where the function reads that. */
  readonly around: string;
  readonly beganAt: number;
  readonly endedAt: number;
  /** Of the object that it read; left out by whoever does not say them. */
  readonly labels?: string;
};

/** The clock of the runs, which is the same in all processes of a machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const chunkBytes = 1024 * 1024;

/** Reads on where it stopped, whole lines only. */
export function openRuns(file: string) {
  closeSync(openSync(file, 'a'));
  const handle = openSync(file, 'r');
  const buffer = Buffer.alloc(chunkBytes);
  let rest = '';
  return {
    read(): readonly Run[] {
      const found: Run[] = [];
      for (;;) {
        const bytes = readSync(handle, buffer, 0, chunkBytes, null);
        if (bytes === 0) return found;
        const lines = (rest + buffer.toString('latin1', 0, bytes)).split('\n');
        rest = lines.pop() ?? '';
        found.push(...lines.map(runFrom));
      }
    },
    close: () => closeSync(handle),
  };
}

export function runFrom(line: string): Run {
  const [by = '', uid = '', wake = '', state = '', version = '', around = '', ...rest] =
    line.split('\t');
  const [began, ended, eventId = `${uid}/${version}/${wake}`, labels] = rest;
  return {
    ...{ function: by, uid, eventId },
    isDeletion: wake === 'deleted',
    state: state === 'living' || state === 'tombstone' ? state : 'nothing',
    version,
    around,
    beganAt: Number(began),
    endedAt: Number(ended),
    ...(labels !== undefined && { labels }),
  };
}
