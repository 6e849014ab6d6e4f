import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildBundles } from '#infra/build/bundles.ts';
import { serveBundle } from '#test/support/bundles.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-strays-'));

beforeAll(async () => {
  const file = 'test/fixtures/strays/stray.ts';
  await buildBundles([{ file, definition: { name: 'stray', shape: 'endpoint' } }], directory);
});

afterAll(() => rmSync(directory, { recursive: true }));

/** One call is still in flight when the other one leaves something behind. */
async function afterStray(path: string) {
  const environment = { PORT: '0', NODE_ENV: 'production' };
  const { port, stop } = await serveBundle('stray', { directory, environment });
  const get = async (at: string) =>
    (await fetch(`http://127.0.0.1:${port}/strays${at}`)).text().catch(() => 'cut');
  const [slow] = await Promise.allSettled([get('/slow'), get(path)]);
  const later = path === '/forget' ? [await get('/slow')] : [];
  return {
    answers: [slow.status === 'fulfilled' ? slow.value : 'cut', ...later],
    exit: await stop(),
  };
}

it('a bundle outlives a promise that its function forgot', async () => {
  const answers = ['in its time', 'in its time'];
  expect(await afterStray('/forget')).toEqual({ answers, exit: 0 });
});

it('a bundle drains before it ends by what was thrown outside of any call', async () => {
  expect(await afterStray('/throw')).toEqual({ answers: ['in its time'], exit: 1 });
});
