import { setImmediate as othersTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rules, stage } from '#test/support/image-trust/judging.ts';

const pod = (namespace: string) => ({
  namespace,
  serviceAccount: 'default',
  pullSecrets: [],
});

it('a pod of a thousand registries that never answer holds no thousand connections, and stops nobody else', async () => {
  const { world, replica } = stage();
  const gun = 'registry.example/team/app';
  await world.sign(gun, { '1.0': world.push(`${gun}:1.0`, 'good') });
  const hanging = new Set<string>();
  const { outside } = world;
  const read = outside.read;
  Object.assign(outside, {
    read: (request: Parameters<typeof read>[0]) => {
      if (!request.url.includes('evil.test')) return read(request);
      hanging.add(request.url);
      return new Promise(() => undefined);
    },
  });
  const { judge, one } = replica();
  const { signal } = new AbortController();
  const images = Array.from({ length: 1_000 }, (_, at) => `a${at}.evil.test/app:1.0`);
  const asked = { isDryRun: false, signal, withinMs: 20 };
  void judge(images, { ...asked, rules, pod: pod('evil') });
  for (let turn = 0; turn < 20; turn += 1) await othersTurn();
  expect(hanging.size).toBe(64);
  expect(await one(`${gun}:1.0`, { pod: pod('team-a') })).toMatchObject({ kind: 'trusted' });
});
