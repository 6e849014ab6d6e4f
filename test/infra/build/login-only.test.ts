import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { loginOnly } from '#infra/build/login-only.ts';
import { common } from '#infra/build/options.ts';

it('a bundle knows kubeconfigs and their logins, and neither models nor dispatchers', async () => {
  const outfile = join(mkdtempSync(join(tmpdir(), 'login-')), 'login.mjs');
  const { metafile } = await build({
    ...common,
    stdin: {
      contents: `import { KubeConfig } from '@kubernetes/client-node';
        export const serverOf = (text) => {
          const config = new KubeConfig();
          config.loadFromString(text);
          return config.getCurrentCluster().server;
        };`,
      resolveDir: common.absWorkingDir,
    },
    outfile,
    sourcemap: false,
    plugins: [loginOnly],
  });
  const { serverOf } = await import(outfile);
  const kubeconfig = {
    clusters: [{ name: 'a', cluster: { server: 'https://a.example' } }],
    contexts: [{ name: 'a', context: { cluster: 'a' } }],
    'current-context': 'a',
  };

  expect(serverOf(JSON.stringify(kubeconfig))).toBe('https://a.example');
  const heavy = Object.entries(metafile.inputs).filter(
    ([path, { bytes }]) => /\/gen\/models\/|\/undici\//.test(path) && bytes > 1_000,
  );
  expect(heavy).toEqual([]);
});
