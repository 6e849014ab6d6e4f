import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { readRootText } from '#shared/adapters/cosign/trusted-root.ts';
import { trustFilesOn } from '#shared/adapters/image-trust/trust-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** As the kubelet mounts a ConfigMap: each state in a folder of its own, which `..data` leads to. */
function mounted() {
  const folder = temporaryFolder('gatehouse-root-');
  const path = join(folder, 'root.json');
  const put = (state: string, text: string) => {
    mkdirSync(join(folder, state));
    writeFileSync(join(folder, state, 'root.json'), text);
    symlinkSync(state, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  put('..first', 'first');
  symlinkSync(join('..data', 'root.json'), path);
  const clock = clockAt('2030-01-01T00:00:00Z');
  const files = trustFilesOn({ clock, readText: readRootText });
  const seen = async () => {
    clock.advanceMs(1_000);
    await files.look([path]);
    return files.current().textOf(path);
  };
  return { folder, path, put, files, seen };
}

it('a file that is mounted says what it says now, however it is written', async () => {
  const { folder, path, put, files, seen } = mounted();
  expect(await seen()).toBe('first');
  const first = files.current().hashOf(path);

  put('..second', 'second');
  rmSync(join(folder, '..first'), { recursive: true });
  expect(await seen()).toBe('second');
  expect(files.current().hashOf(path)).not.toBe(first);

  truncateSync(path);
  expect(await seen()).toBe('');
  writeFileSync(path, 'first');
  expect(await seen()).toBe('first');
  expect(files.current().hashOf(path)).toBe(first);

  rmSync(join(folder, '..data'));
  expect(await seen()).toBeUndefined();
  expect(files.current().hashOf(path)).toBe('unread');
});
