import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder with a go.mod, and the packages of it that are programs. */
type Module = { readonly folder: string; readonly programs: Readonly<Record<string, string>> };

const newest: Module = {
  folder: '.',
  programs: {
    etcd: 'go.etcd.io/etcd/server/v3',
    'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
    'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
    kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  },
};

/** Of the oldest version that the emulated cluster is for. */
const oldest: Module = {
  folder: 'oldest-kubectl',
  programs: { kubectl: 'k8s.io/kubernetes/cmd/kubectl' },
};

const here = fileURLToPath(new URL('.', import.meta.url));
const environment = {
  ...process.env,
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly',
  GOWORK: 'off',
};

/** The folder with the programs of go.mod's versions; builds them where these very sources were not built before. */
export function builtKube(): string {
  return built(newest);
}

export function oldestKubectl(): string {
  return join(built(oldest), 'kubectl');
}

function built(module: Module): string {
  const folder = join(cacheHome(), 'gatehouse', `kube-${stamp(module)}`);
  if (existsSync(folder)) return folder;

  // Built beside and moved as a whole: who finds the folder finds all of it, two builds at once included.
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  for (const program of Object.keys(module.programs)) build(module, program, unfinished);
  moved(unfinished, folder);
  return folder;
}

function build(module: Module, program: string, folder: string): void {
  console.error(`building ${program} (minutes when nothing is cached)`);
  const options = ['-trimpath', '-buildvcs=false', '-gcflags=all=-dwarf=false'];
  const path = module.programs[program] ?? program;
  const target = ['-ldflags', linkerFlags(module), '-o', join(folder, program), path];
  const { status, error } = spawnSync('go', ['build', ...options, ...target], {
    cwd: join(here, module.folder),
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) return;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`go could not build ${program} (exit ${status})`, { cause: error });
}

/** Without a version the server calls itself v0.0.0-master+$Format, which kubectl cannot read. */
function linkerFlags(module: Module): string {
  const version = /k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/.exec(text(module, 'go.mod'))?.[1];
  if (version === undefined) throw new Error('go.mod states no version of k8s.io/kubernetes');
  const [major, minor] = version.slice(1).split('.');
  const facts = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: version,
    buildDate: '1970-01-01T00:00:00Z',
  };
  const stated = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(
    (package_) => Object.entries(facts).map(([key, value]) => `-X ${package_}.${key}=${value}`),
  );
  return ['-s', '-w', ...stated].join(' ');
}

function stamp(module: Module): string {
  const own = [text(module, 'go.mod'), text(module, 'go.sum')];
  const sources = [...own, readFileSync(join(here, 'build.ts'), 'utf8'), goVersion()];
  return createHash('sha256').update(sources.join('\0')).digest('hex').slice(0, 16);
}

function goVersion(): string {
  const version = answerOfGo();
  const [, major = '0', minor = '0'] = /go(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) * 1000 + Number(minor) >= 1025) return version;
  throw new Error(`the kube-apiserver of the real tests needs Go 1.25 or newer, found: ${version}`);
}

function answerOfGo(): string {
  try {
    return execFileSync('go', ['version'], { env: environment, encoding: 'utf8' }).trim();
  } catch (cause: unknown) {
    throw new Error('the real tests build a kube-apiserver and need Go 1.25 or newer in PATH', {
      cause,
    });
  }
}

function moved(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (cause: unknown) {
    rmSync(from, { recursive: true, force: true });
    if (!existsSync(to)) throw new Error(`cannot keep what was built in ${to}`, { cause });
  }
}

function cacheHome(): string {
  return process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
}

function text({ folder }: Module, file: string): string {
  return readFileSync(join(here, folder, file), 'utf8');
}
