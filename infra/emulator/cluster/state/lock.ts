import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One cluster a folder: two would write over each other. Throws where somebody has it. */
export function lock(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'lock');
  // The second time what a killed process has left is out of the way.
  for (let tries = 0; tries < 2; tries += 1) {
    if (isTaken(path)) return () => rmSync(path, { force: true });
    const holder = holderOf(path);
    if (holder !== undefined) throw new Error(inUse(directory, `process ${holder}`));
    rmSync(path, { force: true });
  }
  throw new Error(inUse(directory, 'another process'));
}

function inUse(directory: string, by: string): string {
  return `the state folder ${directory} is in use by ${by}`;
}

/** By us, just now. */
function isTaken(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid} ${bornAt(process.pid)}`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause: unknown) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    throw new Error(`cannot write to the state folder: ${path}`, { cause });
  }
}

/** `undefined` where its process is gone: it was killed. */
function holderOf(path: string): number | undefined {
  const [pid = '', born = ''] = readFileSync(path, 'utf8').split(' ');
  return /^\d+$/.test(pid) && isAlive(Number(pid)) && bornAt(Number(pid)) === born
    ? Number(pid)
    : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause: unknown) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}

/** Numbers of processes come again; with the moment of their birth they do not. Only Linux tells it. */
function bornAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // It ended, and nobody has asked how: where there is no init, it stays like this for ever.
    return fields[0] === 'Z' ? 'gone' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
