import { misfitTeller } from '../misfits.ts';
import type { House } from './house.ts';
import { onEachChange } from './on-change.ts';

type Telling = Pick<House, 'config' | 'registry' | 'conditions'>;

/** Of what stands in the settings and a function cannot use. */
export function startTellingMisfits({ config, registry, conditions }: Telling) {
  const stopped = new AbortController();
  const tell = misfitTeller({ registry, conditions });
  const act = async () => tell(config.current());
  const following = onEachChange({ config, act, signal: stopped.signal });
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await following;
    },
  };
}
