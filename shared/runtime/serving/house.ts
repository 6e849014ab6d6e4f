import type { Login } from '#shared/adapters/cluster/login.ts';
import type { Condition } from '#shared/domain/condition.ts';
import { type ConditionBoard, openConditions } from '../conditions.ts';
import type { ConfigSource } from '../config/source.ts';
import type { Happening } from '../happening.ts';
import type { Listening } from '../listen.ts';
import type { Log } from '../log.ts';
import { type Metrics, openMetrics } from '../metrics.ts';
import type { Registry } from '../registry.ts';
import { measureStaleness } from '../staleness.ts';
import { openVigil, type Patience, type Vigil } from '../vigil.ts';
import { type Wiring, wire } from '../wire.ts';
import type { QueueChoice } from '../worker/queueing.ts';
import type { Store } from './ground.ts';
import type { Role } from './role.ts';

export type ServeOptions = {
  readonly role: Role;
  /** Left out: the cluster itself is read, periods turn in this process, and nothing is woken by events. */
  readonly store?: Store | undefined;
  readonly queue: QueueChoice;
  readonly registry: Registry;
  readonly config: ConfigSource;
  readonly login: Login | undefined;
  /** This replica's name among the others: the pod's. */
  readonly replica: string;
  readonly log: Log;
  /** Shown what happens as it happens, by whoever runs us in the process. */
  readonly onlooker?: (happening: Happening) => void;
  /** While it says so, reviews have no deadline. */
  readonly isUntimed?: () => boolean;
  /** With loops that stand still. */
  readonly patience?: Patience;
  /** Aborted when the process is told to stop, which may be before it serves. */
  readonly stopped: AbortSignal;
};

export type Phase =
  | { readonly kind: 'starting' }
  | { readonly kind: 'serving'; readonly front: Listening | undefined }
  | { readonly kind: 'draining' };

/** What every part of a serving process stands on. */
export type House = ServeOptions & {
  readonly metrics: Metrics;
  readonly conditions: ConditionBoard;
  readonly vigil: Vigil;
  readonly wiring: Wiring;
  phase: Phase;
  /** Of what goes on beside the front. */
  waitingFor: () => readonly string[];
};

export function settle(options: ServeOptions): House {
  const { config, log, login, store, patience } = options;
  const metrics = openMetrics({ process: true });
  const conditions = openConditions(log, metrics.condition);
  const wiring = wire({
    settings: { current: config.current },
    conditions,
    measures: metrics.measures,
    login,
    databaseUrl: store?.url,
    isListening: store !== undefined,
    log,
  });
  if (store !== undefined) measureStaleness(metrics.registry, wiring.staleness);
  return {
    ...options,
    metrics,
    conditions,
    vigil: openVigil((still) => conditions.report(progress(still)), patience),
    wiring,
    phase: { kind: 'starting' },
    waitingFor: () => [],
  };
}

function progress(still: readonly string[]): Condition {
  const why =
    still.length === 0 ? 'all loops turn' : `nothing comes of ${still.join(', ')} any more`;
  return { name: 'progress', holds: still.length === 0, why };
}
