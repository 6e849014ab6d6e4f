import type { Hook } from './hook.ts';

/** Who is asked a second time: those that want it, when somebody changed the object after them. */
export type Rounds = {
  isDue(hook: Hook): boolean;
  after(hook: Hook, isChanged: boolean): Rounds;
  /** The second and last round; `undefined` where no webhook has changed anything. */
  again(): Rounds | undefined;
  /** In the second round the built-in steps may have changed something too. */
  afterSteps(isChanged: () => boolean): Rounds;
};

type Memory = {
  readonly isSecond: boolean;
  readonly isChanged: boolean;
  readonly asked: readonly string[];
  readonly due: readonly string[];
};

export const forgetful: Rounds = roundsOf({
  isSecond: false,
  isChanged: false,
  asked: [],
  due: [],
});

function roundsOf(memory: Memory): Rounds {
  return {
    isDue: ({ id }) => !memory.isSecond || memory.due.includes(id),
    after(hook, isChanged) {
      const { asked, due, ...rest } = isChanged ? changed(memory) : memory;
      return roundsOf({ ...rest, due, asked: hook.isReinvoked ? [...asked, hook.id] : asked });
    },
    again: () => (memory.isChanged ? roundsOf({ ...memory, isSecond: true }) : undefined),
    afterSteps: (isChanged) => roundsOf(memory.isSecond && isChanged() ? changed(memory) : memory),
  };
}

/** Nobody is asked again for his own change: he is noted after it. */
function changed({ asked, due, ...memory }: Memory): Memory {
  return { ...memory, isChanged: true, asked: [], due: [...due, ...asked] };
}
