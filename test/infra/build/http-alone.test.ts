import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { httpAlone as bundled } from '#infra/build/http-alone.ts';
import { common } from '#infra/build/options.ts';
import { httpAlone } from '#infra/stand-ins.mjs';

it('what stands for http has all of it but what is of fetch', () => {
  const [, names = ''] = /export const \{ (.*) \} = http;/.exec(httpAlone()) ?? [];
  const missing = Object.keys(http).filter((name) => !names.split(',').includes(name));
  expect(missing.toSorted()).toEqual(['CloseEvent', 'MessageEvent', 'WebSocket']);
});

it('a bundle that imports http does not load fetch by it', async () => {
  const { outputFiles } = await build({
    ...common,
    stdin: {
      contents: `import http, { Agent } from 'node:http';
        import * as all from 'http';
        const isLoaded = process.moduleLoadList.some((name) => name.endsWith('undici/undici'));
        console.log(isLoaded, http.Agent === Agent, all.Agent === Agent);`,
      resolveDir: common.absWorkingDir,
    },
    sourcemap: false,
    write: false,
    plugins: [bundled],
  });
  const program = outputFiles[0]?.text ?? '';
  const args = ['--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('false true true\n');
});
