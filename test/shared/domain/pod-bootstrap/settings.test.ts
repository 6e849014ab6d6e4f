import { describe, expect, it } from 'vitest';
import { decode, describe as said } from '#shared/domain/decode.ts';
import { documentIn, podBootstrapSettings } from '#shared/domain/pod-bootstrap/settings.ts';
import { fips, registry, shipped } from './bootstrapping.ts';

describe('the settings of pod bootstrap', () => {
  it("are upstream's flags where nothing is said, and no document", () => {
    expect(decode(podBootstrapSettings, undefined)).toEqual({
      ok: true,
      value: {
        configMap: {
          namespace: 'kyma-system',
          name: 'rt-bootstrapper-config',
          key: 'rt-bootstrapper-config.json',
          writers: [],
        },
        document: expect.objectContaining({ overrides: {}, availableFeatures: [] }),
        pullSecret: {
          namespace: 'kyma-system',
          name: 'registry-credentials',
          formerName: 'registry-credentials',
          foreign: 'adopt',
        },
        landscape: '',
        restart: expect.objectContaining({ mode: 'on', restartFor: ['missed', 'staleBundle'] }),
      },
    });
  });

  it.each<[string, object, unknown]>([
    ['one that makes features available', { document: shipped }, shipped.overrides],
    [
      'none that makes nothing available',
      { document: { overrides: { 'a.io': 'b.io' } } },
      undefined,
    ],
    ['none by default', {}, undefined],
  ])('hold a document: %s', (_, stated, overrides) => {
    const result = decode(podBootstrapSettings, stated);
    expect(result.ok && documentIn(result.value)?.overrides).toEqual(overrides);
  });

  it.each<[string, object, string]>([
    [
      'a document with a key that is not known',
      { document: { ...shipped, other: 1 } },
      '$.document.other: there is no such key',
    ],
    [
      'a document that names what is not available',
      {
        document: {
          overrides: {},
          availableFeatures: [fips],
          namespaceFeatures: { a: [registry] },
        },
      },
      'one is not in availableFeatures',
    ],
    [
      'a secret that there cannot be',
      { pullSecret: { name: 'No' } },
      "$.pullSecret.name: expected an object's name",
    ],
    ['a landscape with a space', { landscape: 'a b' }, '$.landscape: expected a name such as NS2'],
  ])('refuse %s', (_, stated, problem) => {
    const result = decode(podBootstrapSettings, stated);
    expect(result.ok ? '' : said(result.problems[0])).toContain(problem);
  });
});
