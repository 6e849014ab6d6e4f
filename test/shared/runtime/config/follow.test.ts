import { expect, it } from 'vitest';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { readOnceChanges } from '#shared/runtime/config/follow.ts';

it.each<[string, Partly<Settings>, readonly string[]]>([
  ['nothing', {}, []],
  ['what is read at every review', { server: { maxBodyBytes: 7 }, log: { level: 'warn' } }, []],
  ['the sockets', { server: { port: 1, minTls: '1.2' } }, ['server.port', 'server.minTls']],
  ['who issues', { certificates: { source: 'files' } }, ['certificates.source']],
])('a change of %s wants a restart for that alone', (_, change, expected) => {
  expect(readOnceChanges(settingsFixed().current(), settingsFixed(change).current())).toEqual(
    expected,
  );
});
