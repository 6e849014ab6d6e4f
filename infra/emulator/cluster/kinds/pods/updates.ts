import { type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { goDiff } from '../words/difference.ts';
import { itemsOf, partOf, put, specOf, textOf } from '../words/edit.ts';
import { between, forbidden, invalid, required } from '../words/errors.ts';
import { emptied } from '../words/metadata.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  number,
  object,
  type Place,
  text,
} from '../words/place.ts';

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Images, a shorter deadline, more tolerations, fewer gates; of a gated pod also where it may go. */
export function checkedPodChange(next: Place, before: JsonObject): Errors {
  const [spec, was] = [child(next, 'spec'), specOf(before)];
  for (const key of ['containers', 'initContainers'] as const) {
    if (items(spec, key).length !== itemsOf(was, key).length) {
      return [forbidden(child(spec, key), 'pod updates may not add or remove containers')];
    }
  }
  const images = ['containers', 'initContainers'].flatMap((key) => items(spec, key).flatMap(image));
  const deadline = checkedDeadline(child(spec, 'activeDeadlineSeconds'), was);
  if (deadline.some(({ message }) => !message.includes('nil value')))
    return [...images, ...deadline];
  return [
    ...images,
    ...deadline,
    ...checkedTolerations(child(spec, 'tolerations'), was),
    ...checkedGates(spec, was),
    ...checkedSelector(child(spec, 'nodeSelector'), was),
    ...checkedRest(spec, was),
  ];
}

function image(container: Place): Errors {
  const at = child(container, 'image');
  return [
    ...(isEmpty(at) ? [required(at)] : none),
    ...(text(at) === text(at).trim()
      ? none
      : [invalid(at, 'must not have leading or trailing whitespace')]),
  ];
}

const deadlines = between(0, 2_147_483_647);

function checkedDeadline(at: Place, { activeDeadlineSeconds: was }: JsonObject): Errors {
  if (!isStated(at)) {
    const why = 'must not update from a positive integer to nil value';
    return typeof was === 'number' ? [invalid(at, why, null)] : none;
  }
  const bad = deadlines(at);
  if (bad.length > 0) return bad;
  return typeof was === 'number' && was < number(at)
    ? [invalid(at, 'must be less than or equal to previous value')]
    : none;
}

function checkedTolerations(at: Place, was: JsonObject): Errors {
  const next = items({ path: '', value: { list: at.value ?? null } }, 'list').map(withoutSeconds);
  const isKept = itemsOf(was, 'tolerations').every((old) =>
    next.some((each) => sameJson(each, withoutSeconds({ path: '', value: old }))),
  );
  const why = 'existing toleration can not be modified except its tolerationSeconds';
  return isKept ? none : [forbidden(at, why)];
}

function withoutSeconds({ value }: Place): Json {
  return put(specOf({ spec: value ?? {} }), 'tolerationSeconds', undefined);
}

function checkedGates(spec: Place, was: JsonObject): Errors {
  const known = itemsOf(was, 'schedulingGates').map((gate) => textOf(gate, 'name'));
  return items(spec, 'schedulingGates')
    .map((gate) => child(gate, 'name'))
    .filter((name) => !known.includes(text(name)))
    .map((name) =>
      forbidden(name, `only deletion is allowed, but found new scheduling gate '${text(name)}'`),
    );
}

/** Everything else is compared, with what may change taken from before. */
function checkedRest(spec: Place, was: JsonObject): Errors {
  const munged = mungedSpec(specOf({ spec: spec.value ?? {} }), was);
  if (sameJson(withoutEmpty(munged), withoutEmpty(was))) return none;
  const why = `pod updates may not change fields other than ${changeable}\n${goDiff(was, munged)}`;
  return [forbidden(spec, why)];
}

function mungedSpec(next: JsonObject, was: JsonObject): JsonObject {
  const kept = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'] as const;
  const open = isGated(was) ? withPlace(next, was) : next;
  const fixed = kept.reduce((soFar, key) => put(soFar, key, was[key]), open);
  const imaged = (['containers', 'initContainers'] as const).reduce(
    (soFar, key) => withImages(soFar, was, key),
    fixed,
  );
  const { terminationGracePeriodSeconds: grace } = was;
  return typeof grace === 'number' && grace < 0 && next['terminationGracePeriodSeconds'] === 1
    ? put(imaged, 'terminationGracePeriodSeconds', grace)
    : imaged;
}

function isGated(spec: JsonObject): boolean {
  return itemsOf(spec, 'schedulingGates').length > 0;
}

/** Where a gated pod may go is still open; what it keeps away from is not. */
function withPlace(next: JsonObject, was: JsonObject): JsonObject {
  const { nodeAffinity } = partOf(was, 'affinity');
  const affinity = put(partOf(next, 'affinity'), 'nodeAffinity', nodeAffinity);
  const isNone = Object.keys(affinity).length === 0 && was['affinity'] === undefined;
  const placed = put(next, 'affinity', isNone ? undefined : affinity);
  return put(placed, 'nodeSelector', was['nodeSelector']);
}

/** Narrower, not other. */
function checkedSelector(at: Place, was: JsonObject): Errors {
  const old = Object.entries(partOf(was, 'nodeSelector'));
  if (!isGated(was) || old.every(([key, value]) => object(at)[key] === value)) return none;
  const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid(at, why, isStated(at) ? at.value : null)];
}

function withImages(next: JsonObject, was: JsonObject, key: string): JsonObject {
  const old = itemsOf(was, key);
  if (old.length === 0) return next;
  const containers = itemsOf(next, key).map((each, at) => put(each, 'image', old[at]?.['image']));
  return put(next, key, containers);
}

function withoutEmpty(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => emptied(value) !== null));
}
