import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import * as define from '#infra/authoring/define.ts';
import * as testing from '#infra/authoring/testing.ts';
import { loadFunctions } from '#infra/functions.ts';
import manifest from '../package.json' with { type: 'json' };
import { readmeExample } from './support/readme-example.ts';
import { repositoryCopy } from './support/repository-copy.ts';

const page = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** What the page says in this form, word for word. */
function said(form: RegExp): string {
  const [, words] = form.exec(page) ?? [];
  if (words === undefined) throw new Error(`README.md says nothing like ${form}`);
  return words;
}

const latest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hello' },
  spec: { containers: [{ name: 'app', image: 'nginx:latest' }] },
};

it('who adds the function of the page to the repository as the page says sees it at work', async () => {
  const root = repositoryCopy();
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  write(said(/```ts\n\/\/ (functions\/\S+)\n/), readmeExample());
  write('settings.yaml', said(/`(capabilities: [^`]*)`/));
  write('pod.yaml', stringify(latest));
  const typed = said(/`npm run gatehouse -- (explain [^`]*)`/).split(' ');
  const argv = ['infra/on-node.mjs', 'infra/cli/main.ts', ...typed];
  const run = promisify(execFile)(process.execPath, argv, { cwd: root });
  const { stdout, stderr } = await run.catch((denied) => denied);
  expect(stderr).toBe('');
  expect(stdout).toContain('container app: latest is no version');
});

it('what functions and tests are written against by name is what is built of it', async () => {
  // Whoever loads functions has our names served, without a build.
  await loadFunctions({ builtIn: false });
  expect(Object.keys(await import('gatehouse/define'))).toEqual(Object.keys(define));
  expect((await import('gatehouse/testing')).emulate).toBe(testing.emulate);
});

it('the page has nobody install a package of our name, which is a stranger’s', () => {
  const installs = [...page.matchAll(/npm (?:install|i|add|exec) [^\s`&]+|npx (?:--no )?\S+/g)];
  // Where it is not installed, --no keeps npx from the stranger's.
  expect(installs.map(([typed]) => typed)).toEqual([
    `npm install PATH/${manifest.name}-${manifest.version}.tgz`,
    'npx --no gatehouse',
    'npm install -D',
  ]);
});
