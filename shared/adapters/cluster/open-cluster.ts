import type { Cluster } from '#shared/ports.ts';
import { asker } from './ask.ts';
import { type Login, openSession } from './login.ts';
import { reads } from './reads.ts';
import { writes } from './writes.ts';

export type ClusterOptions = {
  readonly login: Login;
  /** For one request and its answer; a list has it for each page. */
  readonly deadlineMs?: number | undefined;
  readonly maxAnswerBytes?: number | undefined;
  /** Its part before the slash is our field manager in all writes that name none. */
  readonly userAgent?: string | undefined;
};

export type OpenCluster = Cluster & { close(): void };

/** The live cluster: any kind by its URL, without discovery. */
export async function openCluster(options: ClusterOptions): Promise<OpenCluster> {
  const session = await openSession(options.login);
  const ask = asker(session, {
    deadlineMs: options.deadlineMs ?? 10_000,
    maxAnswerBytes: options.maxAnswerBytes ?? 64 * 1024 * 1024,
    userAgent: options.userAgent ?? 'gatehouse',
  });
  return { ...reads(ask), ...writes(ask), close: () => session.close() };
}
