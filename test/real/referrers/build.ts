import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const environment = {
  ...process.env,
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly',
  GOWORK: 'off',
};

/** The program of `main.go`; built where these very sources were not built before, beside the kube-apiserver's. */
export function builtRegistry(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'gatehouse', `referrers-${stamp()}`);
  const program = join(folder, 'registry');
  if (existsSync(program)) return program;

  // Built beside and moved as a whole: who finds the folder finds all of it, two builds at once included.
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  build(join(unfinished, 'registry'));
  moved(unfinished, folder);
  return program;
}

function build(program: string): void {
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', program, '.'];
  const stdio = ['ignore', 'inherit', 'inherit'] as const;
  const { status, error } = spawnSync('go', args, {
    cwd: here,
    env: environment,
    stdio: [...stdio],
  });
  if (status === 0) return;
  rmSync(dirname(program), { recursive: true, force: true });
  const why = `go could not build the registry with the referrers API (exit ${status}); it needs Go 1.25 or newer in PATH`;
  throw new Error(why, { cause: error });
}

function stamp(): string {
  const sources = ['go.mod', 'go.sum', 'main.go', 'build.ts'].map((file) =>
    readFileSync(join(here, file), 'utf8'),
  );
  const { stdout } = spawnSync('go', ['version'], { env: environment, encoding: 'utf8' });
  return createHash('sha256')
    .update([...sources, stdout].join('\0'))
    .digest('hex')
    .slice(0, 16);
}

function moved(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (cause: unknown) {
    rmSync(from, { recursive: true, force: true });
    if (!existsSync(to)) throw new Error(`cannot keep what was built in ${to}`, { cause });
  }
}
