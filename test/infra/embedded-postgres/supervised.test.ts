import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { supervise } from '#infra/embedded-postgres/supervised.ts';

it('ends what did not hear it at first: a background child begins deaf to SIGINT', async () => {
  // Deaf for half a second, and then Node, which hears it as Postgres does; by itself it ends with 0.
  const script = 'sleep 0.5; exec "$0" -e "setTimeout(() => undefined, 8_000)"';
  const args = ['-c', script, process.execPath];
  const supervised = supervise({ command: '/bin/sh', args, libraries: '' }, { kind: 'self' });
  supervised.end();
  expect(await supervised.ended).toBe(130);
});

it('has a session of its own, which a ^C in our terminal does not reach', async () => {
  const script = 'read -r _ _ _ _ group session _ < /proc/self/stat; echo "$group $session" >&2';
  const program = { command: '/bin/sh', args: ['-c', script], libraries: '' };
  const supervised = supervise(program, { kind: 'self' });
  await supervised.ended;
  const [group, session] = supervised.said().trim().split(' ');
  const ours = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  expect(ours[3]).toMatch(/^\d+$/);
  expect(group).toMatch(/^\d+$/);
  expect([group, session]).not.toContain(ours[2]);
  expect([group, session]).not.toContain(ours[3]);
});
