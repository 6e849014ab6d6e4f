import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Refused } from '#shared/domain/watched.ts';
import { shownPlace } from '../sendable.ts';
import type { Seen } from './seen.ts';
import { type Stage, wait } from './stage.ts';
import type { Writer } from './writer.ts';

/** Exactly these, by a list that the compiler keeps whole. */
const refusals: Readonly<Record<Refused['kind'], true>> = {
  expired: true,
  absent: true,
  forbidden: true,
  busy: true,
  ahead: true,
  unsupported: true,
};

export function isRefused(answer: object): answer is Refused {
  return 'kind' in answer && Object.hasOwn(refusals, String(answer.kind));
}

/** One object only: nothing follows from it for the kind, and what it was asked for is done again. */
export function afterLook(refused: Refused, writer: Writer): Stage {
  tellForbidden(refused, writer);
  const afterSeconds = refused.kind === 'busy' ? refused.afterSeconds : undefined;
  return wait(`a look at one object was refused: ${refused.why}`, afterSeconds);
}

export function tellForbidden({ kind, ...refused }: Refused, { world, term }: Writer): void {
  if (kind === 'forbidden') world.tell({ kind, scope: term.scope, why: refused.why });
}

export function tellUnkept(seen: readonly Seen[], { world, term }: Writer): void {
  for (const each of seen) {
    if (each.kind !== 'unkept') continue;
    const why = `${shownPlace(each)} is passed over: ${each.why}`;
    world.tell({ kind: 'refused-line', scope: term.scope, why });
  }
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
