import { describe, expect, it } from 'vitest';
import checkNamespaceTrust from '#functions/image-trust/check-namespace-trust.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { ask, reviewOf, stage } from '#test/support/admission.ts';
import { mode, url } from '#test/support/image-trust/requiring.ts';

describe('check-namespace-trust', () => {
  const told = async (
    labels: JsonObject,
    annotations: JsonObject = {},
    operation: 'CREATE' | 'UPDATE' = 'CREATE',
  ) => {
    const { app } = await stage({ functions: [checkNamespaceTrust] });
    const object = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'n', labels, annotations },
    };
    const old = operation === 'UPDATE' ? { ...object, metadata: { name: 'n' } } : null;
    const review = reviewOf({ object, old, operation, resource: 'namespaces', namespace: '' });
    return ask(app, '/validate/check-namespace-trust', review);
  };

  it.each<[string, JsonObject, JsonObject, number]>([
    ['that is whole', { [mode]: 'user' }, url, 0],
    [
      'with no Notary and a wrong timeout',
      { [mode]: 'user' },
      { 'namespaces.warden.kyma-project.io/notary-timeout': '3' },
      2,
    ],
    ['in no mode that there is', { [mode]: 'on' }, {}, 1],
    ['without the label', {}, { 'namespaces.warden.kyma-project.io/notary-timeout': '3' }, 0],
  ])(
    'lets a namespace be written %s, and warns of what is broken',
    async (_, labels, annotations, count) => {
      const answer = await told(labels, annotations);
      expect(answer.allowed).toBe(true);
      expect(answer.warnings).toHaveLength(count);
    },
  );

  it.each(['CREATE', 'UPDATE'] as const)('says what becomes of it: %s', async (operation) => {
    const { warnings } = await told({ [mode]: 'user' }, {}, operation);
    expect(warnings).toEqual([
      'namespaces.warden.kyma-project.io/notary-url: notary URL is not set; until it is mended, no pod is admitted here',
    ]);
  });

  it('lets one be written that it cannot read, and says so', async () => {
    const answer = await told({ [mode]: 'user' }, { of: 1 });
    expect(answer).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('check-namespace-trust could not answer')],
    });
  });
});
