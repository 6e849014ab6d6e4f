import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import requireUserImages from '#functions/image-trust/require-user-images.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Namespaces } from '#shared/ports.ts';
import { ask, podWith, reviewOf, stage } from '../admission.ts';
import { evil, good, type JudgeStated, judgeStated } from './judge-stated.ts';

export const mode = 'namespaces.warden.kyma-project.io/validate';
export const rejecting = 'pods.warden.kyma-project.io/validate-reject';
export const invalid = 'pods.warden.kyma-project.io/invalid-images';
export const url = {
  'namespaces.warden.kyma-project.io/notary-url': 'https://notary.team.example',
};
const lax = { ...url, 'namespaces.warden.kyma-project.io/strict-mode': 'false' };

export const namespaces = namespacesInMemory(
  { name: 'plain' },
  { name: 'enabled', labels: { [mode]: 'enabled' } },
  { name: 'user', labels: { [mode]: 'user' }, annotations: url },
  { name: 'lax', labels: { [mode]: 'user' }, annotations: lax },
  { name: 'broken', labels: { [mode]: 'user' } },
);

export type Asked = Parameters<typeof reviewOf>[0] & {
  readonly settings?: Partly<Settings>['imageTrust'];
  readonly judge?: JudgeStated;
  readonly namespaces?: Namespaces;
  /** Judged before, as by the mutation. */
  readonly known?: readonly string[];
  readonly path?: string;
};

export const signed = () => judgeStated({ 'a.io/web:1': good, 'a.io/side:1': evil });

export async function answered({
  settings = {},
  judge = signed(),
  known = [],
  path = '/validation/pods',
  ...request
}: Asked = {}) {
  const own = request.namespaces ?? namespaces;
  const { app } = await stage({
    functions: [requireTrustedImages, requireUserImages],
    namespaces: own,
    settings: { imageTrust: settings },
    ports: { namespaces: own, images: judge },
  });
  await judge.judge(known, { rules: rules, isDryRun: false, signal: AbortSignal.timeout(1_000) });
  return ask(app, path, reviewOf({ object: podWith(), namespace: 'enabled', ...request }));
}

const rules = {
  verifiers: [{ kind: 'cosign', authorities: [] }],
  need: 'all',
  registries: [],
  allowed: [],
  owner: 'platform',
  timeoutMs: 1,
} as const;

export const pinned = `a.io/web:1@${good}`;
export const known = ['a.io/web:1'];
export const ok = { allowed: true, warnings: [] };
