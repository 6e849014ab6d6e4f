import type { Scenario } from '#infra/emulator/world/every-fault/scenario.ts';
import { evil, good, judgeStated } from './judge-stated.ts';

const mode = 'namespaces.warden.kyma-project.io/validate';
const signed = `a.io/web:1@${good}`;
const images = judgeStated({ 'a.io/web:1': good });

const fileOf = (name: string) =>
  new URL(`../../../functions/image-trust/${name}.ts`, import.meta.url);

function namespace(value: string | undefined, annotations: Readonly<Record<string, string>> = {}) {
  const labels = value === undefined ? {} : { [mode]: value };
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'trusting', labels, annotations },
  };
}

function pod(image: string, runs?: string) {
  const containerStatuses = runs === undefined ? [] : [{ name: 'web', imageID: runs }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'trusting', labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image }] },
    status: { phase: 'Running', containerStatuses },
  };
}

/** Of image trust's reconcile functions, for every fault. */
export const trustScenarios: Readonly<Record<string, Scenario>> = {
  'recheck-pod': {
    functions: [fileOf('recheck-pod')],
    images,
    objects: [namespace('system'), pod('a.io/none:1')],
    steps: {
      'its image is changed to a signed one': (world) => world.apply(pod(signed)),
      'it runs something else': (world) => world.apply(pod(signed, `a.io/web@${evil}`)),
    },
  },
  'follow-namespace': {
    functions: [fileOf('follow-namespace'), fileOf('recheck-pod')],
    images,
    objects: [namespace(undefined), pod(signed)],
    steps: {
      'the namespace is labelled': (world) => world.apply(namespace('system')),
      'it is a user’s, and names no Notary': (world) => world.apply(namespace('user')),
      'it leaves': (world) => world.apply(namespace(undefined)),
    },
  },
};
