import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Definitions of kinds as their projects publish them, in the versions of go.mod, checked by go.sum. */
export const serving = (): readonly string[] => [
  join(folderOf('knative.dev/serving'), 'config/core/300-resources/service.yaml'),
];

export const certManager = (): readonly string[] => {
  const folder = join(folderOf('github.com/cert-manager/cert-manager'), 'deploy/crds');
  return ['certificates', 'issuers'].map((kind) => join(folder, `cert-manager.io_${kind}.yaml`));
};

function folderOf(module: string): string {
  const answer = execFileSync('go', ['mod', 'download', '-json', module], {
    cwd: here,
    encoding: 'utf8',
    env: { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOWORK: 'off' },
  });
  return JSON.parse(answer).Dir;
}
