import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { accountManifests, admissionRights } from '#infra/deploy/accounts.ts';
import type { Plan } from '#infra/deploy/plan.ts';
import { countPods, planOf, renewCertificate, reportStrays, stampPool, theOne } from './samples.ts';

const linesOf = (changes: Partial<Plan>) =>
  admissionRights(planOf(changes)).map(
    ({ namespace = '*', resource, names, verbs }) =>
      `${namespace} ${resource}${names.length === 0 ? '' : `[${names}]`} ${verbs}`,
  );

const ownLease = 'gatehouse-system leases create,delete,get,patch,update';
const ownSecret = 'gatehouse-system secrets[gatehouse-certificates] get';

describe('the rights of the admission server', () => {
  it('are its Lease and its Secret where functions need nothing', () => {
    expect(linesOf({ definitions: [countPods] })).toEqual([ownSecret, ownLease]);
  });

  it('hold namespaces where a function selects by them', () => {
    expect(linesOf({ definitions: [stampPool] })).toEqual([
      '* namespaces get',
      '* nodes list',
      ownSecret,
      ownLease,
    ]);
  });

  it('are those of all functions together', () => {
    expect(linesOf({ definitions: [reportStrays, renewCertificate] })).toEqual([
      '* nodes list',
      '* pods list',
      '* mutatingwebhookconfigurations[gatehouse] get,patch',
      '* events create,get,patch',
      'gatehouse-system secrets[gatehouse-certificates] get,update',
      'gatehouse-system secrets create',
      ownLease,
    ]);
  });

  it.each(['gardener', 'cert-manager', 'files'] as const)(
    'name no Secret where the certificate comes from %s',
    (certificates) => {
      const lines = linesOf({ definitions: [renewCertificate], certificates });

      expect(lines).toEqual(['* mutatingwebhookconfigurations[gatehouse] get,patch', ownLease]);
    },
  );
});

describe('an account', () => {
  const plan = planOf({ definitions: [stampPool, renewCertificate] });
  const manifests = accountManifests('admission', admissionRights(plan), plan);

  it('is bound in the cluster only to what cannot be narrower', () => {
    expect(stringify(theOne(manifests, 'ClusterRole')['rules'])).toBe(
      stringify([
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
        { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: ['mutatingwebhookconfigurations'],
          resourceNames: ['gatehouse'],
          verbs: ['get', 'patch'],
        },
      ]),
    );
    expect(theOne(manifests, 'Role').metadata.namespace).toBe('gatehouse-system');
    for (const binding of ['ClusterRoleBinding', 'RoleBinding']) {
      expect(theOne(manifests, binding)['subjects']).toEqual([
        { kind: 'ServiceAccount', name: 'gatehouse-admission', namespace: 'gatehouse-system' },
      ]);
    }
  });

  it('is no more than an account where there are no rights', () => {
    expect(accountManifests('idle', [], plan).map(({ kind }) => kind)).toEqual(['ServiceAccount']);
  });

  it('has a Role in each namespace that its rights name', () => {
    const rights = [
      { namespace: 'x', group: '', resource: 'secrets', names: [], verbs: ['get'] },
      { namespace: 'y', group: '', resource: 'secrets', names: [], verbs: ['get'] },
    ];
    const bindings = accountManifests('worker', rights, plan).filter(
      ({ kind }) => kind === 'RoleBinding',
    );

    expect(bindings.map(({ metadata }) => metadata.namespace)).toEqual(['x', 'y']);
    expect(bindings.map((each) => each['subjects'])).toEqual([
      [{ kind: 'ServiceAccount', name: 'gatehouse-worker', namespace: 'gatehouse-system' }],
      [{ kind: 'ServiceAccount', name: 'gatehouse-worker', namespace: 'gatehouse-system' }],
    ]);
  });
});
