import type { FailedRequest, Knobs } from '../faults/knobs.ts';
import { writing } from '../faults/verbs.ts';
import { idOf, type KnownKinds } from '../known-kinds.ts';
import type { Ref } from '../ref.ts';
import { kindNamed } from '../ref.ts';
import type { Ground } from './ground.ts';
import { type Instead, type Rule, type Rules, statusAnswer } from './rules.ts';

type Outside = {
  readonly remake: (ref: Ref) => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly functions: () => readonly string[];
};

/** Each knob of the table, at its part in memory. */
export function knobsOn(ground: Ground, outside: Outside): Knobs {
  return {
    ...clusterKnobs(ground, outside),
    ...wireKnobs(ground.rules, ground.server.kinds),
    ...processKnobs(ground, outside),
  };
}

type OfCluster = 'gone' | 'compact' | 'dropWatches' | 'halfOpen' | 'recreate' | 'staleMirror';

function clusterKnobs(ground: Ground, { remake }: Outside): Pick<Knobs, OfCluster> {
  const { server, watches, time } = ground;
  const resourceOf = (kind: string | undefined) =>
    kind === undefined ? undefined : idOf(kindNamed(kind, server.kinds));
  return {
    async gone(kind) {
      const why = `too old resource version (${server.revision()})`;
      watches.each(resourceOf(kind), (watch) => {
        watch.ended = { kind: 'expired', why };
      });
    },
    compact: async () => server.compact(),
    async dropWatches(kind) {
      watches.each(resourceOf(kind), (watch) => {
        watch.ended = { kind: 'closed' };
      });
    },
    async halfOpen(kind) {
      watches.each(resourceOf(kind), (watch) => {
        watch.isSilent = true;
      });
    },
    recreate: remake,
    async staleMirror(kind, forMs = 5_000) {
      watches.each(resourceOf(kind), (watch) => {
        watch.heldUntilMs = time.now() + forMs;
      });
    },
  };
}

/** What meets single requests. */
export function wireKnobs(
  rules: Rules,
  kinds: KnownKinds,
): Pick<Knobs, 'slow' | 'fail' | 'conflict'> {
  const ruleFor = (aim: Omit<FailedRequest, 'code'>, instead: Instead): Rule => ({
    verbs: aim.verb === undefined ? writing : [aim.verb],
    resource: aim.kind === undefined ? undefined : idOf(kindNamed(aim.kind, kinds)),
    after: aim.after,
    times: aim.times ?? 1,
    instead,
  });
  return {
    slow: async (ms, aim = {}) => rules.add(ruleFor(aim, { kind: 'slow', ms })),
    fail: async (request) => rules.add(ruleFor(request, insteadFor(request.code))),
    async conflict(times = 1) {
      const received = statusAnswer(409, 'the object has been modified');
      rules.add({ verbs: ['update', 'patch'], times, instead: { kind: 'refused', received } });
    },
  };
}

function insteadFor(code: FailedRequest['code']): Instead {
  if (code === 'lost') return { kind: 'answer-lost' };
  const received = statusAnswer(code, 'by a fault of the emulator', { retryAfterSeconds: 1 });
  return { kind: 'refused', received };
}

type OfProcess = Exclude<keyof Knobs, OfCluster | 'slow' | 'fail' | 'conflict'>;

function processKnobs({ troubles }: Ground, outside: Outside): Pick<Knobs, OfProcess> {
  return {
    async duplicate({ atOnce = false, times = 1 } = {}) {
      if (atOnce) troubles.twins += times;
      else troubles.again += times;
    },
    async reorderGroups() {
      troubles.isReversed = true;
    },
    async coldStart(ms) {
      troubles.coldMs = ms;
      troubles.cold = new Set(outside.functions());
    },
    async killAfterHandler(times = 1) {
      troubles.deaths += times;
    },
    async skewClock(ms = 30_000) {
      troubles.skewMs = ms;
    },
    restartAll: outside.restart,
  };
}
