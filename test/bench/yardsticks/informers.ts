import { fork } from 'node:child_process';
import { once } from 'node:events';
import { apiVersion, type Kind } from '#shared/domain/kind.ts';

export type Informers = { readonly pid: number; stop(): Promise<void> };

export type Starting = {
  /** A TypeScript file, or what it was bundled to. */
  readonly program: string;
  readonly kubeconfig: string;
  /** Where it writes what its handlers see. */
  readonly file: string;
  readonly kinds: readonly Kind[];
  /** How long it waits after an error before it begins again; its examples say five seconds. */
  readonly againMs: number;
  readonly node?: readonly string[];
};

/** The library's informers in a process of their own. */
export async function startInformers(starting: Starting): Promise<Informers> {
  const { program, kubeconfig, file, kinds, againMs, node = [] } = starting;
  const watched = kinds.map((kind) => ({
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    path: pathOf(kind),
  }));
  const args = [kubeconfig, file, JSON.stringify(watched), `${againMs}`];
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  const child = fork(program, args, { execArgv: [...node], stdio: [...stdio] });
  // Ends with the channel, whatever ends us.
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function pathOf({ group, version, resource }: Kind): string {
  return group === '' ? `/api/${version}/${resource}` : `/apis/${group}/${version}/${resource}`;
}
