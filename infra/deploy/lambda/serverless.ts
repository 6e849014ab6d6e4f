import type { Definition } from '#shared/define.ts';
import { paths } from '#shared/domain/installation.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { configFile, statedSettings } from '../configuration.ts';
import { type Plan, sorted } from '../plan.ts';
import { yamlInOrder } from '../yaml.ts';
import { queueName, queues } from './queues.ts';
import { isOnCluster, roleName, roles } from './roles.ts';
import { batchSize, timeoutSeconds } from './timeout.ts';
import { option, secret } from './variables.ts';

const heading = `# Made by \`gatehouse render --target lambda\`; a test fails when it differs from the functions' definitions.
# Each function's artifact is its bundle, by \`npm run build\`.
#
# Two secrets of AWS Secrets Manager must be there before the deployment, which puts them into the functions' environment:
#   gatehouse/STAGE/database    {"url": "postgres://…"}: DATABASE_URL, of functions that a queue wakes
#   gatehouse/STAGE/kubeconfig  the text of a kubeconfig of at most 3 KB: GATEHOUSE_KUBECONFIG, of functions that ask the cluster.
#                               Address and CA of the API server, and a token of the account that \`gatehouse render
#                               --target lambda --host …\` makes: \`kubectl create token gatehouse-lambda --duration …\`
# Deploy again when one of them changes, and before the token ends. The routes are open, as API servers have no AWS credentials;
# who wants to know the caller puts a custom domain with mutual TLS before them. The certificates are AWS's, so no function renews any.
`;

/** The functions that make sense there. */
export function lambdaFunctions(definitions: readonly Definition[]): readonly Definition[] {
  return sorted(definitions.filter(({ capability }) => capability !== 'certificates'));
}

export function serverlessYaml(plan: Plan): string {
  const functions = plan.definitions;
  const config = statedSettings(plan.settings);
  const isConfigured = Object.keys(config).length > 0;
  const service = {
    service: 'gatehouse',
    provider: {
      name: 'aws',
      region: option('region', 'eu-central-1'),
      stage: option('stage', 'production'),
      runtime: 'nodejs24.x',
      architecture: 'arm64',
      memorySize: 512,
      logRetentionInDays: 30,
      httpApi: { payload: '2.0', metrics: true },
    },
    package: { individually: true, patterns: ['!**'] },
    functions: Object.fromEntries(
      functions.map((definition) => [
        definition.name,
        lambdaFunction(definition, { plan, isConfigured }),
      ]),
    ),
    resources: { Resources: { ...queues(functions), ...roles(functions) } },
  };
  return `${heading}${yamlInOrder(service)}`;
}

type Setting = { readonly plan: Plan; readonly isConfigured: boolean };

function lambdaFunction(definition: Definition, { plan, isConfigured }: Setting): JsonObject {
  const { name, summary } = definition;
  const bundle = `dist/functions/${name}`;
  const environment = {
    ...(isConfigured ? { GATEHOUSE_CONFIG: configFile } : {}),
    ...(definition.shape === 'reconcile' ? { DATABASE_URL: secret('database', ':url') } : {}),
    ...(isOnCluster(definition, plan) ? { GATEHOUSE_KUBECONFIG: secret('kubeconfig') } : {}),
  };
  return {
    handler: `${bundle}.handler`,
    ...(summary === undefined ? {} : { description: summary }),
    role: roleName(name),
    timeout: timeoutSeconds(definition),
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    package: { patterns: [...codeOf(bundle), ...(isConfigured ? [configFile] : [])] },
    events: eventsOf(definition),
  };
}

/** The entry, its code, and what it loads only when it is asked for. */
function codeOf(bundle: string): readonly string[] {
  return [`${bundle}.mjs`, `${bundle}/*.mjs`, 'dist/functions/parts/*.mjs'];
}

function eventsOf(definition: Definition): readonly Json[] {
  switch (definition.shape) {
    case 'admission':
      return [route('POST', paths.alone(definition.phase, definition.name))];
    case 'endpoint':
      return [
        route('*', definition.trigger.path),
        route('*', `${definition.trigger.path.replace(/\/$/, '')}/{proxy+}`),
      ];
    case 'reconcile':
      return [
        {
          sqs: {
            arn: { 'Fn::GetAtt': [queueName(definition.name), 'Arn'] },
            batchSize,
            functionResponseType: 'ReportBatchItemFailures',
          },
        },
      ];
  }
}

function route(method: string, path: string): JsonObject {
  return { httpApi: { method, path } };
}
