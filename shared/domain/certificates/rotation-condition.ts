import type { Condition } from '../condition.ts';
import type { At, Step, Stored } from './rotation.ts';

/** Beyond the settle time, a phase that takes longer waits for something that does not come by itself. */
const patienceMs = 5 * 60_000;

/** How the rotation stands, for operators. */
export function rotationCondition(step: Step, stored: Stored, { now, policy }: At): Condition {
  const name = 'certificate-rotation';
  switch (step.kind) {
    case 'stuck':
      return { name, holds: false, why: step.why };
    case 'found':
      return stored.kind === 'nothing'
        ? { name, holds: true, why: step.why }
        : { name, holds: false, why: `${step.why}: a new one is made without overlap` };
    case 'wait': {
      const since = stored.kind === 'ours' ? stored.since : undefined;
      const waitedMs = now.getTime() - (since ?? now).getTime();
      return { name, holds: waitedMs <= policy.settleMs + patienceMs, why: step.why };
    }
    default:
      return { name, holds: true, why: step.kind };
  }
}
