import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kustomizeFiles, writeFiles } from '#infra/deploy/files.ts';
import { streamOf } from '#infra/deploy/manifest.ts';
import type { Plan } from '#infra/deploy/plan.ts';
import { type Request, render } from '#infra/deploy/render.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { certManager, serving } from './knative/definitions.ts';
import { asAdmin } from './knative/kubectl.ts';

const namespace = `gatehouse-render-${process.pid}`;
const { run } = asAdmin();
const builtIn = await builtInDefinitions();
const strict = [
  '--server-side',
  '--force-conflicts',
  '--validate=strict',
  '--field-manager=render',
];

function rendered(changes: Partial<Request> = {}, plan: Partial<Plan> = {}) {
  const settings = settingsFixed({ installation: { namespace } }).current();
  const result = render({
    target: 'kubernetes',
    plan: planOf({ settings, compiles: (text) => compileCondition(text).ok, ...plan }),
    separate: false,
    database: 'none',
    host: undefined,
    ...changes,
  });
  if (result.kind === 'refused') throw new Error(result.why);
  return result.manifests;
}

const nameOf = ({ apiVersion, kind, metadata }: KubeObject): string => {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name}`;
};

beforeAll(() => {
  for (const file of [...serving(), ...certManager()]) run(['apply', ...strict, '-f', file]);
  run(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
  run(['create', 'namespace', namespace]);
  // Whoever switches pod-bootstrap on has its document there; a role for it is of that namespace.
  const metadata = { name: 'kyma-system' };
  run(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }));
  // Of every namespace's pods one is checked against it: that the profile takes ours is not only said.
  run(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
});

afterAll(() => {
  for (const file of [...serving(), ...certManager()]) run(['delete', '--wait=false', '-f', file]);
  run(['delete', 'namespace', namespace, '--wait=false']);
});

describe('a real API server', () => {
  it.each<[string, Partial<Request>, Partial<Plan>]>([
    ['kubernetes', {}, {}],
    ['kubernetes with the functions that come along', {}, { definitions: builtIn }],
    ['knative with the functions that come along', { target: 'knative' }, { definitions: builtIn }],
    ['kubernetes, separate, with worker and forwarder', { separate: true, database: 'secret' }, {}],
    ['kubernetes with cert-manager', {}, { certificates: 'cert-manager' }],
    ['kubernetes with mounted files and one replica', {}, { certificates: 'files', replicas: 1 }],
    ['knative', { target: 'knative' }, {}],
    [
      'lambda’s part in the cluster',
      { target: 'lambda', host: 'api.example.com', database: 'secret' },
      {},
    ],
  ])('takes all of %s, and knows every field', (_, changes, plan) => {
    const manifests = rendered(changes, plan);

    const said = run(['apply', '--dry-run=server', ...strict, '-f', '-'], streamOf(manifests));

    expect(said.trim().split('\n').toSorted()).toEqual(
      manifests.map((each) => `${nameOf(each)} serverside-applied (server dry run)`).toSorted(),
    );
  });

  it('takes the same from the written folder, as kustomize reads it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'render-'));
    const manifests = rendered({ target: 'knative' });
    await writeFiles(folder, kustomizeFiles(manifests));

    expect(run(['kustomize', folder]).match(/^kind: /gm)).toHaveLength(manifests.length);
    expect(
      run(['apply', '--dry-run=server', ...strict, '-k', folder])
        .trim()
        .split('\n'),
    ).toHaveLength(manifests.length);
  });

  it('takes a pod of the Deployment where the restricted profile is enforced', () => {
    const manifests = rendered({}, { certificates: 'cert-manager' });
    const priority = manifests.filter(({ kind }) => kind === 'PriorityClass');
    run(['apply', ...strict, '-f', '-'], streamOf(priority));
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    const { template } = JSON.parse(JSON.stringify(deployment?.['spec']));
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      ...template,
      metadata: { ...template.metadata, name: 'gatehouse', namespace },
    };

    expect(run(['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod))).toContain(
      'pod/gatehouse created',
    );
    const [container] = pod.spec.containers;
    const careless = {
      ...pod,
      spec: { ...pod.spec, containers: [{ ...container, securityContext: {} }] },
    };
    expect(
      asAdmin().try(['create', '--dry-run=server', '-f', '-'], JSON.stringify(careless)),
    ).toMatchObject({ ok: false, said: expect.stringContaining('violates PodSecurity') });
  });
});
