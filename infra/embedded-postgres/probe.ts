import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { run, type Way } from './way.ts';

export type Probed =
  | { readonly kind: 'good'; readonly version: string }
  | { readonly kind: 'bad'; readonly why: string };

type Asked = {
  readonly postgres: string;
  readonly libraries: string;
  readonly folder: string;
};

/** Postgres asks the same of the machine: start the binary as that user, and stand in the folder. */
const script = 'cd "$2" && test -w . && "$1" --version';

export async function probe(way: Way, { postgres, libraries, folder }: Asked): Promise<Probed> {
  const { command, args, as } = run(way, '/bin/sh', ['-c', script, 'sh', postgres, folder]);
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', LD_LIBRARY_PATH: libraries };
  try {
    const options = { ...as, cwd: '/', env, timeout: 10_000 };
    const { stdout } = await promisify(execFile)(command, [...args], options);
    return { kind: 'good', version: /\d+(\.\d+)?/.exec(stdout)?.[0] ?? 'unknown' };
  } catch (cause: unknown) {
    return { kind: 'bad', why: cause instanceof Error ? whyOf(cause) : String(cause) };
  }
}

function whyOf(cause: Error & { readonly stderr?: string }): string {
  return (cause.stderr ?? '').trim() || cause.message;
}
