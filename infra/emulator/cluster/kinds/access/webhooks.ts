import type { KindRules } from '../kind-rules.ts';
import { all, each, ensured, inside, preset } from '../words/edit.ts';
import { checkedHooks } from './webhook-checks.ts';

const hook = all(
  preset({ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 }),
  ensured('namespaceSelector'),
  ensured('objectSelector'),
  ensured('clientConfig', inside('service', preset({ port: 443 }))),
  each('rules', preset({ scope: '*' })),
);

const webhooks: KindRules = {
  counts: ['webhooks'],
  hasFreeFinalizers: true,
  isClusterWide: true,
  checks: checkedHooks,
};

export const validating: KindRules = { ...webhooks, defaults: each('webhooks', hook) };

export const mutating: KindRules = {
  ...webhooks,
  defaults: each('webhooks', all(hook, preset({ reinvocationPolicy: 'Never' }))),
};
