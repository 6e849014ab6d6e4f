import { readFileSync } from 'node:fs';

export type Resident = { readonly now: number; readonly highest: number };

/** MiB of a process. */
export function residentOf(pid: number): Resident {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) =>
    Number(status.match(new RegExp(`^${name}:\\s+(\\d+)`, 'm'))?.[1]) / 1_024;
  return { now: of('VmRSS'), highest: of('VmHWM') };
}
