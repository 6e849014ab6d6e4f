import type { Definition } from '#shared/define.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { registered } from '../registered.ts';
import { forwardingOn } from './forwarding.ts';
import type { Ground } from './ground.ts';
import type { Life } from './mortal.ts';
import { workingOn } from './working.ts';

/** `serve --role all` as one process that can die: production's forwarder and worker on a ground that outlives it. */
export type Process = {
  readonly registry: Registry;
  isFollowing(scope: string): boolean;
  whyNot(scope: string): string | undefined;
  inFlight(): number;
  /** As by kill -9. */
  kill(): void;
  stop(): Promise<void>;
};

export async function startProcess(
  ground: Ground,
  definitions: readonly Definition[],
  onDeath: () => void,
): Promise<Process> {
  const life: Life = { isOver: false };
  const registry = registered(definitions);
  const { forwarder, store, isFollowing, whyNot } = forwardingOn(ground, life);
  await forwarder.set(followedBy(registry, ground.settings.current()));
  const worker = workingOn(ground, definitions, { life, onDeath });
  return {
    registry,
    isFollowing,
    whyNot,
    inFlight: worker.inFlight,
    kill() {
      life.isOver = true;
      store.disconnect();
      void forwarder.stop();
      void worker.stop(0);
    },
    async stop() {
      await Promise.all([forwarder.stop(), worker.stop(0)]);
    },
  };
}
