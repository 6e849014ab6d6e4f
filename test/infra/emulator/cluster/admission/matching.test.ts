import { describe, expect, it } from 'vitest';
import { askedBy } from '#infra/emulator/cluster/admission/webhooks/asked.ts';
import { meetsConditions } from '#infra/emulator/cluster/admission/webhooks/conditions.ts';
import { type Hook, openHooks } from '#infra/emulator/cluster/admission/webhooks/hook.ts';
import { calledFor, isExempt } from '#infra/emulator/cluster/admission/webhooks/matching.ts';
import type { Admitting, Attributes } from '#infra/emulator/cluster/parts.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { builtIn } from '#infra/emulator/cluster/served-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks } from '#shared/domain/kind.ts';
import { objectsRead } from '../access/objects-read.ts';
import {
  admitting,
  configMap,
  configuration,
  mapKind,
  namespace,
  namespaceKind,
  pod,
  podKind,
} from './admitting.ts';

const reading = objectsRead(namespace('home', { labels: { zone: 'a' } }));

function hookOf(webhook: JsonObject): Hook {
  const [hook] = openHooks(objectsRead(configuration('Mutating', 'x', webhook)), 'mutating')();
  if (hook === undefined) throw new Error('no webhook');
  return hook;
}

function rule(stated: string, more: JsonObject = {}): JsonObject {
  const [group = '', version = '', resource = ''] = stated.split(' ');
  const rules = {
    apiGroups: [group === 'core' ? '' : group],
    apiVersions: [version],
    resources: [resource],
  };
  return { rules: [{ operations: ['CREATE'], ...rules, ...more }] };
}

function called(webhook: JsonObject, what: Admitting) {
  return calledFor(hookOf(webhook), askedBy(what), reading);
}

const map = admitting(mapKind, configMap({ labels: { app: 'x' } }));
const evicting = admitting(
  podKind,
  { apiVersion: 'policy/v1', kind: 'Eviction' },
  { subresource: 'eviction' },
);
const making = admitting(namespaceKind, namespace('new', { labels: { zone: 'b' } }));
const widgets = {
  group: 'example.com',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
  versions: ['v2', 'v1'],
  isCustom: true,
} as const;
const widget = admitting(widgets, {
  apiVersion: 'example.com/v2',
  kind: 'Widget',
  metadata: { name: 'w' },
});

describe('a webhook is called', () => {
  it.each<[string, JsonObject, Admitting, boolean]>([
    ['for what its rule names', rule('core v1 configmaps'), map, true],
    ['for everything by stars', rule('* * *'), map, true],
    ['for another resource', rule('core v1 pods'), map, false],
    ['for another group', rule('apps v1 configmaps'), map, false],
    ['for another operation', rule('core v1 configmaps', { operations: ['DELETE'] }), map, false],
    ['for subresources by a star for resources', rule('* * *'), evicting, false],
    ['for subresources by two stars', rule('* * */*'), evicting, true],
    ['for subresources of the kind', rule('core v1 pods/*'), evicting, true],
    ['for subresources of every kind', rule('core v1 */eviction'), evicting, true],
    [
      'for the kind itself by its subresources',
      rule('core v1 pods/*'),
      admitting(podKind, pod()),
      true,
    ],
    [
      'for the kind itself by one of them',
      rule('core v1 pods/eviction'),
      admitting(podKind, pod()),
      false,
    ],
    ['for what is in a namespace', rule('core v1 configmaps', { scope: 'Namespaced' }), map, true],
    ['for what is in none', rule('core v1 configmaps', { scope: 'Cluster' }), map, false],
    [
      'for a namespace in no namespace',
      rule('core v1 namespaces', { scope: 'Cluster' }),
      making,
      true,
    ],
    ['for a namespace in one', rule('core v1 namespaces', { scope: 'Namespaced' }), making, false],
  ])('%s, or not', (_, webhook, what, expected) => {
    expect(called(webhook, what) !== undefined).toBe(expected);
  });

  it.each<[string, JsonObject, Admitting, boolean]>([
    ['the namespace', { namespaceSelector: { matchLabels: { zone: 'a' } } }, map, true],
    ['another namespace', { namespaceSelector: { matchLabels: { zone: 'b' } } }, map, false],
    [
      'the namespace that is made, by its own labels',
      { ...rule('core v1 namespaces'), namespaceSelector: { matchLabels: { zone: 'b' } } },
      making,
      true,
    ],
    ['the object', { objectSelector: { matchLabels: { app: 'x' } } }, map, true],
    ['another object', { objectSelector: { matchLabels: { app: 'y' } } }, map, false],
    [
      'what the object was',
      { objectSelector: { matchLabels: { app: 'y' } } },
      { ...map, operation: 'UPDATE', before: configMap({ labels: { app: 'y' } }) },
      true,
    ],
  ])('where its selector takes %s', (_, webhook, what, expected) => {
    expect(called(webhook, what) !== undefined).toBe(expected);
  });

  it('with a 404 where the namespace to select by is gone', () => {
    const webhook = { namespaceSelector: { matchLabels: { zone: 'a' } } };
    const what = { ...map, namespace: 'nope' };
    expect(called(webhook, what)).toMatchObject({ code: 404 });
    expect(called({ ...webhook, ...rule('core v1 pods') }, what)).toBeUndefined();
  });

  it('in the version that its rules name, unless it wants the exact one', () => {
    expect(called(rule('example.com v1 widgets'), widget)).toMatchObject({
      resource: { version: 'v1' },
      kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    });
    expect(
      called({ ...rule('example.com v1 widgets'), matchPolicy: 'Exact' }, widget),
    ).toBeUndefined();
    expect(called(rule('example.com * widgets'), widget)).toMatchObject({
      resource: { version: 'v2' },
    });
  });

  it('never for the configurations of webhooks', () => {
    const object = configuration('Mutating', 'x', {});
    expect(isExempt(askedBy(admitting(builtIn(mutatingWebhooks), object)))).toBe(true);
    expect(isExempt(askedBy(map))).toBe(false);
  });
});

/** Alice may get what is called so, and break glass on the map of the request. */
function may(asked: Attributes) {
  if (asked.user.name !== 'alice') return { allowed: false, reason: '' };
  if ('path' in asked) return { allowed: asked.path === '/ok', reason: '' };
  const { verb, group, resource, subresource, name = '' } = asked;
  const breaks = verb === 'break-glass' && resource === 'configmaps' && name === 'x';
  const gets = verb === 'get' && group === 'apps' && subresource === undefined;
  return { allowed: breaks || gets, reason: `as ${resource}/${name}` };
}

describe('the conditions of a webhook', () => {
  const weighing = {
    asked: askedBy(map),
    versioned: { object: configMap({ labels: { app: 'x' } }), before: undefined },
    decide: may,
    request: { operation: 'CREATE', userInfo: { username: 'alice' } },
  };
  const meets = (expressions: readonly string[], more: JsonObject = {}) => {
    const matchConditions = expressions.map((expression) => ({ name: 'c', expression }));
    return meetsConditions(hookOf({ matchConditions, ...more }), weighing);
  };

  it.each([
    [['object.metadata.labels.app == "x"'], true],
    [['request.userInfo.username == "bob"'], false],
    [['oldObject == null', 'request.operation == "CREATE"'], true],
    [['object.nothing.at == 1', 'false'], false],
  ])('%j are met, or not', (expressions, expected) => {
    expect(meets(expressions)).toBe(expected);
  });

  it.each([
    ['authorizer.path("/ok").check("get").allowed()', true],
    ['authorizer.path("/no").check("get").allowed()', false],
    [
      'authorizer.group("apps").resource("deployments").namespace("home").check("get").allowed()',
      true,
    ],
    [
      'authorizer.group("apps").resource("deployments").subresource("scale").check("get").allowed()',
      false,
    ],
    [
      'authorizer.group("apps").resource("deployments").name("d").check("get").reason() == "as deployments/d"',
      true,
    ],
    ['authorizer.requestResource.check("break-glass").allowed()', true],
    ['!authorizer.serviceAccount("home", "robot").path("/ok").check("get").allowed()', true],
    ['authorizer.path("/no").check("get").errored() || object.metadata.labels.app == "y"', false],
  ])('ask the authorizer by %s', (expression, expected) => {
    expect(meets([expression])).toBe(expected);
  });

  it('that cannot be evaluated forbid the request, or leave the webhook out where it may fail', () => {
    expect(meets(['object.nothing.at == 1'])).toMatchObject({
      code: 403,
      body: {
        message:
          'configmaps "x" is forbidden: expression \'object.nothing.at == 1\' resulted in error: no such key: nothing',
      },
    });
    expect(meets(['object.nothing.at == 1'], { failurePolicy: 'Ignore' })).toBe(false);
    expect(isRefusal(meets(['object.noCel(']))).toBe(true);
  });
});
