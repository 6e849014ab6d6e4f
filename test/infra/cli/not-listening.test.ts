import { expect, it } from 'vitest';
import { notListening } from '#infra/cli/not-listening.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';

it.each([
  ['EADDRINUSE', 443, 'set server.port in the configuration to another port'],
  ['EADDRINUSE', 8081, 'set server.probePort in the configuration to another port'],
  ['EADDRNOTAVAIL', 443, 'set server.address in the configuration to an address of this machine'],
  ['EACCES', 443, 'set server.port in the configuration to a port from 1024 on'],
])('says of %s at port %i how to mend it', (code, port, mend) => {
  const cause = Object.assign(new Error(code), { code, syscall: 'listen', address: '::', port });
  const server = { ...defaultSettings.server, port: 443, probePort: 8081 };
  expect(notListening(cause, { ...defaultSettings, server })).toMatchObject({
    mend: expect.stringContaining(mend),
  });
});
