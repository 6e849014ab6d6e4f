import { expect, it } from 'vitest';
import { webhookConfigurations } from '#shared/domain/installation.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';

it('every configuration that a function of ours takes over is kept in step with its caBundle', async () => {
  const replaced = (await builtInDefinitions()).flatMap((definition) =>
    definition.shape === 'admission' && definition.replaces !== undefined
      ? [`${definition.phase} ${definition.replaces.configuration}`]
      : [],
  );
  const kept = [
    ...webhookConfigurations.mutating.map((name) => `mutate ${name}`),
    ...webhookConfigurations.validating.map((name) => `validate ${name}`),
  ];
  expect(replaced).toContain('mutate rt-bootstrapper-mutating-webhook-configuration');
  expect(replaced.filter((each) => !kept.includes(each))).toEqual([]);
});
