import type { JsonObject } from '#shared/domain/json.ts';
import type { Step } from '../step.ts';

export type Scenario = readonly [title: string, kind: string, steps: readonly Step[]];

export const merge = 'application/merge-patch+json';
export const strategic = 'application/strategic-merge-patch+json';
export const json = 'application/json-patch+json';

export function apply(manager: string, stated: JsonObject, force = false): Step {
  return { how: 'apply', manager, force, stated };
}

export function update(manager: string, stated: JsonObject): Step {
  return { how: 'update', manager, stated };
}

export function patch(contentType: string, sent: unknown, manager = 'patcher'): Step {
  return { how: 'patch', manager, contentType, patch: sent };
}

export function status(step: Step): Step {
  return { ...step, subresource: 'status' };
}

export function data(of: Readonly<Record<string, string>>): JsonObject {
  return { data: of };
}

export const deployment: JsonObject = {
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'x',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
          },
          { name: 'b', image: 'y', args: ['1'] },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    },
  },
};

export function podSpec(spec: JsonObject): JsonObject {
  return { spec: { template: { spec } } };
}

/** Of a Deployment's spec a configuration must state the selector. */
export function mine(spec: JsonObject): JsonObject {
  return { spec: { selector: { matchLabels: { app: 'x' } }, ...spec } };
}
