import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { followConfig, readOnceChanges } from '#shared/runtime/config/follow.ts';
import { until } from '#test/support/until.ts';

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

/** A configuration that names a file of Warden's, and what its process has logged. */
function followed(original: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-follow-'));
  const [file, theirs] = [join(folder, 'gatehouse.yaml'), join(folder, 'warden.yaml')];
  const warned: unknown[] = [];
  const infos: string[] = [];
  const log = {
    debug: () => {},
    info: (_: object, text: string) => void infos.push(text),
    warn: (fields: object, text: string) => void warned.push([text, fields]),
    error: () => {},
    setLevel: () => {},
  };
  const write = (text: string) => {
    writeFileSync(theirs, text);
    // The folder of ours is watched.
    writeFileSync(file, `imageTrust: { file: warden.yaml } # ${text.length}\n`);
  };
  write(original);
  const opened = followConfig({ file, log });
  if (!opened.ok) throw new Error('the configuration is refused');
  onTestFinished(() => {
    opened.source.close();
    rmSync(folder, { recursive: true });
  });
  const unused = (...keys: string[]) => [
    'some of the configuration is not used',
    { warnings: keys.map((key) => `${theirs}: ${key}: unknown, and not used`) },
  ];
  return { write, warned, infos, unused };
}

it('warns of unknown keys at the start', () => {
  const { warned, unused } = followed('one: 1\n');
  expect(warned).toEqual([unused('one')]);
});

it('warns of an unknown key that a change adds, once, and of no other again', async () => {
  const { write, warned, infos, unused } = followed('one: 1\n');
  write('one: 1\ntwo: 2\n');
  await until(() => warned.length > 1);
  write('one: 1\ntwo: 2\nadmission: { strictMode: false }\n');
  await until(() => infos.includes('a new configuration is served'));
  write('one: 1\ntwo: 2\nthree: 3\nadmission: { strictMode: true }\n');
  await until(() => warned.length > 2);
  expect(warned).toEqual([unused('one'), unused('two'), unused('three')]);
});
