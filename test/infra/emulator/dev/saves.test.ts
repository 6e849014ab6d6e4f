import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { watchSaves } from '#infra/emulator/dev/saves.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { until } from '../../../support/until.ts';

const directory = temporaryFolder('saves-');

/** What was told of a folder with one function in it. */
function opened() {
  const root = join(mkdtempSync(join(directory, 'root-')), 'functions');
  mkdirSync(root);
  const file = join(root, 'greet.ts');
  writeFileSync(file, '');
  let told: string[] = [];
  const saves = watchSaves([root], (path) => told.push(path));
  onTestFinished(() => saves.close());
  const hear = async (path: string, act: () => void) => {
    told = [];
    act();
    await until(() => told.includes(path), 10_000);
  };
  return { root, file, hear, told: () => told };
}

/** As editors and formatters save. */
function renamedOver(path: string): void {
  writeFileSync(`${path}.new`, '');
  renameSync(`${path}.new`, path);
}

it('a save is heard however often it is one by rename, and in place after it', async () => {
  const { file, hear } = opened();
  for (const _ of [1, 2, 3]) await hear(file, () => renamedOver(file));
  for (const _ of [1, 2]) await hear(file, () => writeFileSync(file, 'x'));
  await hear(file, () => rmSync(file));
  await hear(file, () => writeFileSync(file, ''));
});

it('a save is heard in a folder that came later, with all that was in it, and until it goes', async () => {
  const { root, hear } = opened();
  const [draft, deep] = [join(root, '../draft/deep'), join(root, 'team/deep')];
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'wave.ts'), '');
  const file = join(deep, 'wave.ts');
  await hear(file, () => renameSync(join(root, '../draft'), join(root, 'team')));
  for (const _ of [1, 2]) await hear(file, () => renamedOver(file));
  await hear(join(root, 'team'), () => renameSync(join(root, 'team'), join(root, '../away')));
});

it.each([
  ['moved away', (root: string) => renameSync(root, `${root}-before`)],
  ['removed', (root: string) => rmSync(root, { recursive: true })],
])('a save is heard after the whole folder was %s and made anew', async (_, end) => {
  const { root, file, hear } = opened();
  end(root);
  await hear(file, () => {
    mkdirSync(root);
    writeFileSync(file, '');
  });
  await hear(file, () => renamedOver(file));
});

it('a save is heard of what a link leads to, there at first or linked later', async () => {
  const { root, hear } = opened();
  const behind = mkdtempSync(join(directory, 'behind-'));
  const [file, words] = [join(behind, 'wave.ts'), join(behind, 'words.ts')];
  for (const path of [file, words]) writeFileSync(path, '');
  await hear(join(root, 'wave.ts'), () => symlinkSync(file, join(root, 'wave.ts')));
  for (const _ of [1, 2]) await hear(file, () => renamedOver(file));
  await hear(words, () => writeFileSync(words, 'x'));

  const told: string[] = [];
  const saves = watchSaves([root], (path) => told.push(path));
  onTestFinished(() => saves.close());
  writeFileSync(file, 'x');
  await until(() => told.includes(file), 10_000);
});

it('what is no source is not told', async () => {
  const { root, file, hear, told } = opened();
  writeFileSync(join(root, 'notes.md'), '');
  mkdirSync(join(root, 'empty'));
  await hear(file, () => renamedOver(file));
  expect(new Set(told())).toEqual(new Set([file]));
});
