import fc from 'fast-check';
import type { JsonObject } from '#shared/domain/json.ts';
import { distinct, metadata, some, word, words } from './pieces.ts';
import { podSpecs, pods } from './pods.ts';

const configMaps = some({
  metadata,
  data: fc.oneof(words, fc.constant({})),
  immutable: fc.constant(false),
});

const deployments = (required: boolean) =>
  fc.record(
    {
      metadata,
      spec: fc
        .record(
          {
            replicas: fc.constantFrom(1, 2, 3),
            paused: fc.boolean(),
            strategy: fc.constantFrom<JsonObject[]>(
              { type: 'Recreate', rollingUpdate: null },
              { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
              { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
            ),
            template: podSpecs(required).map((spec) => ({
              metadata: { labels: { app: 'x' } },
              spec,
            })),
          },
          { requiredKeys: required ? ['template'] : [] },
        )
        .map((spec) => ({ ...spec, selector: { matchLabels: { app: 'x' } } })),
    },
    { requiredKeys: ['spec'] },
  ) as fc.Arbitrary<JsonObject>;

const services = fc.record(
  {
    metadata,
    spec: fc.record(
      {
        ports: distinct(
          fc.record(
            {
              port: fc.constantFrom(80, 443, 9),
              protocol: fc.constantFrom('TCP', 'UDP'),
              targetPort: fc.constantFrom<(string | number)[]>('web', 8080),
            },
            { requiredKeys: ['port'] },
          ) as fc.Arbitrary<JsonObject>,
          'port',
          'protocol',
        ).map((ports) =>
          (ports as JsonObject[]).map((port) => ({
            ...port,
            name: `p${port['port']}-${String(port['protocol'] ?? 'TCP').toLowerCase()}`,
          })),
        ),
        selector: words,
        publishNotReadyAddresses: fc.boolean(),
        sessionAffinity: fc.constantFrom('None', 'ClientIP'),
        clusterIP: fc.constant('None'),
      },
      { requiredKeys: ['ports', 'clusterIP'] },
    ),
  },
  { requiredKeys: ['spec'] },
) as fc.Arbitrary<JsonObject>;

const widgets = some({
  metadata,
  spec: some({
    size: fc.constantFrom(1, 2),
    mode: fc.constantFrom('soft', 'hard'),
    ports: distinct(
      fc.record(
        { port: fc.constantFrom(1, 2, 10), protocol: fc.constantFrom('TCP', 'UDP'), name: word },
        { requiredKeys: ['port'] },
      ) as fc.Arbitrary<JsonObject>,
      'port',
      'protocol',
    ),
    tags: fc.uniqueArray(fc.constantFrom('a<b', 'b', 'c"d', 'd'), { maxLength: 3 }),
    args: fc.array(word, { maxLength: 2 }),
    whole: some({ a: word, b: word }),
    free: some({
      a: fc.oneof(word, fc.constant(1)),
      b: words,
      c: fc.array(word),
      d: fc.array(words),
    }),
    parts: words,
    limit: fc.constantFrom<(string | number)[]>(1, '2'),
  }),
});

type Drawn = {
  /** Enough to create one. */
  readonly whole: fc.Arbitrary<JsonObject>;
  readonly part: fc.Arbitrary<JsonObject>;
};

const drawn: Readonly<Record<string, Drawn>> = {
  Deployment: { whole: deployments(true), part: deployments(false) },
  Service: { whole: services, part: services },
  Pod: { whole: pods, part: pods },
  Widget: { whole: widgets, part: widgets },
};

export function drawnOf(kind: string): Drawn {
  return drawn[kind] ?? { whole: configMaps, part: configMaps };
}
