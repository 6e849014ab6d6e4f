import type { Written } from '../frame/api.ts';
import type { World } from '../frame/controller.ts';
import { pods } from '../shapes/kinds.ts';
import type { podOf } from './pod-of.ts';
import { type Owning, told, toldRefused } from './told.ts';

type Stated = ReturnType<typeof podOf>;
type Creating = Owning & { readonly stated: readonly Stated[] };

/** One, two, four, … at a time: what is refused once is refused a thousand times. */
export async function createPods(
  world: World,
  { owner, kind, stated }: Creating,
): Promise<Written | undefined> {
  let left = stated;
  for (let size = 1; left.length > 0; size *= 2) {
    const written = await Promise.all(
      left.slice(0, size).map((pod) => createPod(world, { owner, kind }, pod)),
    );
    const failed = written.find((each) => each.kind !== 'written');
    if (failed !== undefined) return failed;
    left = left.slice(size);
  }
  return undefined;
}

async function createPod(world: World, owning: Owning, pod: Stated): Promise<Written> {
  const written = await world.api.create(pods, pod);
  if (written.kind === 'written') {
    told(world, owning, { what: 'Create', pod: written.object.metadata.name ?? '' });
  }
  if (written.kind === 'refused') {
    toldRefused(world, owning, { pod: pod.metadata.name ?? '', why: written.why });
  }
  return written;
}

export function whyOf(written: Written): string {
  return written.kind === 'conflict' || written.kind === 'refused' ? written.why : written.kind;
}
