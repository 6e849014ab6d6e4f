import { fleetOf, prefixOf } from '#events/fleet.ts';
import { planner } from '#events/postgres-queue/connection.ts';
import { type Opening, openPostgresQueue } from '#events/postgres-queue/open-queue.ts';
import type { Queue } from '#events/queue.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';

/** On connections of its own, as the composition root opens it. */
export async function postgresQueue(
  url: string,
  connections = 4,
  more: Omit<Opening, 'sql'> = {},
): Promise<Queue> {
  const name = 'gatehouse queue';
  const { sql } = openDatabase(url, { name, connections, parameters: planner });
  return openPostgresQueue({ sql, ...more });
}

/** One cluster's of a fleet that shares the database. */
export async function clustersQueue(url: string, cluster: string): Promise<Queue> {
  return fleetOf(cluster).queue(await postgresQueue(url, 4, { prefix: prefixOf(cluster) }));
}

/** As those see it who serve the cluster that settings name where nobody says otherwise. */
export function defaultClustersQueue(url: string): Promise<Queue> {
  return clustersQueue(url, 'default');
}
