import { expect, it } from 'vitest';

it('a worker has of the cluster’s library what a bundle has of it, and not its models', async () => {
  const library = await import('@kubernetes/client-node');
  expect(new library.KubeConfig().getContexts()).toEqual([]);
  expect(Object.keys(library).filter((name) => /^V1|Api$/.test(name))).toEqual([]);
});

it('a worker has the very drizzle that whoever asks for one of its files has', async () => {
  const { pgTable } = await import('drizzle-orm/pg-core');
  const table = await import('drizzle-orm/pg-core/table');
  expect(pgTable).toBe(table.pgTable);
});
