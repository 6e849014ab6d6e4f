import { describe, expect, it } from 'vitest';
import { emulated, mergePatch } from './emulated.ts';

const { ask, namespace } = await emulated();
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';

describe('what is kept here and enforced by nobody is told to whoever writes it', () => {
  const labelled = (profile: string | null, more: object = {}) => ({
    type: mergePatch,
    body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': profile, ...more } } },
  });

  it('a binding of a policy', async () => {
    const body = {
      ...{
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
      },
      metadata: { name: 'a' },
      spec: { policyName: 'a', validationActions: ['Deny'] },
    };
    const { status, headers } = await ask(`POST ${bindings}`, { body });
    expect(status).toBe(201);
    expect(headers.get('warning')).toMatch(/^299 - "this emulated cluster .*enforces neither/);
  });

  it('a profile of a namespace, once', async () => {
    const path = `/api/v1/namespaces/${await namespace()}`;
    const warning = async (call: object) =>
      (await ask(`PATCH ${path}`, call)).headers.get('warning');
    const told = /pod-security.kubernetes.io\/enforce=restricted, and holds no pod to it/;
    expect(await warning(labelled('restricted'))).toMatch(told);
    expect(await warning(labelled('restricted', { other: 'x' }))).toBe(null);
    expect(await warning(labelled('privileged'))).toBe(null);
    expect(await warning(labelled(null))).toBe(null);
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const made = { body: { metadata: { name: 'held', labels } } };
    expect((await ask('POST /api/v1/namespaces', made)).headers.get('warning')).toMatch(told);
  });
});
