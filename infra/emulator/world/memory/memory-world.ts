import { periodMessage } from '#events/messages.ts';
import type { Definition } from '#shared/define.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { everySecondsOf } from '#shared/runtime/every-seconds.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { mirrorShelf } from '../../testing/mirror/shelf.ts';
import { queueInMemory } from '../../testing/queue-in-memory.ts';
import { restartShelf } from '../../testing/restarts-in-memory.ts';
import { scheduleInMemory } from '../../testing/schedule-in-memory.ts';
import { settingsFixed } from '../../testing/settings-fixed.ts';
import { verdictsInMemory } from '../../testing/verdicts-in-memory.ts';
import { type Gate, openGate } from '../admission.ts';
import { doingsAt } from '../doings.ts';
import { knownKinds, typed } from '../known-kinds.ts';
import { openReports } from '../reports.ts';
import { configured, definitionsOf } from '../sources.ts';
import { inventedTime } from '../time.ts';
import type { EmulateOptions, World } from '../world.ts';
import { apiServer } from './api-server.ts';
import { type Ground, openHeld, openPlanned } from './ground.ts';
import { knobsOn } from './knobs.ts';
import { portsOn } from './ports.ts';
import { type Process, startProcess } from './process.ts';
import { openRules } from './rules.ts';
import { advance, settle } from './settling.ts';
import { noTroubles } from './troubles.ts';
import { watchesOn } from './watch.ts';

/** Everything in this process, and in an order of its own: nothing of it is left to the machine. */
export async function memoryWorld(options: EmulateOptions): Promise<World> {
  const first = await definitionsOf(options.functions, { anew: false });
  const ground = groundFor(options, first);
  for (const name of ['default', 'kube-system']) {
    await ground.server.objects.create(namespaces, { ...typed(namespaces), metadata: { name } });
  }
  const life = await lifeOn(ground, { options, first });
  const doings = doingsAt({
    cluster: ground.server.objects,
    kinds: ground.server.kinds,
    gate: life.gate,
  });
  if (options.objects !== undefined) await doings.apply(options.objects);
  await life.begin();

  const functions = () => first.map(({ name }) => name);
  const { queue, diary, time } = ground;
  const settling = { ground, ...life };
  return {
    ...doings,
    ...knobsOn(ground, { remake: doings.recreate, restart: life.restart, functions }),
    settle: (limits) => settle(settling, limits),
    advance: (ms) => advance(settling, ms),
    decisions: () => diary.decisions,
    story: () => ground.story,
    now: () => new Date(time.now() + ground.troubles.skewMs),
    objects: async () => ground.server.all(),
    reports: ground.reported.reports,
    buried: () => queue.listDead({ max: 1_000 }),
    close: life.stop,
    [Symbol.asyncDispose]: life.stop,
  };
}

function groundFor(
  { startAt, config = {}, ...beyond }: EmulateOptions,
  definitions: readonly Definition[],
): Ground {
  const time = inventedTime(Date.parse(startAt ?? '2030-01-01T00:00:00Z'));
  const kinds = knownKinds(definitions);
  const server = apiServer(kinds, time);
  const queue = queueInMemory({ now: time.now, after: time.after });
  return {
    time,
    server,
    queue,
    rules: openRules(),
    watches: watchesOn(server, time),
    shelf: mirrorShelf(),
    verdicts: verdictsInMemory({ clock: { now: () => new Date(time.now()) } }),
    beyond,
    restarts: restartShelf(),
    schedule: scheduleInMemory({ now: time.now, queue }),
    planned: openPlanned(time),
    settings: settingsFixed(configured(config, definitions)),
    reported: openReports(),
    diary: { decisions: [], kindAt: kinds.at },
    story: [],
    troubles: noTroubles(),
    log: silent,
    held: openHeld(),
  };
}

const silent: Ground['log'] = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

type Living = { readonly options: EmulateOptions; readonly first: readonly Definition[] };

/** The process that there is now, and how it ends and begins. */
async function lifeOn(ground: Ground, { options, first }: Living) {
  const settings: () => Settings = ground.settings.current;
  let process: Process | undefined;
  let begun = Promise.resolve();
  let gate = await gateOn(ground, first);
  const begin = async (definitions: readonly Definition[]) => {
    gate = await gateOn(ground, definitions);
    process = await startProcess(ground, definitions, () => void restart());
  };
  const beginAnew = async () => begin(await definitionsOf(options.functions, { anew: true }));
  const restart = () => {
    process?.kill();
    process = undefined;
    begun = begun.then(beginAnew);
    return begun;
  };
  return {
    gate: () => gate,
    async begin() {
      await begin(first);
      const periods = first.flatMap((each) => {
        const everySeconds =
          each.shape === 'reconcile' ? everySecondsOf(each.trigger, settings()) : undefined;
        return everySeconds === undefined
          ? []
          : [{ message: periodMessage(each.name), everySeconds }];
      });
      await ground.schedule.setPeriods(periods);
      await ground.schedule.moveDue(500);
    },
    restart,
    /** A restart that is under way has ended. */
    ready: () => begun,
    followed: () => (process === undefined ? [] : followedBy(process.registry, settings())),
    inFlight: () => process?.inFlight() ?? 0,
    isFollowing: (scope: string) => process?.isFollowing(scope) === true,
    whyNot: (scope: string) => process?.whyNot(scope),
    async stop() {
      await process?.stop();
      await ground.queue.close();
    },
  };
}

function gateOn(ground: Ground, definitions: readonly Definition[]): Promise<Gate> {
  const ports = portsOn(ground, { isOver: false });
  return openGate({
    definitions,
    portsOf: ports.usual,
    settings: ground.settings.current,
    namespaces: ports.namespaces,
    log: ground.log,
    decisions: ground.diary.decisions,
  });
}
