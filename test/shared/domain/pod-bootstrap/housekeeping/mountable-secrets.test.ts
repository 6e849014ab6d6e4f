import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { refusesPullSecret } from '#shared/domain/pod-bootstrap/housekeeping/mountable-secrets.ts';

function account(word: string | undefined, more: JsonObject = {}): KubeObject {
  const annotations = word === undefined ? {} : { 'kubernetes.io/enforce-mountable-secrets': word };
  const metadata = { name: 'app', namespace: 'team-a', annotations };
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata, ...more };
}

const pull = [{ name: 'own' }, { name: 'pull' }];

describe('refusesPullSecret', () => {
  it.each<[string, KubeObject | undefined, boolean]>([
    ['that says nothing', account(undefined), false],
    ['that enforces its own', account('true'), true],
    ['that says so as Go reads it', account('1'), true],
    ['that says no', account('false'), false],
    ['that says what Go does not read', account('yes'), false],
    ['that lists it', account('true', { imagePullSecrets: pull }), false],
    ['that lists another one', account('true', { imagePullSecrets: [{ name: 'own' }] }), true],
    ['that lists it among what may be mounted', account('true', { secrets: pull }), true],
    ['whose list is odd', account('true', { imagePullSecrets: [null, 'pull'] }), true],
    ['that is not there', undefined, false],
  ])('is asked of an account %s', (_, of, expected) => {
    expect(refusesPullSecret(of, 'pull')).toBe(expected);
  });
});
