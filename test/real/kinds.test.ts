import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  type Answer,
  type Answers,
  answersFile,
  bad,
  type Change,
  causes,
  changed,
  changes,
  good,
  kindOf,
  made,
  merged,
  nameOf,
  normal,
  printed,
  refused,
} from '#test/infra/emulator/cluster/kinds/corpus.ts';
import { type Kube, startKube } from './kube/start.ts';

/** Trust bundles are off by default; the emulated cluster serves them. */
const apiserverArgs = [
  '--feature-gates=ClusterTrustBundle=true,ClusterTrustBundleProjection=true',
  '--runtime-config=certificates.k8s.io/v1beta1=true',
];

let kube: Kube;
let answers: Answers;

beforeAll(async () => {
  kube = await startKube({ apiserverArgs });
  const goodOnes = await Promise.all(good.map(async (each) => [nameOf(each), await create(each)]));
  const badOnes = await Promise.all(bad.map(async (each) => [nameOf(each), await refusal(each)]));
  const changedOnes = await Promise.all(
    changes.map(async (each) => [each.title, await change(each)]),
  );
  answers = {
    good: Object.fromEntries(goodOnes),
    bad: Object.fromEntries(badOnes),
    changes: Object.fromEntries(changedOnes),
  };
});
afterAll(() => kube.stop());

describe('the rules of the built-in kinds, beside a real kube-apiserver', () => {
  it.each(good.map((each) => [nameOf(each), each] as const))('store %s alike', (name, manifest) => {
    expect(normal(made(manifest))).toEqual(answers.good[name]);
  });

  it.each(bad.map((each) => [nameOf(each), each] as const))('refuse %s alike', (name, manifest) => {
    expect(refused(manifest)).toEqual(answers.bad[name]);
  });

  it.each(changes.map((each) => [each.title, each] as const))(
    'take or refuse %s alike',
    (title, each) => {
      const { before = {}, answer } = answers.changes[title] ?? {};
      expect(changed(before, each)).toEqual(answer);
    },
  );

  it('are what the fast tests know of it', async () => {
    await expect(printed(answers)).toMatchFileSnapshot(fileURLToPath(answersFile));
  });
});

function pathOf(manifest: JsonObject): string {
  const { group, resource, namespaced, versions } = kindOf(manifest);
  const root = group === '' ? '/api' : `/apis/${group}`;
  return `${root}/${versions[0]}${namespaced ? '/namespaces/default' : ''}/${resource}`;
}

async function create(manifest: JsonObject): Promise<JsonObject> {
  return normal(await asked(201, 'POST', `${pathOf(manifest)}?dryRun=All`, manifest));
}

async function refusal(manifest: JsonObject): Promise<readonly string[]> {
  const path = `${pathOf(manifest)}?dryRun=All&fieldValidation=Ignore`;
  return causesOf(await asked(422, 'POST', path, manifest));
}

// The body of a Status is the server's.
function causesOf(status: JsonObject): readonly string[] {
  return causes((status as { details: { causes: Parameters<typeof causes>[0] } }).details.causes);
}

async function change({ before, patch, part }: Change) {
  const name = nameOf(before).split(' ').at(-1);
  await asked(201, 'POST', pathOf(before), before);
  const own = `${pathOf(before)}/${name}`;
  const old = await asked(200, 'GET', own);
  const suffix = part === undefined ? '' : `/${part}`;
  const { code, body } = await ask('PUT', `${own}${suffix}?dryRun=All`, merged(old, patch));
  const answer: Answer = code === 200 ? { object: normal(body) } : { causes: causesOf(body) };
  return { before: normal(old), answer };
}

async function asked(code: number, method: string, path: string, body?: unknown) {
  const answer = await ask(method, path, body);
  if (answer.code !== code) {
    throw new Error(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`);
  }
  return answer.body;
}

function ask(method: string, path: string, body?: unknown) {
  return new Promise<{ readonly code: number; readonly body: JsonObject }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${kube.token}`, 'content-type': 'application/json' };
    const sent = request(`${kube.url}${path}`, { method, ca: kube.ca, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
