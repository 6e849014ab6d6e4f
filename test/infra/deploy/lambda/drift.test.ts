import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { render } from '#infra/deploy/render.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';
import { builtInDefinitions } from '../built-in.ts';
import { planOf } from '../samples.ts';

it('serverless.yml is what `gatehouse render --target lambda > serverless.yml` writes', async () => {
  const { capabilities } = defaultSettings;
  // As the command does it: what is off by default is in nobody's file until it is switched on.
  const definitions = (await builtInDefinitions()).filter(
    ({ capability }) => capability === 'certificates' || capabilities.includes(capability),
  );
  const rendered = render({
    target: 'lambda',
    plan: planOf({ definitions }),
    separate: false,
    database: 'none',
    host: undefined,
  });

  expect(rendered).toMatchObject({
    files: [{ path: 'serverless.yml', text: await readFile('serverless.yml', 'utf8') }],
  });
});
