import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openJournal } from '#infra/emulator/cluster/state/journal.ts';
import { headFrom, headLine, lineFrom, lineOfChange } from '#infra/emulator/cluster/state/lines.ts';
import { storedFrom } from '#infra/emulator/cluster/store/stored.ts';

describe('a journal', () => {
  it('begins where the file was whole, and appends in order', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, 'log');
    writeFileSync(path, 'one\nhal');
    const journal = await openJournal({ path, size: 4, onProblem: () => {} });
    for (const line of ['two\n', 'three\n']) journal.append(line);
    await journal.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('has a line in the file before its writer goes on, also while the file is rewritten', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, 'log');
    const journal = await openJournal({ path, size: 0, onProblem: () => {} });
    journal.append('one\n');
    expect(readFileSync(path, 'utf8')).toBe('one\n');

    const rewriting = journal.rewrite(() => ['all\n']);
    journal.append('two\n');
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    await rewriting;
    expect(readFileSync(path, 'utf8')).toBe('all\ntwo\n');
    expect(journal.bytes()).toBe(8);
    journal.append('three\n');
    expect(readFileSync(path, 'utf8')).toBe('all\ntwo\nthree\n');
    await journal.close();
  });

  it('goes on in its file where a full disk lets no other take its place, and leaves nothing of that one', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, 'log');
    const journal = await openJournal({ path, size: 0, onProblem: () => {} });
    journal.append('one\n');
    for (const lines of [['all\n'], ['x'.repeat(300_000)]]) {
      symlinkSync('/dev/full', `${path}.new`);
      await expect(journal.rewrite(() => lines)).rejects.toThrow(/ENOSPC/);
      expect(existsSync(`${path}.new`)).toBe(false);
    }
    const held = readdirSync('/proc/self/fd').map((fd) => targetOf(`/proc/self/fd/${fd}`));
    expect(held.filter((target) => target === '/dev/full')).toEqual([]);
    journal.append('two\n');
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    await journal.rewrite(() => ['all\n']);
    expect(readFileSync(path, 'utf8')).toBe('all\n');
    await journal.close();
  });

  it('says of a full disk what is the matter, and keeps what it could not write', async () => {
    const said: string[] = [];
    // The device that is always full.
    const onProblem = (why: string) => void said.push(why);
    const journal = await openJournal({ path: '/dev/full', size: 0, onProblem, retryMs: 5 });
    journal.append('a line\n');
    await expect.poll(() => journal.problem(), { timeout: 10_000 }).toMatch(/ENOSPC/);
    expect(said[0]).toMatch(/ENOSPC/);
    await expect(journal.close()).rejects.toThrow(/could not be kept/);
  });
});

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return 'closed meanwhile';
  }
}

describe('a line of the log', () => {
  const now = storedFrom(
    { metadata: { name: 'a', namespace: 'b', uid: 'u' }, data: { text: 'ä"\n' } },
    7,
  );

  it('is read as it was written', () => {
    const put = lineOfChange('configmaps', { type: 'ADDED', version: 7, now, before: undefined });
    expect(lineFrom(put.trim())).toMatchObject({
      kind: 'put',
      id: 'configmaps',
      revision: 7,
      object: { data: { text: 'ä"\n' } },
    });
    const gone = lineOfChange('configmaps', { type: 'DELETED', version: 8, now, before: now });
    expect(lineFrom(gone.trim())).toEqual({
      kind: 'gone',
      id: 'configmaps',
      revision: 8,
      key: 'b/a',
    });
    expect(headFrom(headLine({ revision: 3 }).trim())).toEqual({ revision: 3 });
  });

  it.each(['', '{"r":7,"k":"configmaps","o":{"metad', '[]', '{"r":"7"}', '{"k":"x","r":1}'])(
    'is none where it is %j',
    (text) => {
      expect(lineFrom(text)).toBeUndefined();
    },
  );
});
