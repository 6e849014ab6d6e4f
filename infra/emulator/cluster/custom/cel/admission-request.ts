import type { Environment } from '@marcbachmann/cel-js';
import { newEnvironment } from './environment.ts';
import { registerAuthorizer } from './libraries/authorizer.ts';
import { registerStructure } from './structure.ts';

const types: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'kubernetes.GroupVersionKind': { group: 'string', version: 'string', kind: 'string' },
  'kubernetes.GroupVersionResource': { group: 'string', version: 'string', resource: 'string' },
  'kubernetes.UserInfo': {
    username: 'string',
    uid: 'string',
    groups: 'list<string>',
    extra: 'map<string, list<string>>',
  },
  'kubernetes.AdmissionRequest': {
    kind: 'kubernetes.GroupVersionKind',
    resource: 'kubernetes.GroupVersionResource',
    subResource: 'string',
    requestKind: 'kubernetes.GroupVersionKind',
    requestResource: 'kubernetes.GroupVersionResource',
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: 'kubernetes.UserInfo',
    dryRun: 'bool',
    options: 'dyn',
  },
};

let environment: Environment | undefined;

/** What a condition of a webhook can be about, with what the server knows of it before any request. */
export function admissionEnvironment(): Environment {
  environment ??= Object.entries(types)
    .reduce(
      (soFar, [name, fields]) => registerStructure(soFar, name, fields),
      registerAuthorizer(newEnvironment()),
    )
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', 'kubernetes.AdmissionRequest');
  return environment;
}
