import type { ISql, Sql, TransactionSql } from 'postgres';

export type { Sql, TransactionSql };

/** Either runs statements; only the second one runs several as one. */
export type Statements = ISql;

/**
 * These tables are empty now and a million rows long a minute later. A plan made while they were empty reads all
 * of them, is kept, and would be used then; so none is made without an index.
 */
export const planner = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
} as const;
