import type { ISql, Sql, TransactionSql } from 'postgres';

export type { Sql, TransactionSql };

/** Either runs statements; only the second one runs several as one. */
export type Statements = ISql;

/**
 * These tables are empty now and a million rows long a minute later. A plan made while they were empty reads all
 * of them, is kept, and would be used then; so none is made without an index. That is not enough for a join: to walk
 * through the one row that there is and look for it in what was sent is cheaper than to look for what was sent, and by
 * an index as well. So a join with these tables says `key = any(array[other.key])`, which can only be asked the one
 * way round.
 */
export const planner = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  // What a vacuum of ours does without a pause, 40 ms of it, stands in the way of all others.
  vacuum_cost_delay: '1',
} as const;
