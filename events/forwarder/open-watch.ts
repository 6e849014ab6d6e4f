import type { Watching } from '#shared/domain/watched.ts';
import type { Stream } from './ports.ts';
import type { Pace } from './world.ts';
import { servedScope, type Writer } from './writer.ts';

/** From that version on; without one, with all that exists first. */
export async function openWatch(
  writer: Writer,
  resourceVersion: string | undefined,
): ReturnType<Stream['watch']> {
  const { world, signal } = writer;
  const { idleMs } = world.pace;
  const options = { resourceVersion, timeoutSeconds: watchTimeout(world), idleMs, signal };
  const opened = await world.stream.watch(servedScope(writer), options);
  return opened.kind === 'open' ? bounded(opened, writer) : opened;
}

/** The server was to end it: one that has lost a watch may go on to say that it lives, and never anything else. */
function bounded(watching: Watching, { world: { now, pace } }: Writer): Watching {
  const until = now() + pace.watchSeconds[1] * 1_000 + pace.idleMs;
  return {
    ...watching,
    next: async (beforeReading) =>
      now() > until ? { kind: 'closed' } : watching.next(beforeReading),
  };
}

type Chance = { readonly pace: Pick<Pace, 'watchSeconds'>; random(): number };

/** Another one for each watch: those that began together do not end together. */
export function watchTimeout({ pace, random }: Chance): number {
  const [min, max] = pace.watchSeconds;
  return Math.round(min + (max - min) * random());
}
