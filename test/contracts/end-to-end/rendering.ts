import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '#infra/deploy/plan.ts';
import { type Request, render } from '#infra/deploy/render.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type Ask, asker } from '#shared/adapters/cluster/ask.ts';
import { type Login, openSession, type Session } from '#shared/adapters/cluster/login.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { uniqueName, written } from '../list-watch/place.ts';
import { kindOf } from './kind-of.ts';

const builtIn = await builtInDefinitions();

/** What is rendered without a custom resource of somebody else, in a dry run that forgives no field. */
export function renderingContract(whose: string, login: Login): void {
  describe(`what is rendered, before ${whose}`, () => {
    let session: Session;
    let ask: Ask;
    let namespace: string;

    beforeAll(async () => {
      session = await openSession(login);
      ask = asker(session, { deadlineMs: 20_000, maxAnswerBytes: 1e7, userAgent: 'render' });
      // Of nobody else, as the name tells: only there may a function fail closed.
      namespace = uniqueName('gatehouse');
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      written(await ask({ what: 'make', method: 'POST', path: '/api/v1/namespaces', body }));
    });
    afterAll(() => session.close());

    const tried = (object: KubeObject) => {
      const { metadata } = object;
      const { group, version, resource } = kindOf(object);
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const within = metadata.namespace === undefined ? '' : `/namespaces/${namespace}`;
      return ask({
        what: `try ${object.kind} ${metadata.name}`,
        method: 'PATCH',
        path: `${root}${within}/${resource}/${metadata.name}`,
        query: { dryRun: 'All', fieldValidation: 'Strict', fieldManager: 'render', force: 'true' },
        contentType: 'application/apply-patch+yaml',
        // Those of the platform's namespaces are tried in ours.
        body: within === '' ? object : { ...object, metadata: { ...metadata, namespace } },
      });
    };

    it.each<[string, Partial<Request>, Partial<Plan>]>([
      ['kubernetes', {}, {}],
      ['kubernetes with the functions that come along', {}, { definitions: builtIn }],
      [
        'kubernetes, separate, with worker and forwarder',
        { separate: true, database: 'secret' },
        {},
      ],
      ['kubernetes with mounted files and one replica', {}, { certificates: 'files', replicas: 1 }],
      [
        'lambda’s part in the cluster',
        { target: 'lambda', host: 'api.example.com', database: 'secret' },
        {},
      ],
    ])('is taken whole, every field of it known: %s', async (_, changes, plan) => {
      const answers: unknown[] = [];
      const manifests = rendered(namespace, changes, plan);
      for (const object of manifests) {
        const { status, why } = await tried(object);
        answers.push({ is: `${object.kind} ${object.metadata.name}`, ok: status < 300, why });
      }
      expect(answers).toEqual(
        manifests.map(({ kind, metadata }) => {
          return { is: `${kind} ${metadata.name}`, ok: true, why: expect.any(String) };
        }),
      );
    });

    it('is refused for a field that nobody knows', async () => {
      const [service] = rendered(namespace).filter(({ kind }) => kind === 'Service');
      const misspelled = { ...service, spec: { selektor: {}, ports: [{ port: 1 }] } } as KubeObject;
      const { status, why } = await tried(misspelled);
      expect({ status, why }).toEqual({
        status: 500,
        why: expect.stringMatching(/selektor: field not declared in schema$/),
      });
    });
  });
}

function rendered(namespace: string, changes: Partial<Request> = {}, plan: Partial<Plan> = {}) {
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
