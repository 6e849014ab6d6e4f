import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lambdaFunctions, serverlessYaml } from '#infra/deploy/lambda/serverless.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { planOf, renewCertificate, reportStrays, samples } from '../samples.ts';

const definitions = lambdaFunctions(samples);
const { functions, resources, provider } = parse(serverlessYaml(planOf({ definitions })));
const { Resources } = resources;

const codeOf = (name: string) => [
  `dist/functions/${name}.mjs`,
  `dist/functions/${name}/*.mjs`,
  'dist/functions/parts/*.mjs',
];

describe('serverless.yml', () => {
  it('holds each function but those that renew certificates, which are AWS’s there', () => {
    expect(Object.keys(functions)).toEqual([
      'count-pods',
      'map-images',
      'report-strays',
      'require-digest',
      'show-console',
      'stamp-pool',
    ]);
  });

  it.each([
    ['stamp-pool', [{ httpApi: { method: 'POST', path: '/mutate/stamp-pool' } }]],
    ['require-digest', [{ httpApi: { method: 'POST', path: '/validate/require-digest' } }]],
    [
      'show-console',
      [
        { httpApi: { method: '*', path: '/console' } },
        { httpApi: { method: '*', path: '/console/{proxy+}' } },
      ],
    ],
    [
      'report-strays',
      [
        {
          sqs: {
            arn: { 'Fn::GetAtt': ['ReportStraysQueue', 'Arn'] },
            batchSize: 5,
            functionResponseType: 'ReportBatchItemFailures',
          },
        },
      ],
    ],
  ])('wakes %s by its trigger', (name, events) => {
    expect(functions[name].events).toEqual(events);
  });

  it('packages for each function its own bundle and nothing else', () => {
    expect(functions['report-strays']).toMatchObject({
      handler: 'dist/functions/report-strays.handler',
      package: { patterns: codeOf('report-strays') },
    });
  });

  it('makes a FIFO queue a reconcile function, and buries there what ten receives did not settle', () => {
    const { ReportStraysQueue: queue, ReportStraysQueueDead: dead } = Resources;

    expect(queue.Properties).toMatchObject({
      FifoQueue: true,
      QueueName: expect.stringMatching(/^gatehouse-\$\{sls:stage\}-report-strays\.fifo$/),
      MessageRetentionPeriod: 1_209_600,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': ['ReportStraysQueueDead', 'Arn'] },
        maxReceiveCount: 10,
      },
    });
    // SQS takes no standard queue as the dead-letter queue of a FIFO one.
    expect(dead.Properties).toMatchObject({ FifoQueue: true, MessageRetentionPeriod: 1_209_600 });
    expect(dead.Properties.QueueName).toMatch(/\.fifo$/);
  });

  it.each(['report-strays-dead', `report-${'s'.repeat(60)}`])(
    'is not written for a function whose queue cannot be there: %s',
    (name) => {
      const two = planOf({ definitions: [reportStrays, { ...reportStrays, name }] });
      expect(() => serverlessYaml(two)).toThrow(/queue[\s\S]*to mend it: /);
    },
  );

  it('hides a message longer than an invocation with it may last', () => {
    const { timeout } = functions['report-strays'];

    expect(timeout).toBeGreaterThanOrEqual((5 * reportStrays.deadlineMs) / 1000);
    expect(Resources.ReportStraysQueue.Properties.VisibilityTimeout).toBe(6 * timeout);
  });

  it('gives secrets only to functions that need them, and only by reference', () => {
    expect(functions['count-pods']).not.toHaveProperty('environment');
    expect(functions['stamp-pool'].environment).toEqual({
      GATEHOUSE_KUBECONFIG: expect.stringMatching(
        /^\{\{resolve:secretsmanager:gatehouse\/\$\{sls:stage\}\/kubeconfig:SecretString\}\}$/,
      ),
    });
    expect(functions['report-strays'].environment.DATABASE_URL).toMatch(
      /^\{\{resolve:secretsmanager:gatehouse\/\$\{sls:stage\}\/database:SecretString:url\}\}$/,
    );
    expect(provider).not.toHaveProperty('environment');
  });

  it('gives each function a role for its own log, its own queue and dead letters, with no star for a resource', () => {
    const statements = (name: string) =>
      Resources[name].Properties.Policies[0].PolicyDocument.Statement;

    expect(statements('StampPoolRole')).toHaveLength(1);
    expect(statements('ReportStraysRole')[1]).toEqual({
      Effect: 'Allow',
      Action: [
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:GetQueueUrl',
        'sqs:ReceiveMessage',
        'sqs:SendMessage',
      ],
      Resource: { 'Fn::GetAtt': ['ReportStraysQueue', 'Arn'] },
    });
    expect(statements('ReportStraysRole')[2]).toEqual({
      Effect: 'Allow',
      Action: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
      Resource: { 'Fn::GetAtt': ['ReportStraysQueueDead', 'Arn'] },
    });
    expect(JSON.stringify(Resources)).not.toContain('"Resource":"*"');
    for (const [name, { role }] of Object.entries<{ role: string }>(functions))
      expect(Resources, name).toHaveProperty(role);
  });

  it('packages the configuration where it differs from the presets', () => {
    const settings = settingsFixed({ nodeAffinity: { weight: 20 } }).current();
    const configured = parse(serverlessYaml(planOf({ definitions, settings })));

    expect(configured.functions['count-pods']).toMatchObject({
      environment: { GATEHOUSE_CONFIG: 'gatehouse.yaml' },
      package: { patterns: [...codeOf('count-pods'), 'gatehouse.yaml'] },
    });
  });

  it('has no function of certificates', () => {
    expect(lambdaFunctions([renewCertificate])).toEqual([]);
  });
});
