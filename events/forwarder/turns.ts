import type { World } from './world.ts';

/** Among the audits of one process: what a list of names holds in memory is held once. */
export type Turns = {
  /** Undefined while another one has it. Nobody has it for ever: who loses it is told so. */
  take(onLost: () => void): Turn | undefined;
};

export type Turn = { giveBack(): void };

export function openTurns({ now, pace }: Pick<World, 'now' | 'pace'>): Turns {
  let held: { readonly onLost: () => void; readonly until: number } | undefined;
  return {
    take(onLost) {
      if (held !== undefined && now() < held.until) return undefined;

      held?.onLost();
      // A watch that lives says something within this: whoever has not come back by then may never do.
      const mine = { onLost, until: now() + 2 * pace.idleMs };
      held = mine;
      return {
        giveBack() {
          if (held === mine) held = undefined;
        },
      };
    },
  };
}
