import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Measures } from '#shared/ports.ts';
import type { Answered, FailureKind, Meter } from './admission/host.ts';
import type { RunMeter } from './reconcile.ts';
import { countOf, timesOf } from './tally.ts';

export type Metrics = {
  readonly meter: Meter;
  readonly runMeter: RunMeter;
  readonly measures: Measures;
  /** A number that is read when it is asked for. */
  readonly gauge: (name: string, help: string, read: () => number) => void;
  readonly condition: (name: string, holds: boolean) => void;
  readonly text: () => Promise<string>;
  readonly contentType: string;
  /** For meters that stand elsewhere. */
  readonly registry: Registry;
};

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function openMetrics({ process: withProcess }: { readonly process: boolean }): Metrics {
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry });
  const conditions = new Gauge({
    name: 'gatehouse_condition',
    help: 'A standing fact, 1 while it holds.',
    labelNames: ['condition'],
    registers: [registry],
  });
  return {
    meter: openMeter(registry),
    runMeter: openRunMeter(registry),
    measures: openMeasures(registry),
    gauge: (name, help, read) => {
      new Gauge({
        name: `gatehouse_${name}`,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    condition: (condition, holds) => conditions.set({ condition }, holds ? 1 : 0),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    registry,
  };
}

function openMeter(registry: Registry): Meter {
  const registers = [registry];
  const reviews = countOf({
    name: 'gatehouse_reviews_total',
    help: 'What each function answered.',
    labelNames: ['function', 'outcome'],
    registry,
  });
  const latency = timesOf(
    {
      name: 'gatehouse_review_seconds',
      help: 'From a review received to its answer, by entry.',
      labelNames: ['path'],
      registry,
    },
    seconds,
  );
  const functionLatency = timesOf(
    {
      name: 'gatehouse_function_seconds',
      help: 'How long each function took.',
      labelNames: ['function'],
      registry,
    },
    seconds,
  );
  const failures = new Counter({
    name: 'gatehouse_failures_total',
    help: 'Functions that could not answer, by kind of failure.',
    labelNames: ['function', 'kind'],
    registers,
  });
  const late = new Counter({
    name: 'gatehouse_late_results_total',
    help: 'Results that came after the deadline and were dropped.',
    labelNames: ['function'],
    registers,
  });
  const unreadable = new Counter({
    name: 'gatehouse_unreadable_reviews_total',
    help: 'Bodies that were not a review that can be read.',
    labelNames: ['code'],
    registers,
  });
  const audit = new Counter({
    name: 'gatehouse_audit_total',
    help: 'What functions told the audit log, by key; a number counts as so many.',
    labelNames: ['function', 'key'],
    registers,
  });

  const count = remembered((name: string, outcome: Answered) =>
    reviews({ function: name, outcome }),
  );
  const time = remembered((name: string) => functionLatency({ function: name }));
  const timeAt = remembered((path: string) => latency({ path }));
  const keyOf = bounded(mostKeys);
  return {
    ran: (name, answered, ms) => {
      count(name, answered)();
      time(name, '')(ms / 1_000);
    },
    failed: (name, kind: FailureKind) => failures.inc({ function: name, kind }),
    late: (name) => late.inc({ function: name }),
    unreadable: (code) => unreadable.inc({ code: String(code) }),
    answered: (path, ms) => timeAt(path, '')(ms / 1_000),
    told: (name, key, value) => {
      audit.inc(
        { function: name, key: keyOf(name, key) },
        /^\d{1,9}$/.test(value) ? Number(value) : 1,
      );
    },
  };
}

/** A user's own function may make a key of whatever it sees: the rest of them are one. */
const mostKeys = 50;

function bounded(most: number) {
  const known = new Map<string, Set<string>>();
  return (name: string, key: string): string => {
    const keys = known.get(name) ?? new Set<string>();
    known.set(name, keys);
    if (!keys.has(key) && keys.size >= most) return '(others)';
    keys.add(key);
    return key;
  };
}

function openRunMeter(registry: Registry): RunMeter {
  const registers = [registry];
  const runs = new Counter({
    name: 'gatehouse_runs_total',
    help: 'What became of the runs of each reconcile function.',
    labelNames: ['function', 'outcome'],
    registers,
  });
  const latency = new Histogram({
    name: 'gatehouse_run_seconds',
    help: 'How long the runs of each reconcile function took.',
    labelNames: ['function'],
    buckets: seconds,
    registers,
  });
  const late = new Counter({
    name: 'gatehouse_late_runs_total',
    help: 'Runs that ended after their deadline, and whose outcome was dropped.',
    labelNames: ['function'],
    registers,
  });
  return {
    reconciled: (name, outcome, ms) => {
      runs.inc({ function: name, outcome });
      latency.observe({ function: name }, ms / 1_000);
    },
    late: (name) => late.inc({ function: name }),
  };
}

function remembered<K extends string, T>(make: (first: string, second: K) => T) {
  const known = new Map<string, Map<string, T>>();
  return (first: string, second: K): T => {
    const found = known.get(first)?.get(second);
    if (found !== undefined) return found;

    const made = make(first, second);
    known.set(first, (known.get(first) ?? new Map<string, T>()).set(second, made));
    return made;
  };
}

/** A function names its gauges itself; a report replaces all that was reported under the name before. */
function openMeasures(registry: Registry): Measures {
  return {
    report(name, values) {
      const full = `gatehouse_${name}`;
      registry.removeSingleMetric(full);
      const labelNames = [...new Set(values.flatMap(({ labels }) => Object.keys(labels)))];
      const help = `Reported by a function as ${name}.`;
      const gauge = new Gauge({ name: full, help, labelNames, registers: [registry] });
      for (const { labels, value } of values) gauge.set(labels, value);
    },
  };
}
