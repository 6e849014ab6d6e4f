import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openConfig } from '#shared/runtime/config/source.ts';
import { until } from '#test/support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-original-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ours = join(folder, 'gatehouse.yaml');
const theirs = join(folder, 'warden.yaml');

function write(notary: string): void {
  writeFileSync(theirs, `notary:\n  URL: ${notary}\n  mystery: 1\n`);
}

function open() {
  const opened = openConfig({ file: ours, onChange: () => undefined, pollMs: 20, settleMs: 5 });
  if (!opened.ok) throw new Error('the configuration is refused');
  return opened.source;
}

describe("an original file of Warden's that the configuration names", () => {
  it('is read beside it, warned of, and followed when it changes', async () => {
    writeFileSync(
      ours,
      'imageTrust:\n  file: warden.yaml\n  notary: { URL: https://ours.example }\n',
    );
    write('https://theirs.example');
    const source = open();
    const url = () => source.current().imageTrust.notary.URL;
    expect(url()).toBe('https://theirs.example');
    expect(source.warnings()).toEqual([`${theirs}: notary.mystery: unknown, and not used`]);
    write('https://moved.example');
    await until(() => url() === 'https://moved.example');
    writeFileSync(ours, '{}');
    await until(() => source.warnings().length === 0);
    expect(url()).not.toBe('https://moved.example');
    source.close();
  });

  const isInfo = 'logging.level: not used; log.level decides, which is info';
  const isJson = 'logging.format: not used; what is logged is JSON';
  type Said = readonly [level: string, ...warnings: readonly string[]];

  it.each<[string, string, string, Said]>([
    ['a level, and text', '{}', '{ level: debug, format: text }', ['debug', isJson]],
    ['what only it has a word for', '{}', '{ level: fatal }', ['error']],
    ['another level than our own', '{ level: info }', '{ level: debug }', ['info', isInfo]],
    ['our own level', '{ level: debug }', '{ level: debug, format: json }', ['debug']],
    ['nothing', '{ level: debug }', '{ level: null }', ['debug']],
  ])(
    'decides what is logged where we do not, and is warned of where it differs: it says %s',
    (_, log, logging, [level, ...warnings]) => {
      writeFileSync(ours, `log: ${log}\nimageTrust: { file: warden.yaml }\n`);
      writeFileSync(theirs, `logging: ${logging}\n`);
      const source = open();
      source.close();
      expect(source.current().log.level).toBe(level);
      expect(source.warnings()).toEqual(warnings.map((each) => `${theirs}: ${each}`));
    },
  );

  it('goes before what we say under its names, and our warnings stay', () => {
    writeFileSync(
      ours,
      'imageTrust: { file: warden.yaml, logging: { level: error, format: text } }\n',
    );
    writeFileSync(theirs, 'logging: { level: debug }\nextra: 1\n');
    const source = open();
    source.close();
    expect(source.current().log.level).toBe('debug');
    expect(source.warnings()).toEqual([
      `${ours}: imageTrust.${isJson}`,
      `${theirs}: extra: unknown, and not used`,
    ]);
  });

  it('is warned of once where it says what only its own server needs', () => {
    writeFileSync(ours, 'imageTrust: { file: warden.yaml }\n');
    writeFileSync(theirs, 'admission: { port: 8443 }\noperator: { leaderElect: on }\n');
    const source = open();
    source.close();
    expect(source.warnings()).toEqual([
      `${theirs}: admission.port, operator.leaderElect: Warden's own, and not used`,
    ]);
  });

  it.each([
    ['is missing', undefined, 'a readable file'],
    ['is no YAML', 'notary: [', 'YAML'],
    ['has a wrong value', 'notary: { timeout: soon }', 'a duration such as 30s or 1h30m'],
  ])('keeps us from serving where it %s', (_, text, expected) => {
    writeFileSync(ours, 'imageTrust: { file: other.yaml }\n');
    if (text !== undefined) writeFileSync(join(folder, 'other.yaml'), text);
    const opened = openConfig({ file: ours, onChange: () => undefined });
    expect(opened).toMatchObject({
      ok: false,
      problems: [{ file: join(folder, 'other.yaml'), expected }],
    });
  });
});
