import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { render } from '#infra/deploy/render.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { planOf } from '#test/infra/deploy/samples.ts';

type Resource = { readonly Type: string; readonly Properties: JsonObject };

type Packaged = {
  readonly folder: string;
  readonly functions: readonly string[];
  readonly resources: Readonly<Record<string, Resource>>;
};

function codeOf(name: string): readonly string[] {
  const folder = 'dist/functions';
  return [`${folder}/${name}.mjs`, `${folder}/${name}/main.mjs`, `${folder}/parts/part.mjs`];
}

/** Without credentials, and with nothing but the file and the bundles: what osls cannot resolve from those fails. */
async function packaged(serverless: string): Promise<Packaged> {
  const folder = await mkdtemp(join(tmpdir(), 'lambda-'));
  const functions = Object.keys(parse(serverless).functions);
  await writeFile(join(folder, 'serverless.yml'), serverless);
  for (const file of functions.flatMap(codeOf)) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), file);
  }

  execFileSync(process.execPath, [resolve('node_modules/osls/bin/serverless.js'), 'package'], {
    cwd: folder,
    stdio: 'pipe',
    env: { HOME: folder, PATH: '', SLS_TELEMETRY_DISABLED: '1', SLS_NOTIFICATIONS_MODE: 'off' },
  });
  const template = join(folder, '.serverless/cloudformation-template-update-stack.json');
  return { folder, functions, resources: JSON.parse(await readFile(template, 'utf8')).Resources };
}

function ofType({ resources }: Packaged, type: string): readonly JsonObject[] {
  return Object.values(resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
}

function sampled(): string {
  const plan = planOf();
  const rendered = render({
    target: 'lambda',
    plan,
    separate: false,
    database: 'none',
    host: undefined,
  });
  return rendered.kind === 'rendered' ? (rendered.files[0]?.text ?? '') : rendered.why;
}

const samples = await packaged(sampled());

describe.each([
  ['of functions of every shape', samples],
  ['of the repository', await packaged(await readFile('serverless.yml', 'utf8'))],
])('serverless.yml %s', (_, given) => {
  it('is packaged as a Lambda a function, on Node 24', () => {
    const functions = ofType(given, 'AWS::Lambda::Function');

    expect(functions.map(({ FunctionName }) => FunctionName).toSorted()).toEqual(
      given.functions.map((name) => `gatehouse-production-${name}`).toSorted(),
    );
    for (const { Runtime } of functions) expect(Runtime).toBe('nodejs24.x');
  });

  it('is packaged as an archive a function that holds its own code alone', async () => {
    for (const name of given.functions) {
      const archive = await readFile(join(given.folder, '.serverless', `${name}.zip`), 'latin1');
      const entries = [...archive.matchAll(/dist\/functions\/[a-z/-]+\.mjs/g)].map(
        ([path]) => path,
      );

      expect(new Set(entries)).toEqual(new Set(codeOf(name)));
    }
  });

  it('answers each queue with partial failures', () => {
    const mappings = ofType(given, 'AWS::Lambda::EventSourceMapping');

    expect(mappings).not.toEqual([]);
    for (const { FunctionResponseTypes } of mappings) {
      expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    }
  });

  it('refers to nothing that is not there', () => {
    const referred = referencesIn(given.resources);

    expect(referred.filter((name) => !Object.hasOwn(given.resources, name))).toEqual([]);
  });

  it('leaves no variable of osls unresolved, and the secrets to CloudFormation', () => {
    const text = JSON.stringify(given.resources);

    expect(text).not.toMatch(/\$\{(sls|opt|param|self|env|ssm):/);
    expect(text).toContain(
      '{{resolve:secretsmanager:gatehouse/production/database:SecretString:url}}',
    );
  });

  it('gives every function the role that was made for it', () => {
    for (const { FunctionName, Role } of ofType(given, 'AWS::Lambda::Function')) {
      const [role] = isJsonObject(Role) ? Object.values(Role).flat() : [];
      const policies = given.resources[String(role)]?.Properties['Policies'];
      expect(JSON.stringify(policies)).toContain(`/aws/lambda/${FunctionName}:*`);
    }
  });
});

describe('serverless.yml', () => {
  it('routes admission and endpoints', () => {
    const routes = ofType(samples, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);

    expect(routes.toSorted()).toEqual([
      'ANY /console',
      'ANY /console/{proxy+}',
      'POST /mutate/map-images',
      'POST /mutate/stamp-pool',
      'POST /validate/count-pods',
      'POST /validate/require-digest',
    ]);
  });
});

/** Logical names; the pseudo parameters of AWS are always there. */
function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => {
    if (key === 'Ref') return String(below).startsWith('AWS::') ? [] : [String(below)];
    if (key === 'Fn::GetAtt' && Array.isArray(below)) return [String(below[0])];
    return referencesIn(below);
  });
}
