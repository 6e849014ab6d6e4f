import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import type { Step } from '#test/contracts/kube-api/case.ts';
import type { Names } from '#test/contracts/kube-api/place.ts';
import { taken } from '#test/contracts/kube-api/running.ts';
import { until } from '#test/support/until.ts';
import { type Deed, deeds } from './pod-deeds.ts';

/** A request; or what scheduler and kubelet would do when they come to it: `RUN 2` pods. */
export async function done(stage: Stage, step: Step, names: Names): Promise<void> {
  const [verb = '', count = ''] = step.do.split(' ');
  const deed = deeds[verb];
  if (deed === undefined) return insisted(stage, step, names);
  const pods = await awaited(stage, deed, { what: step.do, count: Number(count), names });
  for (const each of pods.flatMap(deed.steps)) await insisted(stage, each, names);
}

async function insisted(stage: Stage, step: Step, names: Names): Promise<void> {
  const { off, reply } = await taken(stage, step, names);
  if (off.length > 0) throw new Error(`${step.do}: ${off.join(', ')}: ${reply.text}`);
}

type Wanted = { readonly what: string; readonly count: number; readonly names: Names };

/** Exactly so many pods that wait for it: then whoever makes them has done so. */
async function awaited(stage: Stage, deed: Deed, { what, count, names }: Wanted) {
  let waiting: readonly Pod[] = [];
  const look = async () => {
    const { body } = await taken(stage, { do: 'GET pods', with: {} }, names);
    waiting = (body as { readonly items: readonly Pod[] }).items.filter(deed.waits);
    return waiting.length === count;
  };
  await until(look, stage.place.patienceMs).catch((cause: unknown) => {
    throw new Error(`${what}: ${waiting.length} pods at ${stage.place.url}`, { cause });
  });
  return waiting;
}
