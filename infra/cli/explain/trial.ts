import { randomUUID } from 'node:crypto';
import type { AdmissionFunction, Definition } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { deny, patch, type Verdict } from '#shared/domain/verdict.ts';
import type { Ports } from '#shared/ports.ts';
import { bind } from '#shared/runtime/admission/bind.ts';
import { type Entry, openDesk } from '#shared/runtime/admission/desk.ts';
import { type Asked, openEnvelope } from '#shared/runtime/admission/envelope.ts';
import { type Fused, fuse } from '#shared/runtime/admission/fuse.ts';
import type { Bound, Host } from '#shared/runtime/admission/host.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { trouble } from '../output.ts';
import type { Subject } from './manifests.ts';

/** What is tried: the pipeline of the admission server, with nothing behind it but what the files say. */
export type Bench = {
  /** In the order in which an API server calls them. */
  readonly entries: readonly [Entry, ...Entry[]];
  /** Functions that no entry asks, and why. */
  readonly absent: readonly Absent[];
  /** Where something else than a pod is asked about. */
  readonly pathsFor: (kind: string) => readonly string[];
  readonly settings: Settings;
  readonly ports: Ports;
};

export type Absent = { readonly function: string; readonly why: string };

export type Trial = Pick<Fused, 'steps' | 'verdict'> & {
  /** As it is after all changes. */
  readonly object: JsonObject;
  /** What made a function fail: on a server this stands in the log only. */
  readonly causes: ReadonlyMap<string, string>;
  readonly ms: number;
};

export type Setup = {
  readonly registry: Registry;
  readonly settings: Settings;
  readonly ports: Ports;
  /** All that are asked about a pod where none is named. */
  readonly path: string | undefined;
};

export async function openBench({ registry, settings, ports, path }: Setup): Promise<Bench> {
  const admissions = registry.definitions.filter(isAdmission);
  const bound = await Promise.all(
    admissions
      .filter((definition) => registry.isEnabled(definition, settings))
      .map((definition) => bind(definition, ports)),
  );
  const desk = openDesk({ bound, isEnabled: () => true, settings: () => settings });
  const named = path === undefined ? wholeWay(bound) : [path];
  const [first, ...rest] = named.flatMap((each) => desk.at(each, () => []) ?? []);
  if (first === undefined) throw nothingAnswers(path ?? paths.fusedPods, bound);

  const entries = [first, ...rest] as const;
  const asked = new Set<unknown>(
    entries.flatMap(({ functions }) => functions.map(({ definition }) => definition)),
  );
  const absent = admissions
    .filter((definition) => !asked.has(definition))
    .map((definition) => ({
      function: definition.name,
      why: whyAbsent(
        definition,
        bound.find((each) => each.definition === definition),
      ),
    }));
  const pathsFor = (kind: string) =>
    bound
      .filter(({ definition }) => definition.trigger.resources.includes(resourceOf(kind)))
      .map(({ definition: { phase, name } }) => paths.alone(phase, name));
  return { entries, absent, pathsFor, settings, ports };
}

/** What changes pods comes first, in one call where it can; then what has the last word on them, one by one. */
function wholeWay(bound: readonly Bound[]): readonly string[] {
  const onPods = bound.filter(({ definition }) => definition.trigger.resources.includes('pods'));
  const alone = onPods.filter(({ definition, unfit }) => definition.phase === 'validate' || unfit);
  const pathsOf = (wanted: Admission['phase']) =>
    alone
      .filter(({ definition }) => definition.phase === wanted)
      .map(({ definition: { phase, name } }) => paths.alone(phase, name));
  return [paths.fusedPods, ...pathsOf('mutate'), ...pathsOf('validate')];
}

type Admission = AdmissionFunction<never>;

function isAdmission(definition: Definition): definition is Admission {
  return definition.shape === 'admission';
}

function whyAbsent({ capability, phase, name }: Admission, bound: Bound | undefined): string {
  if (bound === undefined) return `the capability ${capability} is not switched on`;
  const alone = `it answers for itself at ${paths.alone(phase, name)}`;
  return bound.unfit === '' ? alone : `${alone}, as we cannot evaluate it: ${bound.unfit}`;
}

function nothingAnswers(path: string, there: readonly Bound[]): Error {
  const known = there.map(({ definition: { phase, name } }) => paths.alone(phase, name));
  return trouble(`nothing answers at ${path}`, {
    mend:
      known.length === 0
        ? 'switch a capability on in the configuration, or name your own functions with --functions DIR'
        : `--entry with one of ${[paths.fusedPods, ...known].join(', ')}`,
  });
}

export async function tryOut(bench: Bench, subject: Subject, namespace: string): Promise<Trial> {
  const causes = new Map<string, string>();
  const started = performance.now();
  let { object } = subject;
  const answers: Fused[] = [];
  for (const { functions } of bench.entries) {
    const answer = await fuse(functions, {
      asked: reviewOf({ ...subject, object }, namespace),
      host: hostOf(bench, causes),
      until: performance.now() + bench.settings.server.timeoutSeconds * 1_000,
      // No API server has selected anything here, so that every selector is judged by us.
      judge: 'cache',
    });
    answers.push(answer);
    object = answer.after();
  }
  const steps = answers.flatMap((answer) => answer.steps);
  return { steps, verdict: togetherOf(answers), object, causes, ms: performance.now() - started };
}

/** As the API server puts them together: one denial is enough, and all warnings are shown. */
function togetherOf(answers: readonly Fused[]): Verdict {
  const verdicts = answers.map(({ verdict }) => verdict);
  const warnings = verdicts.flatMap((verdict) => verdict.warnings ?? []);
  const denials = verdicts.flatMap((verdict) => (verdict.kind === 'deny' ? [verdict] : []));
  const [first, ...rest] = denials.flatMap(({ reasons }) => reasons);
  if (first !== undefined) return { ...deny(first, ...rest), warnings };
  const changes = verdicts.flatMap((verdict) => (verdict.kind === 'patch' ? verdict.changes : []));
  return patch(changes, ...warnings);
}

function hostOf({ settings, ports }: Bench, causes: Map<string, string>): Host {
  const ignore = () => undefined;
  const log: Log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: ({ function: name, err }) => {
      if (err instanceof Error) causes.set(String(name), err.message);
    },
  };
  const meter = {
    ...{ ran: ignore, failed: ignore, late: ignore },
    ...{ unreadable: ignore, answered: ignore, told: ignore },
  };
  return { settings: () => settings, namespaces: ports.namespaces, meter, log };
}

/** Through the very door that a review comes through. */
function reviewOf({ object, kind, name }: Subject, namespace: string): Asked {
  const [group = '', version = ''] = groupVersion(object);
  const request = {
    uid: randomUUID(),
    kind: { group, version, kind },
    resource: { group, version, resource: resourceOf(kind) },
    operation: 'CREATE',
    namespace,
    name,
    userInfo: { username: 'gatehouse-explain', groups: [] },
    object,
    oldObject: null,
    dryRun: true,
  };
  const opened = openEnvelope(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }),
  );
  if (!opened.ok) throw new Error(opened.unreadable.why);
  return opened.asked;
}

function groupVersion({ apiVersion }: JsonObject): readonly string[] {
  const parts = String(apiVersion ?? 'v1').split('/');
  return parts.length === 1 ? ['', ...parts] : parts;
}

/** As Kubernetes guesses it where no server is asked. */
export function resourceOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(s|x|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? lower.replace(/y$/, 'ies') : `${lower}s`;
}
