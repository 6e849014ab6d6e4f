import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { say } from '../bench.ts';
import { start } from '../processes.ts';
import type { Called, Calling, Told } from './caller.ts';
import type { Known } from './pool.ts';

/** What a kube-apiserver knows, and when: ready endpoints at once, all that ends or changes two seconds late. */
export type ApiServer = {
  knows(news: Partial<Known>): void;
  hearsLate(news: () => Partial<Known>): void;
  callAll(calling: Calling): Promise<Called>;
};

const lateMillis = 2_000;

export function startApiServer(known: Known): ApiServer {
  const { child } = start({
    core: 'load',
    command: [process.execPath, fileURLToPath(new URL('caller.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let now = known;
  const tell = (told: Told) => {
    if (child.connected) child.send(told);
  };
  const knows = (news: Partial<Known>) => {
    now = { ...now, ...news };
    tell({ known: now });
  };
  knows({});
  return {
    knows,
    hearsLate: (news) => setTimeout(() => knows(news()), lateMillis).unref(),
    async callAll(calling) {
      tell({ calling });
      for (;;) {
        const [said]: (Said | undefined)[] = await once(child, 'message');
        if (said === undefined) throw new Error('the client ended');
        if ('called' in said) return said.called;
        say(
          `${said.progress} of ${calling.reviews}: ${said.lost} lost, ${said.unmutated} unmutated`,
        );
      }
    },
  };
}

export type Progress = {
  readonly progress: number;
  readonly lost: number;
  readonly unmutated: number;
};
type Said = { readonly called: Called } | Progress;
