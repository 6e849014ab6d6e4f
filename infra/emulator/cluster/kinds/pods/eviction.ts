import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Acting, Subresource } from '../../parts.ts';
import {
  badRequest,
  invalid as invalidObject,
  isRefusal,
  type Refusal,
  refusal,
} from '../../refusal.ts';
import { itemsOf, metadataOf, partOf, put, specOf, statusOf, textOf } from '../words/edit.ts';
import { invalid } from '../words/errors.ts';
import { child, root } from '../words/place.ts';
import { selects } from '../words/selector.ts';
import { success } from '../words/success.ts';
import { timestamp } from '../words/time.ts';
import { isHeld, spend } from './budgets.ts';
import { withCondition } from './conditions.ts';

/** Deletes a pod, if the budgets that guard it allow that. */
export const eviction: Subresource = {
  shape: 'action',
  verb: 'create',
  type: { group: 'policy', version: 'v1', kind: 'Eviction' },
  alsoAs: 'policy/v1beta1',
  misstated: (sent, name) =>
    textOf(metadataOf(sent), 'name') === name
      ? ofCorrupt(sent, name)
      : badRequest('name in URL does not match name in Eviction object'),
  async act(sent, pod, world) {
    const options = partOf(sent, 'deleteOptions');
    const isDry = world.dryRun || itemsIn(options).includes('All');
    if (isFree(pod)) return removed(pod, guarded(pod, options), { ...world, dryRun: isDry });
    const [budget, ...more] = budgetsOf(pod, world);
    if (more.length > 0) return tooManyBudgets;
    const held =
      budget === undefined ? undefined : spendOn(budget, pod, { ...world, dryRun: isDry });
    return isRefusal(held) ? held : removed(pod, options, { ...world, dryRun: isDry });
  },
};

/** What cannot be read is deleted by hand, and is no pod to evict. */
function ofCorrupt(sent: JsonObject, name: string): Refusal | undefined {
  const at = child(root(sent), 'deleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential');
  if (at.value !== true) return undefined;
  const why = 'can not be set for pod eviction, try after removing the option';
  const type = { group: 'policy', kind: 'Eviction', name };
  return invalidObject(type, [invalid(at, why)]);
}

function itemsIn({ dryRun }: JsonObject): readonly unknown[] {
  return Array.isArray(dryRun) ? dryRun : [];
}

/** What does not run harms nobody by its end. */
function isFree(pod: JsonObject): boolean {
  const phase = textOf(statusOf(pod), 'phase');
  const isOver = ['Succeeded', 'Failed', 'Pending'].includes(phase);
  return isOver || metadataOf(pod)['deletionTimestamp'] !== undefined;
}

/** A pod that waits may become ready meanwhile: only as it was seen it is deleted. */
function guarded(pod: JsonObject, options: JsonObject): JsonObject {
  const { resourceVersion } = metadataOf(pod);
  const preconditions = partOf(options, 'preconditions');
  const isWaiting = textOf(statusOf(pod), 'phase') === 'Pending';
  if (!isWaiting || preconditions['resourceVersion'] !== undefined) return options;
  return { ...options, preconditions: put(preconditions, 'resourceVersion', resourceVersion) };
}

function budgetsOf(pod: JsonObject, { list }: Acting): readonly JsonObject[] {
  const { namespace, labels } = metadataOf(pod);
  return list('poddisruptionbudgets.policy', String(namespace)).filter((budget) =>
    selects(specOf(budget)['selector'], isJsonObject(labels) ? labels : {}),
  );
}

const tooManyBudgets = refusal(500, {
  message:
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
});

function spendOn(budget: JsonObject, pod: JsonObject, world: Acting): Refusal | undefined {
  if (!isReady(pod) && !isHeld(budget)) return undefined;
  const spent = spend(budget, textOf(metadataOf(pod), 'name'), timestamp(world.now));
  if (isRefusal(spent)) return spent;
  if (world.dryRun) return undefined;
  const written = world.update('poddisruptionbudgets.policy', spent);
  return isRefusal(written) ? written : undefined;
}

function isReady(pod: JsonObject): boolean {
  return itemsOf(statusOf(pod), 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

/** The reason of its end is written on the pod first, for those who wait for it. */
async function removed(
  pod: JsonObject,
  options: JsonObject,
  world: Acting,
): Promise<JsonObject | Refusal> {
  const unmet = checkedPreconditions(pod, options);
  if (unmet !== undefined) return unmet;
  const marked = world.dryRun ? pod : world.update('pods', targeted(pod, timestamp(world.now)));
  if (isRefusal(marked)) return marked;
  const { namespace, name } = metadataOf(pod);
  const at = { namespace: String(namespace), name: String(name) };
  const gone = await world.remove(
    'pods',
    at,
    renewed(world.dryRun ? { ...options, dryRun: ['All'] } : options, marked),
  );
  return isRefusal(gone) ? gone : success(201);
}

/** The mark has changed the version that the options count on. */
function renewed(options: JsonObject, marked: JsonObject): JsonObject {
  const preconditions = partOf(options, 'preconditions');
  if (preconditions['resourceVersion'] === undefined) return options;
  const { resourceVersion } = metadataOf(marked);
  return { ...options, preconditions: put(preconditions, 'resourceVersion', resourceVersion) };
}

function checkedPreconditions(pod: JsonObject, options: JsonObject): Refusal | undefined {
  const { uid, resourceVersion } = partOf(options, 'preconditions');
  const own = metadataOf(pod);
  const name = textOf(own, 'name');
  const said = (why: string) =>
    refusal(409, {
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on Pod "${name}": ${why}`,
      details: { name, kind: 'Pod' },
    });
  if (uid !== undefined && uid !== own['uid']) {
    return said(
      `the UID in the precondition (${uid}) does not match the UID in record (${own['uid']}). The object might have been deleted and then recreated`,
    );
  }
  return resourceVersion !== undefined && resourceVersion !== own['resourceVersion']
    ? said(
        `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${own['resourceVersion']}). The object might have been modified`,
      )
    : undefined;
}

function targeted(pod: JsonObject, at: string): JsonObject {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...pod, status: withCondition(statusOf(pod), condition, at) };
}
