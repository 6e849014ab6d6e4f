import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { claimErrors } from '../pods/claim-checks.ts';
import { podTemplate } from '../pods/pod-defaults.ts';
import { templateWarnings } from '../pods/pod-warnings.ts';
import { claimWarnings } from '../pods/volume-warnings.ts';
import { storedClaim } from '../storage/claim.ts';
import {
  all,
  type Edit,
  each,
  ensured,
  inside,
  itemsOf,
  metadataOf,
  numberOf,
  partOf,
  preset,
  put,
  specOf,
  textOf,
  timed,
  when,
  withoutNoughts,
} from '../words/edit.ts';
import { forbidden, invalid, notNegative, oneOf, says } from '../words/errors.ts';
import { dnsLabel } from '../words/names.ts';
import { child, type Errors, items, none, object, type Place, root, text } from '../words/place.ts';
import { checkedReplicas, scale } from './scale.ts';
import { checkedStrategy } from './stateful-strategy.ts';
import { partsOfReplicas } from './status-checks.ts';
import { checkedCounts, checkedOwnSelector, checkedOwnTemplate } from './template.ts';

const strategy: Edit = (stated) => {
  const isSilent = textOf(stated, 'type') === '';
  const typed = isSilent
    ? { ...stated, type: 'RollingUpdate', rollingUpdate: partOf(stated, 'rollingUpdate') }
    : stated;
  return when(
    ({ type }) => type === 'RollingUpdate',
    inside('rollingUpdate', preset({ partition: 0 })),
  )(typed);
};

const claim: Edit = all(
  (object) => ({ kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...object }),
  storedClaim,
  ensured('metadata'),
);

export const statefulSet: KindRules = {
  defaults: all(
    ensured(
      'spec',
      all(
        preset({ podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 }),
        ensured('updateStrategy', strategy),
        ensured(
          'persistentVolumeClaimRetentionPolicy',
          preset({ whenDeleted: 'Retain', whenScaled: 'Retain' }),
        ),
        (spec) => ({ serviceName: '', ...spec }),
        ensured('template', podTemplate),
        each('volumeClaimTemplates', claim),
      ),
    ),
    ensured(
      'status',
      all(
        preset({ replicas: 0, availableReplicas: 0 }),
        withoutNoughts('currentReplicas'),
        timed('lastTransitionTime'),
      ),
    ),
  ),
  status: { replicas: 0, availableReplicas: 0 },
  counts: ['spec'],
  name: dnsLabel,
  checks: (at) => checkedSpec(child(at, 'spec')),
  checksOfNew: (at) => [
    ...says(dnsLabelOrNone)(child(at, 'spec', 'serviceName')),
    ...items(child(at, 'spec'), 'volumeClaimTemplates').flatMap((each) =>
      claimErrors(child(each, 'spec')),
    ),
  ],
  statusChecks: partsOfReplicas(
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    'status.readyReplicas',
  ),
  changes: (next, before) => checkedChange(child(next, 'spec'), specOf(before)),
  warnings: (next, before) => [
    ...templateWarnings(next, before),
    ...items(child(root(next), 'spec'), 'volumeClaimTemplates').flatMap((each) =>
      claimWarnings({
        path: before === undefined ? each.path : `${each.path}.Spec`,
        value: child(each, 'spec').value,
      }),
    ),
    ...((numberOf(specOf(next), 'revisionHistoryLimit') ?? 0) < 0 ? [endless] : []),
  ],
  subresources: { scale: scale(({ selector }) => selector) },
};

const endless =
  'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';

function dnsLabelOrNone(name: string): readonly string[] {
  return name === '' ? [] : dnsLabel(name);
}

function checkedSpec(spec: Place): Errors {
  const management = child(spec, 'podManagementPolicy');
  const retention = child(spec, 'persistentVolumeClaimRetentionPolicy');
  return [
    ...(['OrderedReady', 'Parallel'].includes(text(management))
      ? none
      : [invalid(management, "must be 'OrderedReady' or 'Parallel'")]),
    ...checkedStrategy(child(spec, 'updateStrategy')),
    ...['whenDeleted', 'whenScaled'].flatMap((key) =>
      oneOf(child(retention, key), ['Retain', 'Delete']),
    ),
    ...checkedReplicas(spec),
    ...checkedCounts(spec, ['minReadySeconds']),
    ...notNegative({ ...child(spec, 'ordinals', 'start'), path: `${spec.path}.ordinals.start` }),
    ...checkedOwnSelector(spec, 'statefulset'),
    ...checkedOwnTemplate(withClaims(spec), 'StatefulSet', ''),
  ];
}

/** Each claim is a volume of the same name, whatever else has that name. */
function withClaims(spec: Place): Place {
  const template = child(spec, 'template');
  const names = itemsOf(object(spec), 'volumeClaimTemplates').map((each) =>
    textOf(metadataOf(each), 'name'),
  );
  if (names.length === 0) return spec;
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const pod = specOf(object(template));
  const others = itemsOf(pod, 'volumes').filter((each) => !names.includes(textOf(each, 'name')));
  const whole = put(object(template), 'spec', { ...pod, volumes: [...claims, ...others] });
  return { ...spec, value: put(object(spec), 'template', whole) };
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

const why =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function checkedChange(spec: Place, before: JsonObject): Errors {
  return sameJson(fixedOf(object(spec)), fixedOf(before)) ? none : [forbidden(spec, why)];
}

function fixedOf(spec: JsonObject): JsonObject {
  return changeable.reduce<JsonObject>((soFar, key) => put(soFar, key, undefined), spec);
}
