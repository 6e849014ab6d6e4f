import type { JsonObject } from '#shared/domain/json.ts';
import { ipWarnings } from '../words/address-warnings.ts';
import { metadataOf, partOf, specOf, textOf } from '../words/edit.ts';
import { fractions } from '../words/fractions.ts';
import { dnsLabel } from '../words/names.ts';
import {
  child,
  entries,
  isStated,
  items,
  number,
  object,
  type Place,
  root,
  text,
} from '../words/place.ts';
import { oldKey, oldKeys, oldLabels } from './old-labels.ts';
import { overlappingPaths } from './overlapping-paths.ts';
import { portWarnings } from './port-warnings.ts';
import { volumeWarnings } from './volume-warnings.ts';

type Warnings = readonly string[];

/** Of what makes pods, whenever its spec is another. */
export function templateWarnings(
  next: JsonObject,
  before: JsonObject | undefined,
  path: readonly string[] = ['spec', 'template'],
): Warnings {
  const isSame = metadataOf(next)['generation'] === metadataOf(before)['generation'];
  if (before !== undefined && isSame) return [];
  const template = child(root(next), ...path);
  return podWarnings(object(template), `${template.path}.`);
}

/** And where pods are called after it. */
export function makerWarnings(
  next: JsonObject,
  before: JsonObject | undefined,
  path?: readonly string[],
): Warnings {
  const named = before === undefined ? undotted(next, 'Pod names and hostnames') : [];
  return [...named, ...templateWarnings(next, before, path)];
}

/** Nobody is warned by a pod that changes. */
export function newPodWarnings(pod: JsonObject, before: JsonObject | undefined): Warnings {
  return before === undefined
    ? [...undotted(pod, "the Pod's hostname"), ...podWarnings(pod, '')]
    : [];
}

function undotted(whole: JsonObject, used: string): Warnings {
  const complaints = dnsLabel(textOf(metadataOf(whole), 'name'));
  const why = 'which can result in surprising behavior; a DNS label is recommended';
  return complaints.length === 0
    ? []
    : [`metadata.name: this is used in ${used}, ${why}: [${complaints.join(' ')}]`];
}

/** `prefix`: where the pod stands in what is written: nothing, or `spec.template.`. */
function podWarnings(pod: JsonObject, prefix: string): Warnings {
  const spec: Place = { path: `${prefix}spec`, value: specOf(pod) };
  const annotations = partOf(metadataOf(pod), 'annotations');
  const notes: Place = { path: `${prefix}metadata.annotations`, value: annotations };
  const containers = lists.flatMap((key) => items(spec, key));
  return [
    ...oldSelectors(spec),
    ...oldNotes(notes),
    ...items(spec, 'volumes').flatMap(volumeWarnings),
    ...items(spec, 'volumes').flatMap(overlappingPaths),
    ...twice(items(spec, 'hostAliases'), 'ip'),
    ...twice(items(spec, 'imagePullSecrets'), 'name'),
    ...unnamed(items(spec, 'imagePullSecrets')),
    ...fractions(child(spec, 'overhead'), bytes),
    ...unusedProfile(spec, notes, 'seccomp.security.alpha.kubernetes.io/pod'),
    ...containers.flatMap((each) => [
      ...unusedProfile(
        each,
        notes,
        `container.seccomp.security.alpha.kubernetes.io/${nameOf(each)}`,
      ),
      ...fractions(child(each, 'resources', 'limits'), bytes),
      ...fractions(child(each, 'resources', 'requests'), bytes),
      ...hiddenVariables(each),
    ]),
    ...portWarnings(containers),
    ...endless(child(spec, 'terminationGracePeriodSeconds')),
    ...['podAffinity', 'podAntiAffinity'].flatMap((key) =>
      matchingNone(child(spec, 'affinity', key)),
    ),
    ...items(child(spec, 'dnsConfig'), 'nameservers').flatMap(ipWarnings),
    ...items(spec, 'hostAliases').flatMap((each) => ipWarnings(child(each, 'ip'))),
  ];
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'];
const bytes = ['memory', 'ephemeral-storage'];

function nameOf(at: Place): string {
  return text(child(at, 'name'));
}

function oldSelectors(spec: Place): Warnings {
  const affinity = child(spec, 'affinity', 'nodeAffinity');
  const required = child(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  return [
    ...entries(child(spec, 'nodeSelector')).flatMap(([key, { path }]) =>
      oldLabels[key] === undefined ? [] : [`${path}: ${oldLabels[key]}`],
    ),
    ...items(required, 'nodeSelectorTerms').flatMap(oldKeys),
    ...items(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').flatMap((each) =>
      oldKeys(child(each, 'preference')),
    ),
    ...items(spec, 'topologySpreadConstraints').flatMap((each) => [
      ...oldKey(child(each, 'topologyKey')),
      ...unselective(child(each, 'labelSelector')),
    ]),
  ];
}

function matchingNone(affinity: Place): Warnings {
  const required = items(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  const preferred = items(affinity, 'preferredDuringSchedulingIgnoredDuringExecution');
  const terms = [...required, ...preferred.map((each) => child(each, 'podAffinityTerm'))];
  return terms.flatMap((term) => unselective(child(term, 'labelSelector')));
}

function unselective(at: Place): Warnings {
  return isStated(at) ? [] : [`${at.path}: a null labelSelector results in matching no pod`];
}

const oldAnnotations = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
};

function oldNotes(notes: Place): Warnings {
  return Object.entries(oldAnnotations)
    .filter(([key]) => key in object(notes))
    .map(([key, why]) => `${notes.path}[${key}]: ${why}`);
}

function unusedProfile(at: Place, notes: Place, key: string): Warnings {
  const isUsed = isStated(child(at, 'securityContext', 'seccompProfile'));
  return isUsed || !(key in object(notes))
    ? []
    : [`${notes.path}[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

function twice(all: readonly Place[], key: string): Warnings {
  const texts = all.map((each) => text(child(each, key)));
  return all
    .filter((_, at) => texts.indexOf(texts[at] ?? '') < at)
    .map((each) => child(each, key))
    .map((at) => `${at.path}: duplicate ${key} ${JSON.stringify(text(at))}`);
}

function unnamed(all: readonly Place[]): Warnings {
  return all
    .map((each) => child(each, 'name'))
    .filter((at) => text(at) === '')
    .map(({ path }) => `${path}: invalid empty name ""`);
}

/** A later entry of the same name, as long as it does not use the earlier one. */
function hiddenVariables(container: Place): Warnings {
  const env = items(container, 'env');
  const names = env.map(nameOf);
  return env
    .filter((variable, at) => {
      const use = `$(${names[at]})`;
      const value = text(child(variable, 'value'));
      return names.indexOf(names[at] ?? '') < at && (value === use || !value.includes(use));
    })
    .map(
      (variable) =>
        `${variable.path}: hides previous definition of "${nameOf(variable)}", which may be dropped when using apply`,
    );
}

function endless(at: Place): Warnings {
  const why = 'must be >= 0; negative values are invalid and will be treated as 1';
  return number(at) < 0 ? [`${at.path}: ${why}`] : [];
}
