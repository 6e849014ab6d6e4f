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
