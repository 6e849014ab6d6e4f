import { misfitCondition, misfitsIn } from '../misfits.ts';
import type { House } from './house.ts';
import { onEachChange } from './on-change.ts';

type Telling = Pick<House, 'config' | 'registry' | 'conditions'>;

/** Of what stands in the settings and a function cannot use; nothing is said while all of it fits. */
export function startTellingMisfits({ config, registry, conditions }: Telling) {
  const stopped = new AbortController();
  let isTold = false;
  const act = async () => {
    const misfits = misfitsIn(registry, config.current());
    isTold ||= misfits.length > 0;
    if (isTold) conditions.report(misfitCondition(misfits));
  };
  const following = onEachChange({ config, act, signal: stopped.signal });
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await following;
    },
  };
}
