import { defineConfig } from 'drizzle-kit';

/** Tables live in two rooms; the migrations are of both. */
export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './shared/adapters/database/tables.ts',
    './shared/adapters/database/restart-tables.ts',
    './shared/adapters/database/image-tables.ts',
    './events/postgres-queue/tables.ts',
  ],
  out: './infra/migrations',
});
