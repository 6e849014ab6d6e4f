import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { countedAs, fixedMetadata } from '../kind-rules.ts';
import { itemsOf, metadataOf, partOf, put, specOf, statusOf, textOf } from '../words/edit.ts';
import { forbidden, invalid } from '../words/errors.ts';
import { checkedMetadataChange } from '../words/metadata.ts';
import { child, type Errors, items, none, type Place, root } from '../words/place.ts';
import { isStatic } from './ephemeral.ts';
import { pod as podDefaults } from './pod-defaults.ts';
import { qosClassOf } from './qos-class.ts';
import { checkedPodSpec } from './spec-checks.ts';

const counted = countedAs(['spec']);
const lists = ['containers', 'initContainers'] as const;

/** Takes amounts of running containers, and how they may be changed; drops what else is sent. */
export const resize: Subresource = {
  shape: 'part',
  taken(next, before) {
    const [sent, was] = [specOf(podDefaults(next)), specOf(before)];
    if (lists.some((key) => itemsOf(sent, key).length !== itemsOf(was, key).length)) {
      return { ...next, status: statusOf(before) };
    }
    const spec = lists.reduce((soFar, key) => withAmounts(soFar, sent, key), was);
    return counted({ ...before, metadata: fixedMetadata(next, before), spec }, before);
  },
  checked: (next, before) =>
    isStatic(before)
      ? [forbidden({ path: '', value: null }, 'static pods cannot be resized')]
      : [
          ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
          ...checkedPodSpec(child(root(next), 'spec'), true),
          ...checkedResize(next, before),
        ],
};

function withAmounts(spec: JsonObject, sent: JsonObject, key: string): JsonObject {
  const [old, next] = [itemsOf(spec, key), itemsOf(sent, key)];
  if (old.length === 0) return spec;
  // Whoever renames or sorts them is told so by the check.
  if (old.some((each, at) => textOf(each, 'name') !== textOf(next[at], 'name'))) {
    return put(spec, key, next);
  }
  const merged = old.map((each, at) =>
    put(
      put(each, 'resources', partOf(next[at], 'resources')),
      'resizePolicy',
      next[at]?.['resizePolicy'],
    ),
  );
  return put(spec, key, merged);
}

function checkedResize(next: JsonObject, before: JsonObject): Errors {
  const spec = child(root(next), 'spec');
  const isOtherClass = qosClassOf(next) !== qosClassOf(before);
  const shown = String(statusOf(before)['qosClass'] ?? '');
  const order = lists.flatMap((key) => checkedOrder(spec, specOf(before), key));
  const classes = isOtherClass
    ? [invalid(spec, 'Pod QOS Class may not change as a result of resizing', shown)]
    : none;
  if (order.length > 0) return [...classes, ...order];
  return [
    ...classes,
    ...sidecars(spec, before),
    ...items(spec, 'containers').flatMap((at, index) => checkedAmounts(at, old(before, index))),
  ];
}

function old(before: JsonObject, index: number): JsonObject {
  return itemsOf(specOf(before), 'containers')[index] ?? {};
}

function checkedOrder(spec: Place, was: JsonObject, key: string): Errors {
  const [next, before] = [items(spec, key), itemsOf(was, key)];
  if (next.length !== before.length) {
    return [forbidden(child(spec, key), `${key} may not be added or removed on resize`)];
  }
  return next
    .map((at, index) => [child(at, 'name'), textOf(before[index], 'name')] as const)
    .filter(([name, wasName]) => name.value !== wasName)
    .map(([name]) => forbidden(name, `${key} may not be renamed or reordered on resize`));
}

/** Amounts change, they do not go; and those of cpu and memory alone. */
function checkedAmounts(at: Place, was: JsonObject): Errors {
  const [next, before] = [partOf(container(at), 'resources'), partOf(was, 'resources')];
  const gone = (['requests', 'limits'] as const)
    .filter((key) => Object.keys(partOf(before, key)).some((name) => !(name in partOf(next, key))))
    .map((key) => forbidden(child(at, 'resources', key), `resource ${key} cannot be removed`));
  const isOther = (['requests', 'limits'] as const).some(
    (key) => !sameJson(others(partOf(next, key)), others(partOf(before, key))),
  );
  const isPolicyOther = !sameJson(container(at)['resizePolicy'], was['resizePolicy']);
  const spec = { path: 'spec', value: null };
  return [
    ...gone,
    ...(isOther || isPolicyOther
      ? [forbidden(spec, 'only cpu and memory resources are mutable')]
      : none),
  ];
}

function others({ cpu: _, memory: __, ...more }: JsonObject): JsonObject {
  return more;
}

function container({ value }: Place): JsonObject {
  return specOf({ spec: value ?? {} });
}

function sidecars(spec: Place, before: JsonObject): Errors {
  return items(spec, 'initContainers').flatMap((at, index) => {
    const was = itemsOf(specOf(before), 'initContainers')[index] ?? {};
    if (was['restartPolicy'] === 'Always') return checkedAmounts(at, was);
    const why = 'resources for non-sidecar init containers are immutable';
    return sameJson(at.value, was) ? none : [forbidden({ path: 'spec', value: null }, why)];
  });
}
