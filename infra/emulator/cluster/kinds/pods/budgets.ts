import type { JsonObject } from '#shared/domain/json.ts';
import { type Refusal, refusal } from '../../refusal.ts';
import {
  itemsOf,
  metadataOf,
  numberOf,
  partOf,
  put,
  specOf,
  statusOf,
  textOf,
} from '../words/edit.ts';
import { withCondition } from './conditions.ts';

/** Whether a pod that is not ready is held like one that is. */
export function isHeld(budget: JsonObject): boolean {
  if (specOf(budget)['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return false;
  const { healthy, wanted } = countsOf(budget);
  return !(healthy >= wanted && wanted > 0);
}

/** The budget with one disruption less, and with the pod's name as one that goes. */
export function spend(budget: JsonObject, pod: string, at: string): JsonObject | Refusal {
  const { allowed, disrupted } = countsOf(budget);
  const name = textOf(metadataOf(budget), 'name');
  if (isBehind(budget)) {
    return busy(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (allowed < 0) return forbidden(name, 'pdb disruptions allowed is negative');
  if (Object.keys(disrupted).length > mostDisrupted) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return forbidden(name, why);
  }
  if (allowed === 0) return busy(explained(budget, name), 0);
  const disruptedPods = { ...disrupted, [pod]: at };
  const status = { ...statusOf(budget), disruptionsAllowed: allowed - 1, disruptedPods };
  return { ...budget, status: allowed === 1 ? exhausted(status, budget, at) : status };
}

const mostDisrupted = 2000;

function countsOf(budget: JsonObject) {
  const status = statusOf(budget);
  return {
    healthy: numberOf(status, 'currentHealthy') ?? 0,
    wanted: numberOf(status, 'desiredHealthy') ?? 0,
    allowed: numberOf(status, 'disruptionsAllowed') ?? 0,
    disrupted: partOf(status, 'disruptedPods'),
  };
}

/** Its controller has not seen the last change. */
function isBehind(budget: JsonObject): boolean {
  const observed = numberOf(statusOf(budget), 'observedGeneration') ?? 0;
  return observed < (numberOf(metadataOf(budget), 'generation') ?? 0);
}

function explained(budget: JsonObject, name: string): string {
  const { healthy, wanted } = countsOf(budget);
  const condition = itemsOf(statusOf(budget), 'conditions').find(
    ({ type }) => type === 'DisruptionAllowed',
  );
  const [reason, message] = [textOf(condition, 'reason'), textOf(condition, 'message')];
  const isSaid = condition?.['status'] === 'False' && message !== '';
  const not = `The disruption budget ${name} does not allow evicting pods currently`;
  if (isSaid && reason === 'SyncFailed') return `${not} because it failed sync: ${message}`;
  if (healthy <= wanted) {
    return `The disruption budget ${name} needs ${wanted} healthy pods and has ${healthy} currently`;
  }
  return isSaid ? `${not} (${reason}): ${message}` : not;
}

/** 429 without a time to wait has no `Retry-After`. */
function busy(why: string, afterSeconds: number): Refusal {
  const causes = [{ reason: 'DisruptionBudget', message: why }];
  const wait = afterSeconds === 0 ? {} : { retryAfterSeconds: afterSeconds };
  return refusal(
    429,
    {
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes, ...wait },
    },
    afterSeconds === 0 ? undefined : afterSeconds,
  );
}

function forbidden(name: string, why: string): Refusal {
  return refusal(403, {
    reason: 'Forbidden',
    message: `poddisruptionbudget.policy "${name}" is forbidden: ${why}`,
    details: { name, group: 'policy', kind: 'poddisruptionbudget' },
  });
}

/** The condition stays in its place, and keeps its time where it said so before. */
function exhausted(status: JsonObject, budget: JsonObject, at: string): JsonObject {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    observedGeneration: metadataOf(budget)['generation'] ?? 0,
  };
  return without(withCondition(status, condition, at), 'lastProbeTime');
}

/** Only a pod's conditions have it. */
function without(status: JsonObject, key: string): JsonObject {
  const conditions = itemsOf(status, 'conditions').map((each) => put(each, key, undefined));
  return { ...status, conditions };
}
