import { fleetOf } from '#events/fleet.ts';
import { planner } from '#events/postgres-queue/connection.ts';
import { openPostgresQueue } from '#events/postgres-queue/open-queue.ts';
import type { Queue } from '#events/queue.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';

/** On connections of its own, as the composition root opens it. */
export async function postgresQueue(url: string, connections = 4): Promise<Queue> {
  const name = 'gatehouse queue';
  const { sql } = openDatabase(url, { name, connections, parameters: planner });
  return openPostgresQueue({ sql });
}

/** As those see it who serve the cluster that settings name where nobody says otherwise. */
export async function defaultClustersQueue(url: string): Promise<Queue> {
  return fleetOf('default').queue(await postgresQueue(url));
}
