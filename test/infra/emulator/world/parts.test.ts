import { describe } from 'vitest';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { worldContract } from './parts.ts';

describe('a world of parts in memory', () => worldContract(emulate));

describe('a world of the real parts', () =>
  worldContract(async (options) => {
    const { url: databaseUrl } = await freshDatabase();
    return emulate({ ...options, parts: 'real', databaseUrl });
  }));
