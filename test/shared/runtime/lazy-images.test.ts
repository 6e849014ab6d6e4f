import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { wire } from '#shared/runtime/wire.ts';
import { rules } from '#test/support/image-trust/judging.ts';

/** All that is loaded with a file, before anybody asks for anything. */
function loadedWith(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const source = readFileSync(path, 'utf8');
  const imports = source.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '([#.][^']+\.ts)'/gms);
  for (const [, target = ''] of imports) {
    const isOwn = target.startsWith('#');
    loadedWith(isOwn ? target.slice(1) : posix.join(posix.dirname(path), target), seen);
  }
  return seen;
}

const own = /^shared\/(adapters\/(image-trust|notary|registry|http|cosign)\/|runtime\/image-trust)/;

describe('image trust', () => {
  it('is loaded by no process that judges no images', () => {
    const loaded = [...loadedWith('shared/runtime/wire.ts')];
    expect(loaded).toContain('shared/runtime/lazy-images.ts');
    expect(loaded.filter((path) => own.test(path))).toEqual([]);
    expect([...loadedWith('shared/runtime/image-trust.ts')].some((path) => own.test(path))).toBe(
      true,
    );
  });

  it('without a database answers all the same, and goes when it is told to', async () => {
    const { ports, close } = wire({
      settings: settingsFixed(),
      conditions: conditionsRecorded(),
      measures: measuresRecorded(),
      login: undefined,
    });
    const { signal } = new AbortController();
    const allowing = { ...rules, allowed: ['registry.example/team'] };
    const asked = { rules: allowing, isDryRun: false, signal };
    const image = 'registry.example/team/app:1.0';
    const [finding] = await ports.images.judge([image], asked);
    expect(finding).toEqual({
      image,
      judgement: { kind: 'allowed', entry: 'registry.example/team' },
    });
    await close();
  });

  it('has a line in the log of whoever wires it for what throws', async () => {
    const lines: unknown[] = [];
    const { ports, close } = wire({
      settings: settingsFixed(),
      conditions: conditionsRecorded(),
      measures: measuresRecorded(),
      login: undefined,
      log: { error: (...line) => lines.push(line) },
    });
    const { signal } = new AbortController();
    const verifiers = [{ kind: 'unheard-of' }] as unknown as typeof rules.verifiers;
    const asked = { rules: { ...rules, verifiers }, isDryRun: false, signal };
    await ports.images.recall([`registry.example/app@sha256:${'a'.repeat(64)}`], asked);
    const fields = { err: expect.any(TypeError), passedOver: 0 };
    expect(lines).toEqual([[fields, 'an image could not be judged']]);
    await close();
  });
});
