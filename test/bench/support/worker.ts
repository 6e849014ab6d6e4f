import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { start } from './processes.ts';

/** A process on the load's core that does one job after another; one for all rounds, so that it is warm for both sides. */
export type Worker<Job, Outcome> = { run(job: Job): Promise<Outcome> };

type Reply<Outcome> = { readonly outcome: Outcome } | { readonly failed: string };

export function startWorker<Job extends object, Outcome>(file: string): Worker<Job, Outcome> {
  const { child } = start({
    core: 'load',
    command: [process.execPath, fileURLToPath(new URL(file, import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    async run(job) {
      const heard = new AbortController();
      const { signal } = heard;
      const gone = once(child, 'exit', { signal }).then(() => [{ failed: 'its process ended' }]);
      const replied = once(child, 'message', { signal });
      child.send(job);
      const [reply]: Reply<Outcome>[] = await Promise.race([replied, gone]);
      gone.catch(() => {});
      heard.abort();
      if (reply === undefined || 'failed' in reply) throw new Error(`${file}: ${reply?.failed}`);
      return reply.outcome;
    },
  };
}

/** The other end, in the process itself. */
export function doJobs<Job, Outcome>(perform: (job: Job) => Promise<Outcome>): void {
  if (process.send === undefined) return;
  process.on('message', (job: Job) => {
    perform(job).then(
      (outcome) => process.send?.({ outcome }),
      (cause: unknown) => process.send?.({ failed: String(cause) }),
    );
  });
  process.once('disconnect', () => process.exit(0));
}
