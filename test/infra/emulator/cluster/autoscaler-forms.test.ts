import { describe, expect, it } from 'vitest';
import { emulated, mergePatch } from './emulated.ts';

const { ask, namespace } = await emulated();

const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } },
};
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };

describe('an autoscaler', () => {
  it('loses nothing of the newer version through a write in the older one', async () => {
    const at = (version: string) =>
      `/apis/autoscaling/${version}/namespaces/${space}/horizontalpodautoscalers`;
    const space = await namespace();
    const spec = { scaleTargetRef, maxReplicas: 3, metrics: [cpu(50), memory] };
    await ask(`POST ${at('v2')}`, { body: { metadata: { name: 'a' }, spec } });
    const body = { spec: { targetCPUUtilizationPercentage: 70 } };
    const older = await ask(`PATCH ${at('v1')}/a`, { body, type: mergePatch });
    expect(older.body).toMatchObject({ apiVersion: 'autoscaling/v1', ...body });
    const newer = (await ask(`GET ${at('v2')}/a`)).body;
    expect(newer['spec']).toMatchObject({ ...spec, metrics: [memory, cpu(70)] });
    expect(newer['metadata']).not.toHaveProperty('annotations');
  });

  it('shows what it is to hold, and that nobody measures it', async () => {
    const at = `/apis/autoscaling/v2/namespaces/${await namespace()}/horizontalpodautoscalers`;
    const pods = { metric: { name: 'x' }, target: { type: 'AverageValue', averageValue: '5' } };
    const metrics = [memory, { type: 'Pods', pods }, cpu(50), cpu(60)];
    const spec = { scaleTargetRef, maxReplicas: 3, minReplicas: 2, metrics };
    await ask(`POST ${at}`, { body: { metadata: { name: 'a' }, spec } });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await ask(`GET ${at}/a`, { accept });
    const targets = 'memory: <unknown>/100Mi, <unknown>/5 + 2 more...';
    const [name, reference, ...more] = ['a', 'Deployment/d', targets, '2', 3, 0];
    expect(body['rows']).toMatchObject([{ cells: [name, reference, ...more, expect.any(String)] }]);
  });
});
