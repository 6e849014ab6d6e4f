import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import { inside, nameOf, objects, text, texts } from '../../access/stated.ts';
import type { Reading } from '../../parts.ts';

/** One webhook of a configuration, with what the API server would have defaulted. */
export type Hook = {
  /** Tells webhooks of one name apart. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly rules: readonly HookRule[];
  readonly isExact: boolean;
  readonly isIgnored: boolean;
  readonly isReinvoked: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly conditions: readonly Condition[];
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
};

export type HookRule = {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
};

export type Condition = { readonly name: string; readonly expression: string };

export type Phase = 'mutating' | 'validating';

/** By the names of their configurations, then as they stand in each; read again after a change. */
export function openHooks(reading: Reading, phase: Phase): () => readonly Hook[] {
  const kind = `${phase}webhookconfigurations.admissionregistration.k8s.io`;
  let known: readonly Hook[] | undefined;
  reading.onChange(kind, () => {
    known = undefined;
  });
  return () => {
    known ??= reading
      .list(kind)
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      .flatMap(hooksIn);
    return known;
  };
}

function hooksIn(configuration: JsonObject): readonly Hook[] {
  return objects(configuration['webhooks']).map((webhook, at) => ({
    id: `${nameOf(configuration)}/${at}`,
    name: text(webhook['name']),
    clientConfig: inside(webhook['clientConfig']),
    rules: objects(webhook['rules']).map(ruleOf),
    isExact: webhook['matchPolicy'] === 'Exact',
    isIgnored: webhook['failurePolicy'] === 'Ignore',
    isReinvoked: webhook['reinvocationPolicy'] === 'IfNeeded',
    namespaceSelector: selectorOf(inside(webhook['namespaceSelector'])),
    objectSelector: selectorOf(inside(webhook['objectSelector'])),
    conditions: objects(webhook['matchConditions']).map(conditionOf),
    sideEffects: text(webhook['sideEffects']),
    timeoutSeconds: typeof webhook['timeoutSeconds'] === 'number' ? webhook['timeoutSeconds'] : 10,
    reviewVersions: texts(webhook['admissionReviewVersions']),
  }));
}

function ruleOf(rule: JsonObject): HookRule {
  return {
    operations: texts(rule['operations']),
    groups: texts(rule['apiGroups']),
    versions: texts(rule['apiVersions']),
    resources: texts(rule['resources']),
    scope: text(rule['scope']) || '*',
  };
}

function conditionOf({ name, expression }: JsonObject): Condition {
  return { name: text(name), expression: text(expression) };
}

/** The API server has checked its shape when it was written. */
function selectorOf({ matchLabels, matchExpressions }: JsonObject): LabelSelector {
  return {
    ...(isJsonObject(matchLabels) && { matchLabels }),
    ...(isList(matchExpressions) && { matchExpressions }),
  } as LabelSelector;
}

export function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
