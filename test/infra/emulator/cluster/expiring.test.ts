import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Client, mergePatch, openClient } from './emulated.ts';

const directory = mkdtempSync(join(tmpdir(), 'expiring-'));
afterAll(() => rmSync(directory, { recursive: true }));

const events = '/api/v1/namespaces/default/events';
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
});
const statusOf = async ({ ask }: Client, name: string) =>
  (await ask(`GET ${events}/${name}`)).status;
const patience = { timeout: 10_000 };

it('ends each event some time after it was last written, a restart between', async () => {
  const first = await openClient({ directory, eventTtlMs: 400 });
  const { ask } = first;
  await ask(`POST ${events}`, { body: event('a') });
  await ask(`POST ${events}`, { body: event('b') });
  await expect
    .poll(async () => {
      // Who goes on to be written stays.
      const body = { message: String(performance.now()) };
      await ask(`PATCH ${events}/b`, { body, type: mergePatch });
      return statusOf(first, 'a');
    }, patience)
    .toBe(404);
  expect(await statusOf(first, 'b')).toBe(200);
  await ask('POST /api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'a' } } });
  await first.cluster.close();

  const later = () => new Date(Date.now() + 1_000);
  const second = await openClient({ directory, eventTtlMs: 400, now: later });
  await expect.poll(() => statusOf(second, 'b'), patience).toBe(404);
  const kept = await second.ask('GET /api/v1/namespaces/default/configmaps/a');
  expect(kept.status).toBe(200);
  await second.cluster.close();
});
