import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Refused } from '#shared/domain/watched.ts';
import { type Stage, wait } from './stage.ts';
import type { Writer } from './writer.ts';

export function tellForbidden({ kind, ...refused }: Refused, { world, term }: Writer): void {
  if (kind === 'forbidden') world.tell({ kind, scope: term.scope, why: refused.why });
}

/** What follows from a server's no. Only an absent kind may ever lead to deletions, and that after a closer look. */
export function afterRefusal(refused: Refused, cursor: Cursor): Stage {
  switch (refused.kind) {
    case 'expired':
      return { kind: 'list', cursor, why: refused.why };
    case 'absent':
      return { kind: 'absent', cursor, why: refused.why };
    case 'busy':
      return wait(refused.why, refused.afterSeconds);
    case 'forbidden':
    case 'ahead':
    case 'unsupported':
      return wait(refused.why);
  }
}
