import { periodMessage } from '#events/messages.ts';
import type { Period, Schedule } from '#events/schedule.ts';
import { everySecondsOf } from '../every-seconds.ts';
import type { House } from './house.ts';
import { onEachChange } from './on-change.ts';
import { outagesOf } from './outages-of.ts';
import { enabledReconcilers } from './reconciling.ts';

/** During a roll-out functions of two versions live side by side, and the last word must be the newer one's. */
const againMs = 5 * 60_000;

/** Tells the schedule which periods there are. The forwarder does so as well: on AWS there may be no worker. */
export function startSayingPeriods(
  house: House,
  schedule: Pick<Schedule, 'setPeriods'>,
  onSaid: () => void,
) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const outages = outagesOf(house, 'schedule');
  const act = async () => {
    await outages.through(() => schedule.setPeriods(periodsOf(house)), signal);
    onSaid();
  };
  const following = onEachChange({ config: house.config, act, againMs, signal });
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await following;
    },
  };
}

function periodsOf(house: House): readonly Period[] {
  return enabledReconcilers(house).flatMap(({ name, trigger }) => {
    const everySeconds = everySecondsOf(trigger, house.config.current());
    return everySeconds === undefined ? [] : [{ message: periodMessage(name), everySeconds }];
  });
}
