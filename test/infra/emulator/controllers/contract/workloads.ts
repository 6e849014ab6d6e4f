import { expect, it } from 'vitest';
import {
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  pods,
  replicaSets,
  statefulSets,
} from '#infra/emulator/controllers/shapes/kinds.ts';
import { isReady } from '#infra/emulator/controllers/shapes/pod.ts';
import type { Kit } from '../kit.ts';
import {
  deploymentOf,
  hasEnded,
  imageOf,
  isAlive,
  isRolledOut,
  jobTemplate,
  podTemplate,
} from '../stated.ts';

/** The kinds that make pods. */
export function workloadCases(kit: Kit): void {
  const { make, fresh, seen, all } = kit;

  it('bring the pods of a deployment to life, spread over the nodes', async () => {
    const namespace = await fresh();
    await make(deployments, namespace, 'web', deploymentOf('web', { replicas: 4 }));
    const deployment = await seen(deployments, namespace, 'web', isRolledOut(4));
    expect(deployment.status).toMatchObject({ updatedReplicas: 4, readyReplicas: 4 });
    const made = await all(pods, namespace);
    expect(new Set(made.map(({ spec }) => spec.nodeName))).toEqual(new Set(['plain-1', 'plain-2']));
    expect(made.every(isReady)).toBe(true);
    expect(made[0]?.status?.containerStatuses?.[0]).toMatchObject({
      image: 'docker.io/library/nginx:1',
      imageID: expect.stringMatching(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/),
      containerID: expect.stringMatching(/^containerd:\/\//),
    });
  });

  it('roll a deployment over to a new template, and number the revisions', async () => {
    const namespace = await fresh();
    await make(deployments, namespace, 'web', deploymentOf('web', { replicas: 3 }));
    await seen(deployments, namespace, 'web', isRolledOut(3));
    const template = podTemplate('web', 'nginx:2');
    await kit.merge(deployments, namespace, 'web', { spec: { template } });
    await seen(deployments, namespace, 'web', isRolledOut(3));
    const images = (await all(pods, namespace)).filter(isAlive).map(imageOf);
    expect(images).toEqual(['nginx:2', 'nginx:2', 'nginx:2']);
    const sets = await all(replicaSets, namespace);
    const revision = 'deployment.kubernetes.io/revision';
    expect(sets.map(({ metadata }) => metadata.annotations?.[revision]).toSorted()).toEqual([
      '1',
      '2',
    ]);
    expect(sets.map(({ spec }) => spec.replicas).toSorted()).toEqual([0, 3]);
  });

  it('run a daemon on every node that it stands', async () => {
    const namespace = await fresh();
    const template = podTemplate('agent', 'agent:1');
    const tolerations = [{ operator: 'Exists' }];
    const spec = { selector: { matchLabels: { app: 'agent' } }, template };
    const everywhere = { ...template, spec: { ...template.spec, tolerations } };
    await make(daemonSets, namespace, 'some', { spec });
    await seen(daemonSets, namespace, 'some', ({ status }) => status?.numberReady === 2);
    await kit.merge(daemonSets, namespace, 'some', { spec: { template: everywhere } });
    const set = await seen(daemonSets, namespace, 'some', ({ status }) => {
      return status?.numberAvailable === 3 && status.updatedNumberScheduled === 3;
    });
    expect(set.status).toMatchObject({ desiredNumberScheduled: 3, numberMisscheduled: 0 });
    const alive = (await all(pods, namespace)).filter(isAlive);
    expect(alive.map((pod) => pod.spec.nodeName).toSorted()).toEqual([
      'picky',
      'plain-1',
      'plain-2',
    ]);
  });

  it('bring up a stateful set one after the other, each under its own name', async () => {
    const namespace = await fresh();
    const template = podTemplate('db', 'db:1');
    const spec = {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template,
    };
    await make(statefulSets, namespace, 'db', { spec });
    await seen(statefulSets, namespace, 'db', ({ status }) => status?.readyReplicas === 3);
    const made = await all(pods, namespace);
    const starts = made.map((pod) => [pod.metadata.name, pod.metadata.resourceVersion]);
    expect(starts.map(([name]) => name)).toEqual(['db-0', 'db-1', 'db-2']);
    expect(made.map((pod) => pod.spec.hostname)).toEqual(['db-0', 'db-1', 'db-2']);
  });

  it('run a job until its completions are reached, and count its pods', async () => {
    const namespace = await fresh();
    const spec = { completions: 3, parallelism: 2, template: jobTemplate() };
    await make(jobs, namespace, 'work', { spec });
    const job = await seen(jobs, namespace, 'work', hasEnded('Complete'));
    expect(job.status).toMatchObject({ succeeded: 3, completionTime: expect.any(String) });
    const made = await all(pods, namespace);
    expect(made.map(({ status }) => status?.phase)).toEqual([
      'Succeeded',
      'Succeeded',
      'Succeeded',
    ]);
    expect(made.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  });

  it('fail a job whose pods fail too often', async () => {
    const namespace = await fresh();
    const template = jobTemplate({ 'emulator.gatehouse.dev/exit-code': '3' });
    await make(jobs, namespace, 'work', { spec: { backoffLimit: 1, template } });
    const job = await seen(jobs, namespace, 'work', hasEnded('Failed'));
    expect(job.status).toMatchObject({ failed: 2 });
    expect(job.status?.conditions?.at(-1)).toMatchObject({ reason: 'BackoffLimitExceeded' });
  });

  it('begin the jobs of a cron job when they are due', async () => {
    const namespace = await fresh();
    const template = { metadata: { labels: { app: 'tick' } }, spec: { template: jobTemplate() } };
    await make(cronJobs, namespace, 'tick', {
      spec: { schedule: '@every 1s', jobTemplate: template },
    });
    const cron = await seen(cronJobs, namespace, 'tick', ({ status }) => {
      return status?.lastSuccessfulTime !== undefined;
    });
    expect(cron.status?.lastScheduleTime).toBeDefined();
    const [job] = await all(jobs, namespace);
    expect(job?.metadata).toMatchObject({
      name: expect.stringMatching(/^tick-\d+$/),
      labels: { app: 'tick' },
    });
  });
}
