import type { JsonObject } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { type KindRules, sentMetadata } from '../kind-rules.ts';
import { all, ensured, metadataOf, partOf, preset, put, specOf, textOf } from '../words/edit.ts';
import { invalid } from '../words/errors.ts';
import { checkedMetadataChange, checkedShortFinalizer } from '../words/metadata.ts';
import { dnsLabel, qualifiedName } from '../words/names.ts';
import {
  child,
  type Errors,
  isStated,
  items,
  none,
  type Place,
  root,
  text,
} from '../words/place.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/** Its name is a label of it, so that selectors can name it. */
function labelled(namespace: JsonObject): JsonObject {
  const metadata = metadataOf(namespace);
  const name = textOf(metadata, 'name');
  if (name === '') return namespace;
  const labels = put(partOf(metadata, 'labels'), nameLabel, name);
  return { ...namespace, metadata: { ...metadata, labels } };
}

export const namespace: KindRules = {
  defaults: all(labelled, ensured('spec'), ensured('status', preset({ phase: 'Active' }))),
  status: { phase: 'Active' },
  created: (whole) => put(whole, 'spec', { ...specOf(whole), finalizers: finalizersOf(whole) }),
  kept: (next, before) =>
    put(next, 'spec', put(specOf(next), 'finalizers', specOf(before)['finalizers'])),
  name: dnsLabel,
  isClusterWide: true,
  checksOfNew: (at) => {
    const list = child(at, 'spec', 'finalizers');
    return items(child(at, 'spec'), 'finalizers').flatMap(({ value }) =>
      checkedFinalizer({ path: list.path, value }),
    );
  },
  warnings: (next, before) =>
    profilesOf(next)
      .filter(({ label, profile }) => before === undefined || labelOf(before, label) !== profile)
      .map(
        ({ label, profile }) =>
          `this emulated cluster keeps ${label}=${profile}, and holds no pod to it: there is no Pod Security here`,
      ),
  subresources: { finalize: finalize(), status: status() },
};

/** By which no pod is looked at here; `privileged` takes any. */
function profilesOf(namespace: JsonObject) {
  return ['enforce', 'warn']
    .map((mode) => `pod-security.kubernetes.io/${mode}`)
    .map((label) => ({ label, profile: labelOf(namespace, label) }))
    .filter(({ profile }) => profile !== '' && profile !== 'privileged');
}

function labelOf(namespace: JsonObject, label: string): string {
  return textOf(partOf(metadataOf(namespace), 'labels'), label);
}

function finalizersOf(whole: JsonObject): readonly string[] {
  const list = specOf(whole)['finalizers'];
  const stated = Array.isArray(list) ? list.map(String) : [];
  return stated.includes('kubernetes') ? stated : [...stated, 'kubernetes'];
}

function checkedFinalizer(at: Place): Errors {
  return [
    ...qualifiedName(text(at)).map((complaint) => invalid(at, complaint)),
    ...checkedShortFinalizer(at),
  ];
}

/** The last step of a namespace's end: whoever has emptied it takes its finalizer away. */
function finalize(): Subresource {
  return {
    shape: 'part',
    taken: (next, before) => ({
      ...before,
      metadata: sentMetadata(next, before),
      spec: put(specOf(before), 'finalizers', specOf(next)['finalizers']),
    }),
    checked: (next, before) => [
      ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
      ...items(child(root(next), 'spec'), 'finalizers').flatMap(checkedFinalizer),
    ],
  };
}

/** Its phase follows from whether it is being deleted, and nothing else. */
function status(): Subresource {
  return {
    shape: 'part',
    taken: (next, before) => ({
      ...before,
      metadata: sentMetadata(next, before),
      status: partOf(namespaceDefaults(next), 'status'),
    }),
    checked: (next, before) => [
      ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
      ...checkedPhase(root(next)),
    ],
  };
}

function namespaceDefaults(next: JsonObject): JsonObject {
  return ensured('status', preset({ phase: 'Active' }))(next);
}

function checkedPhase(at: Place): Errors {
  const { value } = child(at, 'status', 'phase');
  const phase = { path: 'status.Phase', value };
  const isLeaving = isStated(child(at, 'metadata', 'deletionTimestamp'));
  if (!isLeaving && value !== 'Active') {
    return [invalid(phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return isLeaving && value !== 'Terminating'
    ? [invalid(phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")]
    : none;
}
