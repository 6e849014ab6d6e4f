import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { KindRules } from '../kind-rules.ts';
import { podTemplate } from '../pods/pod-defaults.ts';
import { templateWarnings } from '../pods/pod-warnings.ts';
import {
  all,
  type Edit,
  ensured,
  metadataOf,
  partOf,
  preset,
  put,
  specOf,
  timed,
  when,
} from '../words/edit.ts';
import { invalid, required } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, isStated, none, object, type Place, text } from '../words/place.ts';
import { checkedSelector, isEmptySelector, selects } from '../words/selector.ts';
import { unknownStrategy } from './deployment.ts';
import {
  atMostAll,
  checkedCounts,
  checkedEternal,
  checkedIntOrPercent,
  checkedTemplate,
  isNought,
  unmatched,
} from './template.ts';

const rolling: Edit = when(
  ({ type }) => type === 'RollingUpdate',
  ensured('rollingUpdate', preset({ maxUnavailable: 1, maxSurge: 0 })),
);

const noughts = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
} as const;

/** How often the template changed; the API shows it as an annotation, which whoever leaves it out states as nought. */
const templateGeneration = 'deprecated.daemonset.template.generation';

export const daemonSet: KindRules = {
  defaults: all(
    ensured(
      'spec',
      all(
        preset({ revisionHistoryLimit: 10 }),
        ensured('updateStrategy', all(preset({ type: 'RollingUpdate' }), rolling)),
        ensured('template', podTemplate),
      ),
    ),
    ensured('status', all(preset(noughts), timed('lastTransitionTime'))),
    ensured('metadata', ensured('annotations', preset({ [templateGeneration]: '0' }))),
  ),
  status: noughts,
  created: (whole) => withTemplateGeneration(whole, Math.max(1, templateGenerationOf(whole))),
  kept: (next, before) => {
    const was = templateGenerationOf(before);
    const isSame = sameJson(specOf(next)['template'], specOf(before)['template']);
    return withTemplateGeneration(next, isSame ? was : was + 1);
  },
  counts: ['spec'],
  checks: (at) => checkedSpec(child(at, 'spec')),
  statusChecks: (status) =>
    checkedCounts(status, [
      ...Object.keys(noughts),
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ]),
  changes: (next, before) => immutable(child(next, 'spec', 'selector'), specOf(before)['selector']),
  warnings: templateWarnings,
};

function templateGenerationOf(whole: JsonObject): number {
  const stated = partOf(metadataOf(whole), 'annotations')[templateGeneration];
  return Number(stated ?? 1);
}

function withTemplateGeneration(whole: JsonObject, generation: number): JsonObject {
  const metadata = metadataOf(whole);
  const annotations = put(partOf(metadata, 'annotations'), templateGeneration, String(generation));
  return { ...whole, metadata: { ...metadata, annotations } };
}

function checkedSpec(spec: Place): Errors {
  const [selector, template] = [child(spec, 'selector'), child(spec, 'template')];
  const labels = child(template, 'metadata', 'labels');
  const isEmpty = isStated(selector) && isEmptySelector(selector);
  const bad = checkedSelector(selector);
  const isMatch = isEmpty || selects(selector.value, object(labels));
  return [
    ...bad,
    ...(bad.length === 0 && !isMatch ? [unmatched(labels)] : none),
    ...(isEmpty ? [invalid(selector, 'empty selector is invalid for daemonset')] : none),
    ...checkedTemplate(template),
    ...checkedEternal(template, 'DaemonSet'),
    ...checkedCounts(spec, ['minReadySeconds']),
    ...checkedStrategy(child(spec, 'updateStrategy')),
    ...checkedCounts(spec, ['revisionHistoryLimit']),
  ];
}

function checkedStrategy(at: Place): Errors {
  const update = child(at, 'rollingUpdate');
  switch (text(child(at, 'type'))) {
    case 'OnDelete':
      return none;
    case 'RollingUpdate':
      return isStated(update) ? checkedRolling(update) : [required(update)];
    default:
      return [unknownStrategy(at, ['RollingUpdate', 'OnDelete'])];
  }
}

function checkedRolling(at: Place): Errors {
  const [unavailable, surge] = [child(at, 'maxUnavailable'), child(at, 'maxSurge')];
  const both = !isNought(unavailable) && !isNought(surge);
  const neither = isNought(unavailable) && isNought(surge);
  return [
    ...[unavailable, surge].flatMap(checkedIntOrPercent),
    ...[unavailable, surge].flatMap(atMostAll),
    ...(both ? [invalid(surge, 'may not be set when maxUnavailable is non-zero')] : none),
    ...(neither ? [required(unavailable, 'cannot be 0 when maxSurge is 0')] : none),
  ];
}
