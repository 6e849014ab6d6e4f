import type { Definition } from '#shared/define.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { wire } from '#shared/runtime/wire.ts';
import { settingsFixed } from '../../testing/settings-fixed.ts';
import { openGate } from '../admission.ts';
import { doingsAt } from '../doings.ts';
import { type KnownKinds, knownKinds } from '../known-kinds.ts';
import { wireKnobs } from '../memory/knobs.ts';
import { openRules } from '../memory/rules.ts';
import { noTroubles } from '../memory/troubles.ts';
import { type Diary, observed } from '../ports-seen.ts';
import { registered } from '../registered.ts';
import { openReports } from '../reports.ts';
import { configured, definitionsOf } from '../sources.ts';
import type { EmulateOptions, World } from '../world.ts';
import { logTo, openGround, type RealGround } from './ground.ts';
import { realKnobs } from './knobs.ts';
import { openReversing } from './reversing.ts';
import { type Service, startService } from './serving.ts';
import { advance, settle } from './settling.ts';
import { type Surroundings, troubled } from './troubled.ts';

/** The same world on production's own parts: HTTP, Postgres, `serve`. */
export async function realWorld(options: EmulateOptions): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const first = await definitionsOf(options.functions, { anew: false });
  const settings = settingsFixed({ ...hasty, ...configured(options.config ?? {}, first) });
  const clusterName = settings.current().installation.cluster;
  const ground = await openGround(opened, { clusterName, databaseUrl: options.databaseUrl });

  const kinds = knownKinds(first);
  const diary: Diary = { decisions: [], kindAt: kinds.at };
  const clock = { aheadMs: 0 };
  const around = { ...surroundings(() => clock.aheadMs), diary };
  const story: string[] = [];
  const life = openLife({ options, ground, around, settings, log: logTo(story) });
  around.process.restart = life.restart;
  opened.defer(() => life.stop());
  const gate = await openGate(await gateOptions({ first, ground, settings, diary }, opened));
  const { admin, removeNow } = ground;
  const doings = doingsAt({ cluster: admin, kinds, gate: () => gate, removeNow });
  if (options.objects !== undefined) await doings.apply(options.objects);
  await life.begin(first);

  const { queueing, cluster } = ground;
  const settling = {
    ...{ ...ground, clusterName, running: around.running, revision: cluster.revision },
    followed: () => followedBy(registered(first), settings.current()),
    pass: (ms: number) => {
      clock.aheadMs += ms;
    },
  };
  const functions = () => first.map(({ name }) => name);
  const wired = wireKnobs(around.rules, kinds);
  const turning = { kinds, cluster, troubles: around.troubles, functions, wire: wired };
  const open = opened.move();
  const close = () => open.disposeAsync();
  return {
    ...doings,
    ...realKnobs({ ...turning, restart: life.restart, recreate: doings.recreate }),
    settle: (limits) => settle(settling, limits),
    advance: (ms) => advance(settling, ms),
    decisions: () => diary.decisions,
    story: () => story,
    now: () => new Date(Date.now() + clock.aheadMs + around.troubles.skewMs),
    objects: () => allObjects(ground, kinds),
    reports: around.reported.reports,
    buried: () => queueing.queue.listDead({ max: 1_000 }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A test does not wait for what production waits for. */
const hasty = {
  server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
  forwarder: {
    leaseMs: 3_000,
    firstBackoffMs: 20,
    maxBackoffMs: 200,
    idleMs: 1_000,
    restoredMs: 300,
  },
  worker: { graceSeconds: 1 },
};

function surroundings(aheadMs: () => number) {
  const troubles = noTroubles();
  return {
    rules: openRules(),
    troubles,
    reversing: openReversing(() => {
      troubles.isReversed = false;
    }),
    process: { restart: async () => {} },
    reported: openReports(),
    aheadMs,
    running: { count: 0 },
  };
}

type Living = {
  readonly options: EmulateOptions;
  readonly ground: RealGround;
  readonly around: Surroundings & { readonly diary: Diary };
  readonly settings: ReturnType<typeof settingsFixed>;
  readonly log: ReturnType<typeof logTo>;
};

/** What serves now, and how it ends and begins. */
function openLife({ options, ground, around, settings, log }: Living) {
  let service: Service | undefined;
  const begin = async (definitions: readonly Definition[]) => {
    const watched = definitions.map((each) =>
      each.shape === 'reconcile' ? troubled(observed(each, around.diary), around) : each,
    );
    const { login, databaseUrl } = ground;
    service = await startService(watched, { login, databaseUrl, settings, log });
  };
  return {
    begin,
    stop: async () => service?.stop(),
    async restart() {
      await service?.stop();
      await begin(await definitionsOf(options.functions, { anew: true }));
    },
  };
}

type Gated = Pick<Living, 'ground' | 'settings'> & {
  readonly first: readonly Definition[];
  readonly diary: Diary;
};

async function gateOptions({ first, ground, settings, diary }: Gated, stack: AsyncDisposableStack) {
  const { conditions, measures } = openReports();
  const wiring = wire({ settings, conditions, measures, login: ground.login });
  stack.defer(() => wiring.close());
  return {
    definitions: first,
    portsOf: wiring.portsOf,
    settings: settings.current,
    namespaces: wiring.ports.namespaces,
    log: logTo([]),
    decisions: diary.decisions,
  };
}

async function allObjects(
  { admin }: RealGround,
  kinds: KnownKinds,
): Promise<readonly KubeObject[]> {
  const listed = kinds.all().map(async (kind) => {
    const found: KubeObject[] = [];
    for await (const object of admin.list(kind)) found.push(object);
    return found;
  });
  return (await Promise.all(listed)).flat();
}
