import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** As a pod of that account would be. */
export function asAccount(namespace: string, name: string): Kubectl {
  const { url, ca } = inject('kube');
  const token = asAdmin().run(['create', 'token', name, '--namespace', namespace]).trim();
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'kube',
        cluster: {
          server: url,
          'certificate-authority-data': Buffer.from(ca).toString('base64'),
        },
      },
    ],
    users: [{ name: 'account', user: { token } }],
    contexts: [{ name: 'kube', context: { cluster: 'kube', user: 'account' } }],
    'current-context': 'kube',
  };
  const file = join(mkdtempSync(join(tmpdir(), 'account-')), 'kubeconfig');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return kubectl(file);
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
