import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { sha256 } from '#shared/domain/pod-bootstrap/sha-256.ts';
import { documentOf, shipped, trustBundle } from './bootstrapping.ts';

const { podBootstrap } = settingsFixed().current();

function hash(more: JsonObject = {}, told = {}): string {
  return configurationOf(documentOf({ ...shipped, ...more }), { ...podBootstrap, ...told }).hash;
}

function bundleWith(more: JsonObject): JsonObject {
  return { clusterTrustBundle: { ...trustBundle, ...more } };
}

describe('the hash of a configuration', () => {
  it.each<[string, JsonObject, object]>([
    ['an override', { overrides: { 'a.io': 'b.io' } }, {}],
    ['a default', { defaultMode: 'optOut' }, {}],
    ['a feature', { availableFeatures: [] }, {}],
    ['the bundle', bundleWith({ name: 'other' }), {}],
    ['its mode', bundleWith({ mode: 'environment' }), {}],
    ['the landscape', {}, { landscape: 'CN' }],
    ['the pull secret', {}, { pullSecret: { namespace: 'kyma-system', name: 'other' } }],
  ])('changes with %s', (_, more, told) => {
    expect(hash(more, told)).not.toBe(hash());
  });

  it.each<[string, JsonObject]>([
    [
      'the order of keys',
      { overrides: { 'example.com': 'localhost:5002', 'replace.me': 'localhost:5001' } },
    ],
    [
      'what would be so if nobody said it',
      { enforced: {}, dockerHubNames: false, ...bundleWith({ optional: false }) },
    ],
    ['the pace of looking', bundleWith({ resyncInterval: '1m' })],
    ['a key that nobody knows', { legacy: true }],
  ])('does not change with %s', (_, more) => {
    expect(hash(more)).toBe(hash());
  });
});

describe('the text that is hashed', () => {
  it('holds nothing but what is said, so that a release which knows more keys hashes the same', () => {
    const document = documentOf({ overrides: { 'a.io': 'b.io' } });
    const text =
      '{"bundle":{},"landscape":"","overrides":{"a.io":"b.io"},"pullSecret":"registry-credentials"}';
    expect(configurationOf(document, podBootstrap).hash).toBe(sha256(text));
  });
});

describe('a configuration', () => {
  it('is made once for a document, and anew for other settings', () => {
    const document = documentOf(shipped);
    const first = configurationOf(document, podBootstrap);
    expect(configurationOf(document, podBootstrap)).toBe(first);
    expect(configurationOf(document, { ...podBootstrap, landscape: 'X' }).landscape).toBe('X');
  });
});
