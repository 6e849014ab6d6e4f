import { expect, it } from 'vitest';
import { emulated } from '../emulated.ts';

const { ask, namespace } = await emulated();

// As the real server has answered it.
it('a limit range gives containers what they do not ask for, and notes it', async () => {
  const at = `/api/v1/namespaces/${await namespace()}`;
  const usual = { default: { cpu: '500m', memory: '1Gi' }, defaultRequest: { cpu: '100m' } };
  const spec = { limits: [{ type: 'Container', ...usual }] };
  await ask(`POST ${at}/limitranges`, { body: { metadata: { name: 'l' }, spec } });
  const containers = [
    { name: 'm', image: 'x' },
    { name: 'nn', image: 'x', resources: { requests: { cpu: '50m' } } },
  ];
  const initContainers = [{ name: 'j', image: 'x', resources: { limits: { cpu: '1' } } }];
  const pod = { metadata: { name: 'a' }, spec: { containers, initContainers } };
  const { body } = await ask(`POST ${at}/pods`, { body: pod });
  const limits = { cpu: '500m', memory: '1Gi' };
  expect(body['spec']).toMatchObject({
    containers: [
      { resources: { limits, requests: { cpu: '100m', memory: '1Gi' } } },
      { resources: { limits, requests: { cpu: '50m', memory: '1Gi' } } },
    ],
    initContainers: [
      { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } },
    ],
  });
  const note =
    'LimitRanger plugin set: cpu, memory request for container m; cpu, memory limit for container m; memory request for container nn; cpu, memory limit for container nn; memory request for init container j; memory limit for init container j';
  expect(body['metadata']).toMatchObject({ annotations: { 'kubernetes.io/limit-ranger': note } });
});
