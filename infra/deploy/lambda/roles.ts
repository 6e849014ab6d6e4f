import type { Definition } from '#shared/define.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import type { Plan } from '../plan.ts';
import { rightsOf } from '../rights.ts';
import { deadQueueName, pascal, queueName } from './queues.ts';
import { cloud, stage } from './variables.ts';

/** One role a function: it writes its own log, settles its own queue and buries beside it, and that is all. */
export function roles(functions: readonly Definition[]): JsonObject {
  return Object.fromEntries(functions.map((each) => [roleName(each.name), role(each)]));
}

export function roleName(name: string): string {
  return `${pascal(name)}Role`;
}

function role(definition: Definition): JsonObject {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: policy([
        {
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
          Action: 'sts:AssumeRole',
        },
      ]),
      Policies: [{ PolicyName: definition.name, PolicyDocument: policy(statements(definition)) }],
    },
  };
}

function policy(statement: readonly JsonObject[]): JsonObject {
  return { Version: '2012-10-17', Statement: statement };
}

const onQueue = [
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
  'sqs:SendMessage',
];

function statements({ name, shape }: Definition): readonly JsonObject[] {
  const log = allowing(['logs:CreateLogStream', 'logs:PutLogEvents'], logStreams(name));
  if (shape !== 'reconcile') return [log];

  return [
    log,
    allowing(onQueue, { 'Fn::GetAtt': [queueName(name), 'Arn'] }),
    allowing(['sqs:GetQueueUrl', 'sqs:SendMessage'], {
      'Fn::GetAtt': [deadQueueName(name), 'Arn'],
    }),
  ];
}

function allowing(actions: readonly string[], resource: Json): JsonObject {
  return { Effect: 'Allow', Action: actions, Resource: resource };
}

function logStreams(name: string): JsonObject {
  const group = `/aws/lambda/gatehouse-${stage}-${name}`;
  return {
    'Fn::Sub': `arn:${cloud('Partition')}:logs:${cloud('Region')}:${cloud('AccountId')}:log-group:${group}:*`,
  };
}

/** Whether it has any business with the cluster at all. */
export function isOnCluster(definition: Definition, { settings }: Plan): boolean {
  return rightsOf(definition, settings).length > 0;
}
