import { openMountedCertificates } from '#shared/adapters/certificates/files.ts';
import { policyFrom } from '#shared/domain/certificates/policy.ts';
import type { Certificates, Clock, Cluster, Conditions, SettingsPort } from '#shared/ports.ts';
import { type Listeners, listeners } from './listeners.ts';
import { checked, type Offered, observedFor, offeredBySecret, type Served } from './offer.ts';
import {
  authoritiesOf,
  keeping,
  nextState,
  nothingServed,
  type ServingState,
} from './serving-state.ts';

/** The pair that this replica serves. */
export type CertificateSource = {
  current(): Served | undefined;
  /** What callers must trust for what is served, was served until just now, or will be served next. */
  authorities(): string;
  /** Called when either may have changed; what it returns ends that. */
  onChange(listener: () => void): () => void;
  /** The first pair: at a first start it is still to be made. */
  first(signal: AbortSignal): Promise<Served>;
  /** Looks now, and not only when the next look is due. */
  refresh(): Promise<void>;
  close(): Promise<void>;
};

export type SourceOptions = {
  readonly source: 'self' | 'files';
  readonly clock: Clock;
  readonly settings: SettingsPort;
  readonly certificates: Certificates;
  readonly conditions: Conditions;
  /** Mounted files can do without, our own Secret cannot. */
  readonly cluster: Cluster | undefined;
  /** How long until the next look, a fifth of it while nothing is served; 0 leaves it to `refresh`. */
  readonly lookAgainMs?: number;
};

/** Looks once, and from then on whenever something may have changed. Whatever fails, the last good pair stays. */
export async function openCertificateSource(options: SourceOptions): Promise<CertificateSource> {
  const { source, clock, conditions, lookAgainMs = 1_000 } = options;
  const changed = listeners();
  let state = nothingServed;
  let queue = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const look = async (): Promise<void> => {
    if (closed) return;
    clearTimeout(timer);
    const before = state;
    state = await offers.next(state);
    conditions.report(state.condition);
    const isWaiting = source === 'self' || state.held !== undefined;
    if (isWaiting && lookAgainMs > 0) timer = setTimeout(lookSoon, pauseMs(state)).unref();
    if (before.served !== state.served || before.held !== state.held) changed.call();
  };
  const pauseMs = ({ served }: ServingState) =>
    served === undefined ? lookAgainMs / 5 : lookAgainMs;
  const refresh = (): Promise<void> => {
    // One look that failed must not be the last one.
    queue = queue.then(look).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      conditions.report({ name: 'serving-certificate', holds: false, why });
    });
    return queue;
  };
  const lookSoon = (): void => void refresh();
  const offers = openOffers(options, lookSoon);

  await refresh();
  return {
    current: () => state.served,
    authorities: () => authoritiesOf(state, clock.now()),
    onChange: changed.add,
    first: (signal) => firstOf(() => state.served, changed, signal),
    refresh,
    async close() {
      closed = true;
      clearTimeout(timer);
      offers.close();
      await queue;
    },
  };
}

type Offers = { next(state: ServingState): Promise<ServingState>; close(): void };

function openOffers(options: SourceOptions, onChange: () => void): Offers {
  const { clock, settings, certificates: reader, cluster } = options;
  const { read, close } = options.source === 'files' ? files(options, onChange) : secret(options);
  return {
    close,
    async next(state) {
      try {
        return await nextState(state, await read(), {
          now: clock.now(),
          settleMs: policyFrom(settings.current()).settleMs,
          reader,
          observe: async (pair) =>
            cluster === undefined
              ? 'unseen'
              : observedFor(pair, cluster, { reader, settings: settings.current() }),
        });
      } catch (cause: unknown) {
        return keeping(state, cause instanceof Error ? cause.message : String(cause));
      }
    },
  };
}

type Reading = { read(): Promise<Offered>; close(): void };

function secret({ cluster, certificates, settings }: SourceOptions): Reading {
  return {
    async read() {
      if (cluster === undefined) throw new Error('no cluster is named that could hold the Secret');
      return offeredBySecret(cluster, certificates, settings.current());
    },
    close: () => {},
  };
}

function files(
  { settings, certificates, conditions }: SourceOptions,
  onChange: () => void,
): Reading {
  const mounted = openMountedCertificates({
    directory: settings.current().certificates.directory,
    onChange,
    onProblem: (why) => conditions.report({ name: 'certificate-watch', holds: false, why }),
  });
  return {
    async read() {
      const pair = await mounted.read();
      return pair ? checked({ ...pair, isVouched: false }, certificates) : { kind: 'none' };
    },
    close: mounted.close,
  };
}

function firstOf(
  find: () => Served | undefined,
  changed: Listeners,
  signal: AbortSignal,
): Promise<Served> {
  return new Promise((resolve, reject) => {
    // Of what was aborted before, no event tells.
    if (signal.aborted) reject(signal.reason);
    const settle = () => {
      const served = find();
      if (served !== undefined) resolve(served);
    };
    changed.add(settle);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    settle();
  });
}
