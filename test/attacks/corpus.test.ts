import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { loadSettings } from '#shared/runtime/config/load.ts';
import { type Bypass, bypasses, type Holder } from '#test/fixtures/attacks/bypasses.ts';
import { titlesIn } from '#test/support/titles.ts';
import { filesFor, manifestOf, printed, settingsFor } from './configuration.ts';
import { openCorpus } from './corpus.ts';
import { openInProcess } from './in-process.ts';
import { complaintsOf, playAll, summary } from './run.ts';
import { toldElsewhere } from './told-elsewhere.ts';
import { tufAttacks } from './tuf-vectors.ts';

const corpus = await openCorpus();
const target = await openInProcess(corpus);
afterAll(async () => {
  target.close();
  await corpus.close();
});

const names = new Set(corpus.vectors.map(({ name }) => name));

function isThere(holder: Holder): boolean {
  if ('vector' in holder) return names.has(holder.vector);
  if ('test' in holder) return titlesIn(holder.test).has(holder.title);
  return readFileSync(holder.told, 'utf8').replaceAll(/\s+/g, ' ').includes(holder.text);
}

describe('the bypasses that others have or had', () => {
  it.each(bypasses)('are held by what is there: $from $number, $name', ({ by }) => {
    expect(by.filter((holder) => !isThere(holder))).toEqual([]);
  });

  const numbersFrom = (from: Bypass['from']) =>
    bypasses.flatMap((each) => (each.from === from ? [each.number] : []));
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  it('are each of the 36 items of Warden’s §14, once and in their order', () => {
    expect(numbersFrom('§14')).toEqual(upTo(36));
  });

  it('are each of the 15 rows of the field notes’ D4', () => {
    const rows = [...new Set(numbersFrom('D4'))].toSorted((one, other) => one - other);
    expect(rows).toEqual(upTo(15));
  });
});

describe('what is printed for a target', () => {
  const files = filesFor(corpus);

  it('is a configuration that it takes as a file, and that says all', () => {
    const loaded = loadSettings(files['gatehouse.yaml'], { file: 'gatehouse.yaml' });
    const { current } = settingsFixed(settingsFor(corpus));
    expect(loaded).toEqual({ ok: true, settings: current() });
    expect(current().imageTrust.hosts).toHaveLength(3);
  });

  it('is one stream of documents: the configuration, and then each namespace', () => {
    const [settings, ...namespaces] = parseAllDocuments(printed(files)).map((each) => each.toJS());
    expect(settings).toEqual(settingsFor(corpus));
    expect(namespaces).toEqual(corpus.namespaces.map(manifestOf));
    expect(namespaces).toEqual(
      parseAllDocuments(files['namespaces.yaml']).map((each) => each.toJS()),
    );
  });
});

describe('the attack corpus', () => {
  it('calls no two vectors the same', () => {
    expect(names.size).toBe(corpus.vectors.length);
  });

  it('plays every attack of the Notary client’s tests, or says what plays it instead', () => {
    const played = new Set(corpus.vectors.map(({ name }) => name));
    const told = tufAttacks.flatMap(({ name }) => {
      const elsewhere = toldElsewhere[name] ?? { vector: name };
      return 'vector' in elsewhere && !played.has(elsewhere.vector) ? [name] : [];
    });
    expect(told).toEqual([]);
    const names = new Set(tufAttacks.map(({ name }) => name));
    expect(Object.keys(toldElsewhere).filter((name) => !names.has(name))).toEqual([]);
  });

  it('admits none of the attacks and all of their twins', { timeout: 120_000 }, async () => {
    const result = await playAll(corpus, target);
    expect(result.played.flatMap(complaintsOf)).toEqual([]);
    expect(result).toMatchObject({ broken: 0, leftOut: [] });
    expect(result.vectors).toBeGreaterThanOrEqual(80);
    expect(summary(result)).toMatch(/^\d+ vectors, admitted 0; \d+ twins, admitted \d+$/);
  });
});
