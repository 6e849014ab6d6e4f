import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addDemo, lastWords } from '#infra/cli/demo.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { callVerb } from '#test/support/verb.ts';

it.each([
  ['how to look at what it leaves', true, /^look around: export KUBECONFIG=\/state\/kubeconfig$/],
  ['that nothing is left, and how to keep it', false, /is removed again; .*demo --keep leaves it/],
])('gatehouse demo says at its end %s', (_, keep, words) => {
  expect(lastWords(keep, '/state/kubeconfig')).toMatch(words);
});

/** As `gatehouse dev` leaves it; whether somebody still answers there. */
async function stateFolder({ isUp }: { readonly isUp: boolean }) {
  const folder = temporaryFolder('demo-');
  const server = createServer((_, answer) => void answer.writeHead(401).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const control = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (isUp) onTestFinished(() => void server.close());
  else await new Promise((closed) => server.close(closed));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify({ kubeconfig, control }));
  return { folder, kubeconfig, control };
}

it('gatehouse demo says so where the emulator runs no more', async () => {
  const { folder, control } = await stateFolder({ isUp: false });
  const { exit, out, err } = await callVerb(addDemo, ['demo', '--state', folder]);
  expect([exit, out]).toEqual([1, '']);
  expect(err).toMatch(/^gatehouse: the emulator does not answer\n/);
  expect(err).toContain(`where: ${control}\n`);
  expect(err).toContain('to mend it: start gatehouse dev;');
});

it('gatehouse demo says first of which cluster its commands are', async () => {
  const { folder, kubeconfig } = await stateFolder({ isUp: true });
  const { out } = await callVerb(addDemo, ['demo', '--state', folder]);
  expect(out).toBe(`   $ export KUBECONFIG=${kubeconfig}\n`);
});
