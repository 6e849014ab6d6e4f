import type { Kind } from '#shared/domain/kind.ts';
import type { Written } from '../frame/api.ts';
import type { World } from '../frame/controller.ts';
import { pods } from '../shapes/kinds.ts';
import type { Thing } from '../shapes/meta.ts';
import type { podOf } from './pod-of.ts';

type Stated = ReturnType<typeof podOf>;
type Creating = { readonly owner: Thing; readonly kind: Kind; readonly stated: readonly Stated[] };

/** One, two, four, … at a time: what is refused once is refused a thousand times. */
export async function createPods(
  world: World,
  { owner, kind, stated }: Creating,
): Promise<Written | undefined> {
  let left = stated;
  for (let size = 1; left.length > 0; size *= 2) {
    const written = await Promise.all(
      left.slice(0, size).map((pod) => world.api.create(pods, pod)),
    );
    const failed = written.find((each) => each.kind !== 'written');
    if (failed?.kind === 'ending') return failed;
    if (failed !== undefined) {
      world.report(owner, kind, {
        type: 'Warning',
        reason: 'FailedCreate',
        note: `Error creating: ${whyOf(failed)}`,
      });
      return failed;
    }
    left = left.slice(size);
  }
  return undefined;
}

export function whyOf(written: Written): string {
  return written.kind === 'conflict' || written.kind === 'refused' ? written.why : written.kind;
}
