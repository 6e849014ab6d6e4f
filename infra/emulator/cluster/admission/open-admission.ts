import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { Access, Admission, Admitting, GroupVersionKind, Reading } from '../parts.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { openConnections } from './reaching/connections.ts';
import { certificateSubject } from './steps/certificate-subject.ts';
import { claimGrowth } from './steps/claim-growth.ts';
import { defaultIngressClass, defaultStorageClass } from './steps/default-class.ts';
import { defaultTolerations } from './steps/default-tolerations.ts';
import { limitRange } from './steps/limit-range.ts';
import { namespaceLife } from './steps/namespace-life.ts';
import { nodePorts } from './steps/node-ports.ts';
import { nodeRestriction } from './steps/node-restriction.ts';
import { oneDefaultPriority, priority, systemClass } from './steps/priority.ts';
import { runtimeClass } from './steps/runtime-class.ts';
import { accountStands, serviceAccount } from './steps/service-account.ts';
import { serviceAddress } from './steps/service-address.ts';
import { signerRights } from './steps/signer-rights.ts';
import type { Step } from './steps/step.ts';
import { topologyLabels } from './steps/topology-labels.ts';
import { withinLimits } from './steps/within-limits.ts';
import { openHooks } from './webhooks/hook.ts';
import { type Mutated, type Mutating, mutated, untouched } from './webhooks/mutating.ts';
import { silence } from './webhooks/outcome.ts';
import { renamed } from './webhooks/review.ts';
import { validated } from './webhooks/validating.ts';

export type AdmissionOptions = {
  readonly reading: Reading;
  /** Last before the write: nobody grants what he has not. */
  refusedGrant(write: Admitting): Refusal | undefined;
  /** As `Access.may`; without it match conditions find that nobody may anything. */
  may?: Access['may'];
  /** Between the versions of a kind; without it only the name of the version changes. */
  converted?(object: JsonObject, to: GroupVersionKind): JsonObject | Promise<JsonObject>;
  /** Of `what` its kind and version are those that the webhook was shown. */
  decoded?(object: JsonObject, what: Admitting): JsonObject | Refusal;
  /** While it says so, webhooks have no timeout: a person looks at them in a debugger. */
  readonly isUntimed?: (() => boolean) | undefined;
};

export type OpenedAdmission = Admission & { close(): void };

/** In the order of the real server. */
const steps: readonly Step[] = [
  namespaceLife,
  limitRange,
  serviceAccount,
  nodeRestriction,
  priority,
  systemClass,
  defaultTolerations,
  defaultStorageClass,
  runtimeClass,
  defaultIngressClass,
  topologyLabels,
  serviceAddress,
  nodePorts,
];

function checksOf(may: Access['may']): readonly Step[] {
  return [
    withinLimits,
    accountStands,
    oneDefaultPriority,
    claimGrowth,
    signerRights(may),
    certificateSubject,
  ];
}

export function openAdmission(options: AdmissionOptions): OpenedAdmission {
  const { reading, refusedGrant } = options;
  const connections = openConnections(options.isUntimed);
  const calling = { reading, connections, ...wiringOf(options) };
  const checks = checksOf(calling.decide);
  const hooks = {
    mutating: openHooks(reading, 'mutating'),
    validating: openHooks(reading, 'validating'),
  };
  return {
    async mutate(what) {
      const mutating: Mutating = { ...calling, phase: 'mutating', until: what.until };
      const done = await throughRounds(what, { mutating, hooks: hooks.mutating() });
      if (isRefusal(done)) return done;
      const { object, heard } = done;
      return refusedGrant({ ...what, object }) ?? { object, ...heard };
    },
    async validate(what) {
      const refused = stepped(checks, what, reading);
      if (isRefusal(refused)) return refused;
      const { until } = what;
      return validated(what, hooks.validating(), { ...calling, phase: 'validating', until });
    },
    close: connections.close,
  };
}

/** What is left out is done as simply as may be. */
function wiringOf({ may, converted, decoded }: AdmissionOptions) {
  return {
    decide: may ?? (() => ({ allowed: false, reason: '' })),
    converted: converted ?? renamed,
    decoded: decoded ?? ((object: JsonObject) => object),
  };
}

type Way = { readonly mutating: Mutating; readonly hooks: Parameters<typeof mutated>[1] };

/** What a webhook has changed the built-in steps see again, and then those webhooks that want to. */
async function throughRounds(what: Admitting, way: Way): Promise<Mutated | Refusal> {
  const first = await oneRound(what, way, untouched(what.object, silence));
  if (isRefusal(first)) return first;
  const rounds = first.rounds.again();
  return rounds === undefined ? first : oneRound(what, way, { ...first, rounds });
}

async function oneRound(
  what: Admitting,
  { mutating, hooks }: Way,
  before: Mutated,
): Promise<Mutated | Refusal> {
  const object = stepped(steps, { ...what, object: before.object }, mutating.reading);
  if (isRefusal(object)) return object;
  const rounds = before.rounds.afterSteps(() => !sameJson(object, before.object));
  return mutated(what, hooks, { mutating, before: { ...before, object, rounds } });
}

function stepped(
  all: readonly Step[],
  what: Admitting,
  reading: Reading,
): JsonObject | undefined | Refusal {
  let { object } = what;
  for (const step of all) {
    const next = step({ ...what, object }, reading);
    if (isRefusal(next)) return next;
    object = next ?? object;
  }
  return object;
}
