import { describe, expect, it } from 'vitest';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { defineReconcile } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { note } from './mistakes.ts';
import { worldContract } from './parts.ts';

const leaveNotesAlone = defineReconcile({
  name: 'leave-notes-alone',
  capability: 'samples',
  trigger: { watch: { of: configMaps, namespace: 'notes' } },
  uses: [],
  deadlineMs: 5_000,
  handler: () => done,
});

describe('a world of parts in memory', () => worldContract(emulate));

describe('a world of the real parts', () =>
  worldContract(async (options) => {
    const { url: databaseUrl } = await freshDatabase();
    return emulate({ ...options, parts: 'real', databaseUrl });
  }));

describe('what only the other parts hear', () => {
  const functions = [leaveNotesAlone];

  it.each([
    ['memory', 'databaseUrl', { functions, databaseUrl: 'postgres://u:p@127.0.0.1/d' }],
    ['real', 'startAt', { functions, parts: 'real' as const, startAt: '2031-05-01T12:00:00Z' }],
  ])('is refused by a world of parts in %s: %s', async (parts, name, options) => {
    await expect(emulate(options)).rejects.toThrow(
      new RegExp(
        `^emulate: ${name} is of the parts '\\w+', and these are '${parts}': leave it out`,
      ),
    );
  });
});

describe('the process of a world of the real parts', () => {
  it('dies after a handler, whose message comes again', async () => {
    const { url: databaseUrl } = await freshDatabase();
    const options = { parts: 'real', databaseUrl } as const;
    await using world = await emulate({ ...options, functions: [leaveNotesAlone] });
    await world.settle();
    await world.killAfterHandler();
    await world.apply(note('doomed'));
    await world.settle();
    const runs = world.decisions().filter((each) => each.kind === 'run');
    expect(runs.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    expect(world.story().filter((line) => line.includes(' stopped'))).toHaveLength(2);
  });
});
