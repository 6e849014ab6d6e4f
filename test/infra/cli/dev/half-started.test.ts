import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { descendantsOf, stillThere } from '../../../support/descendants.ts';
import { postgresPidFile } from '../../../support/dev-process.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { until } from '../../../support/until.ts';

const state = join(temporaryFolder('half-started-'), 'state');

/** A module of ours that cannot be read, as of a package that is damaged. Its database is on its way by then. */
const damaged = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, to, next) {
      if (!url.endsWith('/dev/open-dev.ts')) return next(url, to);
      throw new Error('it is damaged');
    },
  });`;

it('gatehouse dev that comes no further than its database leaves nothing running', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(damaged)}`;
  const given = ['--import', hook, 'infra/cli/main.ts', 'dev', '--state', state];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, ended] = [text(child.stderr), once(child, 'close')];
  await until(() => existsSync(postgresPidFile(state)), 30_000);
  const started = descendantsOf(Number(child.pid));
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await ended).toEqual([1, null]);
  expect(await said).toMatch(/^gatehouse: it is damaged$/m);
  expect(stillThere(started)).toEqual([]);
}, 60_000);
