import fc from 'fast-check';
import type { JsonObject } from '#shared/domain/json.ts';
import { distinct, metadata, some, word, words } from './pieces.ts';

const envs = distinct(
  fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: word }) as fc.Arbitrary<JsonObject>,
  'name',
);

const containerPorts = distinct(
  fc.record(
    {
      containerPort: fc.constantFrom(80, 443, 9),
      protocol: fc.constantFrom('TCP', 'UDP'),
      hostIP: fc.constantFrom('1.2.3.4', '4.3.2.1'),
    },
    { requiredKeys: ['containerPort'] },
  ) as fc.Arbitrary<JsonObject>,
  'containerPort',
  'protocol',
);

const containers = fc.uniqueArray(
  fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      image: word,
      env: envs,
      ports: containerPorts,
      args: fc.array(word, { maxLength: 2 }),
      resources: some({
        limits: some({ cpu: fc.constantFrom('1', '500m'), memory: fc.constant('1Gi') }),
      }),
      volumeMounts: distinct(
        fc.record({
          name: fc.constant('v'),
          mountPath: fc.constantFrom('/a', '/b'),
        }) as fc.Arbitrary<JsonObject>,
        'mountPath',
      ),
    },
    { requiredKeys: ['name', 'image'] },
  ) as fc.Arbitrary<JsonObject>,
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);

export const podSpecs = (required: boolean) =>
  fc
    .record(
      {
        containers,
        nodeSelector: words,
        tolerations: fc.array(
          fc.record({ key: word, operator: fc.constant('Exists') }) as fc.Arbitrary<JsonObject>,
          { maxLength: 2 },
        ),
        securityContext: some({ runAsUser: fc.constantFrom(1, 2) }),
        affinity: fc.constant({}),
        imagePullSecrets: distinct(fc.record({ name: word }) as fc.Arbitrary<JsonObject>, 'name'),
      },
      { requiredKeys: required ? ['containers'] : [] },
    )
    .map((spec) => ({ ...spec, volumes: [{ name: 'v', emptyDir: {} }] }));

/** Little of a pod may change: its images. */
export const pods = fc.record(
  {
    metadata,
    spec: fc.record({ one: word, other: word }).map(({ one, other }) => ({
      containers: [
        {
          name: 'a',
          image: one,
          ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
        },
        { name: 'b', image: other },
      ],
    })),
  },
  { requiredKeys: ['spec'] },
) as fc.Arbitrary<JsonObject>;
