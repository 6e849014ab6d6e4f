import { type LabelSelector, matchesLabels } from '#shared/domain/selector.ts';
import { labelsOf } from '../../access/stated.ts';
import type { GroupVersionKind, Reading } from '../../parts.ts';
import { notFound, type Refusal } from '../../refusal.ts';
import type { Asked, Resource } from './asked.ts';
import { type Hook, type HookRule, isEmpty } from './hook.ts';

/** As what a webhook is called: in the version that its rules name. */
export type Called = {
  readonly hook: Hook;
  readonly resource: Resource;
  readonly kind: GroupVersionKind;
};

/** By rules and selectors; the conditions come after. */
export function calledFor(
  hook: Hook,
  asked: Asked,
  reading: Reading,
): Called | Refusal | undefined {
  const chosen = selectsNamespace(hook.namespaceSelector, asked, reading);
  if (chosen === false || !selectsObject(hook.objectSelector, asked)) return undefined;
  const called = matched(hook, asked);
  // A namespace that is not there matters only to those who are asked at all.
  return called === undefined || chosen === true ? called : chosen;
}

function matched(hook: Hook, asked: Asked): Called | undefined {
  const { resource, kind } = asked;
  if (hook.rules.some((rule) => names(rule, asked, resource))) return { hook, resource, kind };
  if (hook.isExact) return undefined;
  const others = equivalents(asked);
  return hook.rules
    .flatMap((rule) => others.filter((other) => names(rule, asked, other.resource)))
    .map((other) => ({ hook, ...other }))[0];
}

type Equivalent = Pick<Called, 'resource' | 'kind'>;

/** Another version of the same; events alone are served in two groups. */
function equivalents({ what, resource, kind }: Asked): readonly Equivalent[] {
  const versions = what.kind.versions
    .filter((version) => version !== resource.version)
    .map((version) => ({ ...resource, version }));
  const twin = resource.resource === 'events' ? twinGroup[resource.group] : undefined;
  const all =
    twin === undefined ? versions : [...versions, { ...resource, group: twin, version: 'v1' }];
  const isOwnKind = kind.kind === what.kind.kind;
  return all.map((other) => ({
    resource: other,
    // A Scale is a Scale in every version of what it scales.
    kind: isOwnKind ? { ...kind, group: other.group, version: other.version } : kind,
  }));
}

const twinGroup: Readonly<Record<string, string>> = { '': 'events.k8s.io', 'events.k8s.io': '' };

function names(rule: HookRule, { what, namespace }: Asked, asked: Resource): boolean {
  return (
    isInScope(rule.scope, namespace, asked) &&
    has(rule.operations, what.operation) &&
    has(rule.groups, asked.group) &&
    has(rule.versions, asked.version) &&
    rule.resources.some((stated) => namesResource(stated, asked.resource, what.subresource ?? ''))
  );
}

function has(stated: readonly string[], asked: string): boolean {
  return stated.includes('*') || stated.includes(asked);
}

/** `*` is every resource without its subresources, `*` + `/*` is everything. */
function namesResource(stated: string, resource: string, subresource: string): boolean {
  const [name, sub = ''] = stated.split('/');
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource);
}

function isInScope(scope: string, namespace: string, { group, resource }: Resource): boolean {
  if (scope === '*') return true;
  const isCluster = namespace === '' || (group === '' && resource === 'namespaces');
  return scope === 'Cluster' ? isCluster : !isCluster;
}

/** A namespace that is being written is taken by the labels that it is to have. */
function selectsNamespace(
  selector: LabelSelector,
  { what, namespace }: Asked,
  reading: Reading,
): boolean | Refusal {
  const { kind, subresource, operation, object } = what;
  const isNamespace = kind.resource === 'namespaces' && subresource === undefined;
  if (isEmpty(selector) || (namespace === '' && kind.resource !== 'namespaces')) return true;
  if (isNamespace && (operation === 'CREATE' || operation === 'UPDATE')) {
    return matchesLabels(selector, labelsOf(object));
  }
  const found = reading.find('namespaces', { name: namespace });
  if (found === undefined) return notFound({ resource: 'namespaces', group: '', name: namespace });
  return matchesLabels(selector, labelsOf(found));
}

/** Of an update the old state counts too: nobody slips away by taking off his label. */
function selectsObject(selector: LabelSelector, { what }: Asked): boolean {
  if (isEmpty(selector)) return true;
  return [what.object, what.before].some(
    (object) => object !== undefined && matchesLabels(selector, labelsOf(object)),
  );
}

/** Nobody can lock himself out of the configurations themselves. */
export function isExempt({ kind }: Asked): boolean {
  return kind.group === 'admissionregistration.k8s.io' && exempt.has(kind.kind);
}

const exempt: ReadonlySet<string> = new Set(
  ['Mutating', 'Validating'].flatMap((phase) => [
    `${phase}WebhookConfiguration`,
    `${phase}AdmissionPolicy`,
    `${phase}AdmissionPolicyBinding`,
  ]),
);
