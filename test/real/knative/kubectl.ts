import { execFileSync, spawnSync } from 'node:child_process';
import { inject } from 'vitest';

export type Kubectl = {
  readonly kubeconfig: string;
  /** What it prints; it throws where kubectl does not succeed. */
  run(args: readonly string[], input?: string): string;
  /** Whether it succeeds, and what it says. */
  try(args: readonly string[], input?: string): { readonly ok: boolean; readonly said: string };
};

/** Of `system:masters`. */
export function asAdmin(): Kubectl {
  return kubectl(inject('kube').kubeconfig);
}

function kubectl(kubeconfig: string): Kubectl {
  const { kubectl: program } = inject('kube');
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return {
    kubeconfig,
    run: (args, input = '') =>
      execFileSync(program, args, { env, input, encoding: 'utf8', maxBuffer: 2 ** 26 }),
    try(args, input = '') {
      const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: 'utf8' });
      return { ok: status === 0, said: stdout + stderr };
    },
  };
}
