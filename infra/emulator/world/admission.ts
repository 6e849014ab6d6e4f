import type { AdmissionFunction, Definition } from '#shared/define.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { Namespaces, Ports } from '#shared/ports.ts';
import { bind } from '#shared/runtime/admission/bind.ts';
import { entriesOf } from '#shared/runtime/admission/entries.ts';
import { openEnvelope } from '#shared/runtime/admission/envelope.ts';
import { fuse, type Step } from '#shared/runtime/admission/fuse.ts';
import type { Bound, Host } from '#shared/runtime/admission/host.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { Place } from './ref.ts';
import type { Admitted, Decision } from './world.ts';

/** Production's admission, asked without a socket. */
export type Gate = {
  isOpenFor(): boolean;
  review(request: Asking): Promise<Admitted>;
};

export type Asking = {
  readonly place: Place;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly username: string;
};

export type GateOptions = {
  readonly definitions: readonly Definition[];
  readonly portsOf: (definition: Definition) => Ports;
  readonly settings: () => Settings;
  readonly namespaces: Namespaces;
  readonly log: Log;
  readonly decisions: Decision[];
};

export async function openGate(options: GateOptions): Promise<Gate> {
  const { definitions, portsOf, settings, namespaces, log, decisions } = options;
  const functions = definitions.filter((each) => each.shape === 'admission');
  const bound = await Promise.all(functions.map((each) => bind(each, portsOf(each))));
  const host = { settings, namespaces, meter: noMeter };
  return {
    isOpenFor: () => functions.length > 0,
    async review(asking) {
      const { ok: isGood, ...opened } = openEnvelope(JSON.stringify(reviewOf(asking)));
      if (!isGood || !('asked' in opened)) throw new Error('the request makes no AdmissionReview');
      const until = performance.now() + settings().server.timeoutSeconds * 1_000;
      const failures = openFailures(log);
      const asked = { asked: opened.asked, host: { ...host, log: failures.log }, until };
      const fused = await fuse(inOrder(bound, settings()), { ...asked, judge: 'cache' });
      const object = fused.after() as KubeObject;
      for (const step of fused.steps) decisions.push(...told(step, asking, failures));
      return { ...admittedBy(fused.verdict), failures: failures.all(), object };
    },
  };
}

/** As the API server calls them: what mutates first, the shared call before the others, then what validates. */
function inOrder(bound: readonly Bound[], settings: Settings): readonly Bound[] {
  const fits = (each: AdmissionFunction) => of(each)?.unfit === '';
  const of = (each: AdmissionFunction) => bound.find(({ definition }) => definition === each);
  const { fused, alone } = entriesOf(
    bound.map(({ definition }) => definition),
    settings,
    fits,
  );
  const mutating = alone.filter(({ phase }) => phase === 'mutate');
  const validating = alone.filter(({ phase }) => phase === 'validate');
  return [...fused, ...mutating, ...validating].flatMap((each) => of(each) ?? []);
}

function admittedBy(verdict: Verdict): Omit<Admitted, 'object' | 'failures'> {
  return {
    verdict: verdict.kind,
    reasons: verdict.kind === 'deny' ? verdict.reasons : [],
    warnings: verdict.warnings ?? [],
    patch: verdict.kind === 'patch' ? verdict.changes : [],
  };
}

/** A cluster's user is not told what a function threw; its author is. */
type Failures = {
  readonly log: Log;
  of(name: string): readonly string[];
  all(): readonly string[];
};

function openFailures(log: Log): Failures {
  const heard: { readonly name: unknown; readonly text: string }[] = [];
  return {
    log: {
      ...log,
      warn(fields, message) {
        log.warn(fields, message);
        const { function: name, why, err }: Readonly<Record<string, unknown>> = { ...fields };
        if ('failure' in fields) heard.push({ name, text: `${name}: ${failureText(why, err)}` });
      },
    },
    of: (name) => heard.filter((each) => each.name === name).map(({ text }) => text),
    all: () => heard.map(({ text }) => text),
  };
}

function failureText(why: unknown, cause: unknown): string {
  return cause === undefined ? String(why) : `${why}: ${cause}`;
}

/** Of those that it concerned. */
function told(
  { function: by, verdict, changes, after, ms }: Step,
  { place }: Asking,
  failures: Failures,
): Decision[] {
  if (verdict === undefined) return [];
  const { name } = place;
  const object = after() as KubeObject;
  const said = { ...admittedBy(verdict), failures: failures.of(by.name), patch: changes, object };
  return [{ kind: 'admission', function: by.name, name, ...said, ms }];
}

function reviewOf({ place, operation, object, old, dryRun, username }: Asking) {
  const { group, version, resource, kind } = place.kind;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '00000000-0000-4000-8000-000000000000',
      kind: { group, version, kind },
      resource: { group, version, resource },
      namespace: place.namespace ?? '',
      name: place.name,
      operation,
      userInfo: { username, groups: ['system:authenticated'] },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun,
      options: null,
    },
  };
}

const noMeter: Host['meter'] = {
  ran: () => {},
  failed: () => {},
  late: () => {},
  unreadable: () => {},
  answered: () => {},
  told: () => {},
};
