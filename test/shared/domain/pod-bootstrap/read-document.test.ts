import { describe, expect, it } from 'vitest';
import { jsonSchema } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { bootstrapDocument, trustVariables } from '#shared/domain/pod-bootstrap/document.ts';
import { afterReading, nothingHeld } from '#shared/domain/pod-bootstrap/held-document.ts';
import { readDocument } from '#shared/domain/pod-bootstrap/read-document.ts';
import { all, bundle, fips, pullSecret, registry, shipped, trustBundle } from './bootstrapping.ts';

function read(document: JsonObject) {
  return readDocument(JSON.stringify(document));
}

function problemsOf(document: JsonObject): string {
  const result = read(document);
  return result.ok ? '' : result.problems.join('\n');
}

function warningsOf(document: JsonObject): readonly string[] {
  const result = read(document);
  return result.ok ? result.warnings : ['not ok'];
}

describe('the document', () => {
  it('B10 may be minimal and have keys that nobody knows any more', () => {
    const legacy = { imagePullSecretName: 'x', imagePullSecretNamespace: 'y' };
    expect(read({ overrides: { 'a.io': 'b.io' }, ...legacy })).toEqual({
      ok: true,
      document: {
        overrides: { 'a.io': 'b.io' },
        clusterTrustBundle: expect.objectContaining({ name: '' }),
        namespaceFeatures: {},
        availableFeatures: [],
        defaultMode: 'optOut',
        enforced: {},
        pathOverrides: {},
        dockerHubNames: false,
      },
      warnings: [
        '$.imagePullSecretName is ignored: there is no such key',
        '$.imagePullSecretNamespace is ignored: there is no such key',
        '$.availableFeatures is empty: nothing is done',
      ],
    });
  });

  it('has defaults for what is ours of the trust bundle', () => {
    const result = read(shipped);
    expect(result.ok && result.document.clusterTrustBundle).toEqual({
      ...trustBundle,
      resyncInterval: '',
      optional: false,
      mode: 'mount',
      environmentPath: '/etc/trust-bundle',
      variables: trustVariables,
    });
    expect(warningsOf(shipped)).toEqual([]);
  });

  it('may state a mount that begins nowhere, as upstream: the kubelet begins at the root', () => {
    const document = {
      ...shipped,
      clusterTrustBundle: { ...trustBundle, volumeMountPath: 'etc/ssl/certs' },
    };
    expect(warningsOf(document)).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    [
      'all with a catalogue',
      { availableFeatures: [fips], namespaceFeatures: { 'kyma-system': [all] } },
    ],
    ['all without a catalogue', { namespaceFeatures: { 'kyma-system': [all] } }],
    ['a feature without a catalogue', { namespaceFeatures: { 'kyma-system': [fips] } }],
    ['an empty catalogue', { availableFeatures: [], namespaceFeatures: { 'kyma-system': [] } }],
    [
      'nulls as Go writes them',
      { availableFeatures: null, namespaceFeatures: { a: null }, clusterTrustBundle: null },
    ],
  ])('B11 is accepted with %s', (_, more) => {
    expect(read({ overrides: {}, ...more }).ok).toBe(true);
  });

  it.each<[string, JsonObject, string]>([
    ['B12 an unknown feature in the catalogue', { availableFeatures: ['x'] }, 'unknown feature'],
    ['all in the catalogue', { availableFeatures: [all] }, 'unknown feature'],
    [
      'B12 an unknown feature of a namespace',
      { namespaceFeatures: { a: ['x'] } },
      'unknown feature',
    ],
    [
      'B12 a feature that is not in the catalogue',
      { availableFeatures: [fips], namespaceFeatures: { a: [fips, registry] } },
      `$.namespaceFeatures.a[1]: expected a feature that is available (this one is not in availableFeatures), found ${registry}`,
    ],
    [
      'an enforced feature that is not in the catalogue',
      { availableFeatures: [fips], enforced: { a: [registry] } },
      'not in availableFeatures',
    ],
    [
      'an empty name of the bundle',
      { clusterTrustBundle: { ...trustBundle, name: '' } },
      '$.clusterTrustBundle.name: expected a text that is not empty',
    ],
    ['no overrides', { overrides: null }, '$.overrides: expected an object'],
    [
      'an override to nothing',
      { overrides: { 'a.io': '' } },
      '$.overrides.a.io: expected a registry',
    ],
    [
      'an override to a URL',
      { overrides: { 'a.io': 'https://b.io' } },
      '$.overrides.a.io: expected a registry',
    ],
    [
      'a path override of nothing',
      { pathOverrides: { '': 'b.io' } },
      '$.pathOverrides: expected keys',
    ],
    [
      'too many overrides',
      {
        overrides: Object.fromEntries(
          Array.from({ length: 1_001 }, (_, i) => [`r${i}.io`, 'b.io']),
        ),
      },
      '$.overrides: expected at most 1000 entries',
    ],
    [
      'a mode that is none',
      { defaultMode: 'maybe' },
      '$.defaultMode: expected one of optOut, optIn',
    ],
    [
      'a bundle without its path',
      { clusterTrustBundle: { name: 'x', volumeName: 'v', volumeMountPath: '/x' } },
      '$.clusterTrustBundle.certWritePath: expected a text that is not empty',
    ],
    [
      'a volume that no pod could have',
      { clusterTrustBundle: { ...trustBundle, volumeName: 'Not One' } },
      "$.clusterTrustBundle.volumeName: expected a volume's name",
    ],
    [
      'a mount at the root',
      { clusterTrustBundle: { ...trustBundle, volumeMountPath: '/' } },
      "$.clusterTrustBundle.volumeMountPath: expected a folder's path that is not the root",
    ],
    [
      'a mount at the root that is spelled otherwise',
      { clusterTrustBundle: { ...trustBundle, volumeMountPath: 'etc/..' } },
      "$.clusterTrustBundle.volumeMountPath: expected a folder's path that is not the root",
    ],
    [
      'a mount whose path has a colon',
      { clusterTrustBundle: { ...trustBundle, volumeMountPath: 'etc:ssl' } },
      "$.clusterTrustBundle.volumeMountPath: expected a folder's path",
    ],
    [
      'a place of our own that begins nowhere',
      { clusterTrustBundle: { ...trustBundle, environmentPath: 'etc/trust' } },
      '$.clusterTrustBundle.environmentPath: expected an absolute path',
    ],
    [
      'a file outside of its volume',
      { clusterTrustBundle: { ...trustBundle, certWritePath: '../x' } },
      '$.clusterTrustBundle.certWritePath: expected a relative path',
    ],
    [
      'an interval that is none',
      { clusterTrustBundle: { ...trustBundle, resyncInterval: '5' } },
      '$.clusterTrustBundle.resyncInterval: expected a duration',
    ],
  ])('is refused with %s', (_, more, problem) => {
    expect(problemsOf({ overrides: {}, ...more })).toContain(problem);
  });

  it.each([
    ['no JSON', '{', 'it is no JSON object'],
    ['a list', '[]', 'it is no JSON object'],
    ['nothing', '', 'it is no JSON object'],
    ['too much', `{"overrides":{},"x":"${'x'.repeat(1_048_576)}"}`, 'longer than 1048576 letters'],
  ])('is refused where it is %s', (_, source, why) => {
    expect(readDocument(source)).toEqual({ ok: false, problems: [expect.stringContaining(why)] });
  });

  it.each<[string, JsonObject, string]>([
    [
      'another case of letters, as Go reads it',
      { AvailableFeatures: [pullSecret] },
      '$.AvailableFeatures is read as availableFeatures',
    ],
    [
      'an unknown key of the bundle',
      { availableFeatures: [bundle], clusterTrustBundle: { ...trustBundle, signer: 'x' } },
      '$.clusterTrustBundle.signer is ignored: there is no such key',
    ],
    [
      'a bundle that is asked for and not named',
      { availableFeatures: [bundle] },
      '$.clusterTrustBundle is missing, and its feature is available: no bundle is mounted',
    ],
    [
      'a rule that leads on',
      { availableFeatures: [registry], overrides: { 'a.io': 'b.io', 'b.io': 'c.io' } },
      'b.io is never rewritten: a rule leads to its registry, or it is no registry',
    ],
    [
      'a path among the hosts',
      { availableFeatures: [registry], overrides: { 'a.io/x': 'b.io' } },
      'a.io/x is never rewritten: a rule leads to its registry, or it is no registry',
    ],
  ])('is warned of with %s', (_, more, warning) => {
    expect(warningsOf({ overrides: {}, ...more })).toEqual([warning]);
  });

  it('has a schema in JSON', () => {
    expect(jsonSchema(bootstrapDocument)).toMatchObject({
      type: 'object',
      properties: { overrides: {}, clusterTrustBundle: {}, availableFeatures: {} },
    });
  });
});

describe('the document that counts', () => {
  const good = JSON.stringify(shipped);

  it('is the last good one', () => {
    const first = afterReading(nothingHeld, good);
    const then = afterReading(first, '{"overrides":1}');
    expect(then.document).toBe(first.document);
    expect(then.problems).toEqual(['$.overrides: expected an object, found 1']);
    expect(afterReading(then, '{"overrides":{}}')).toMatchObject({
      document: { overrides: {} },
      problems: [],
    });
  });

  it('is none while there was no good one', () => {
    expect(afterReading(nothingHeld, '').document).toBeUndefined();
  });

  it('stays the same object while its text stays the same', () => {
    const first = afterReading(nothingHeld, good);
    expect(afterReading(first, good)).toBe(first);
  });
});
