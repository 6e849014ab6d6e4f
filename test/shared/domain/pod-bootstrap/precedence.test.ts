import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { decideFeatures } from '#shared/domain/pod-bootstrap/precedence.ts';
import { all, bundle, documentOf, fips, landscape, pullSecret, registry } from './bootstrapping.ts';

const base = { overrides: {}, availableFeatures: [fips, bundle], defaultMode: 'optIn' };

type Given = {
  readonly pod?: JsonObject;
  readonly ns?: JsonObject;
  readonly document?: JsonObject;
  readonly namespace?: string;
};

function configured(document: JsonObject = {}) {
  const { podBootstrap } = settingsFixed().current();
  return configurationOf(documentOf({ ...base, ...document }), podBootstrap);
}

function decided({ pod = {}, ns = {}, document, namespace = 'kyma-system' }: Given) {
  return decideFeatures(configured(document), {
    annotations: pod,
    namespace: { name: namespace, annotations: ns },
  });
}

function on(given: Given): readonly string[] {
  return [...decided(given).on.keys()];
}

const [f, c] = ['set-fips-mode', 'add-cluster-trust-bundle'];
const byDefault = { namespaceFeatures: { 'kyma-system': [all] } };
const optOut = { defaultMode: 'optOut' };
const forced = { enforced: { 'kyma-system': [fips] } };

describe('a feature', () => {
  it.each<[string, Given, readonly (string | undefined)[]]>([
    ['is off where nobody says anything, in optIn', {}, []],
    ['is on where nobody says anything, in optOut', { document: optOut }, [c, f]],
    ['B3 is on by the default of the namespace', { document: byDefault }, [c, f]],
    ['is off elsewhere than in that namespace', { document: byDefault, namespace: 'other' }, []],
    ['B4 is on by all on the pod', { pod: { [all]: 'true' } }, [c, f]],
    ['B5 is on by its own key on the pod', { pod: { [bundle]: 'true' } }, [c]],
    ['is on by its own key on the namespace', { ns: { [fips]: 'true' } }, [f]],
    ['is on by all on the namespace', { ns: { [all]: 'true' } }, [c, f]],
    [
      'B6 is off by its key on the pod, against the default of the namespace',
      { pod: { [bundle]: 'false' }, document: byDefault },
      [f],
    ],
    [
      'is off by its key on the pod, against its own on the namespace',
      { pod: { [fips]: 'false' }, ns: { [fips]: 'true' } },
      [],
    ],
    [
      'is on by its key on the pod, against its own on the namespace',
      { pod: { [fips]: 'true' }, ns: { [fips]: 'false' } },
      [f],
    ],
    [
      'is on by its key on the pod, against all on the pod',
      { pod: { [fips]: 'true', [all]: 'false' }, document: optOut },
      [f],
    ],
    [
      'B14 is off by its key on the pod, against all on the pod',
      { pod: { [fips]: 'false', [all]: 'true' } },
      [c],
    ],
    [
      'is on by all on the pod, against its own on the namespace',
      { pod: { [all]: 'true' }, ns: { [fips]: 'false' } },
      [c, f],
    ],
    [
      'is off by all on the pod, against all on the namespace',
      { pod: { [all]: 'false' }, ns: { [all]: 'true' } },
      [],
    ],
    [
      'is off by its key on the namespace, against all on the namespace',
      { ns: { [fips]: 'false', [all]: 'true' } },
      [c],
    ],
    [
      'is off by its key on the namespace, against its default',
      { ns: { [fips]: 'false' }, document: byDefault },
      [c],
    ],
    [
      'is off by all on the namespace, against its default and optOut',
      { ns: { [all]: 'false' }, document: { ...byDefault, ...optOut } },
      [],
    ],
    [
      'is on by force, against all and everybody',
      { pod: { [fips]: 'false', [all]: 'false' }, ns: { [all]: 'false' }, document: forced },
      [f],
    ],
    ['is not on by force elsewhere', { document: forced, namespace: 'other' }, []],
    [
      'is off where it is not available, whatever is said',
      { pod: { [registry]: 'true' }, ns: { [all]: 'true' } },
      [c, f],
    ],
    ['B14 is as it is without annotations', { pod: {}, document: byDefault }, [c, f]],
    ['B14 is off for all by all on the pod', { pod: { [all]: 'false' }, document: byDefault }, []],
    [
      'B14 leaves the trust bundle out where it is said to',
      { pod: { [all]: 'true', [bundle]: 'false' } },
      [f],
    ],
    [
      'B7 takes restart-on-change for no word, and goes by the next',
      { pod: { [bundle]: 'restart-on-change' }, document: byDefault },
      [c, f],
    ],
  ])('%s', (_, given, expected) => {
    expect(on(given)).toEqual(expected);
  });

  it.each(['True', '1', 'yes', 'TRUE', ' true', '', 'enabled'])(
    'is not switched on by "%s"',
    (value) => {
      expect(on({ pod: { [fips]: value, [all]: value } })).toEqual([]);
      expect(on({ ns: { [fips]: value, [all]: value } })).toEqual([]);
      expect(on({ pod: { [fips]: value, [all]: value }, document: optOut })).toEqual([c, f]);
    },
  );
});

describe('the defaults of a namespace', () => {
  it.each<[string, JsonObject, string, number]>([
    ['a list with all and more', { namespaceFeatures: { a: [all, fips] } }, 'a', 2],
    ['a list', { namespaceFeatures: { a: [fips] } }, 'a', 1],
    ['a namespace that is not named', { namespaceFeatures: { a: [fips] } }, 'b', 0],
    ['a namespace that objects inherit', { namespaceFeatures: { a: [fips] } }, 'constructor', 0],
    ['none at all', {}, 'a', 0],
  ])('B13 are counted for %s', (_, document, namespace, count) => {
    expect(configured(document).defaults.get(namespace)?.size ?? 0).toBe(count);
  });
});

describe('a warning', () => {
  it.each<[string, Given, string]>([
    [
      'a word that is none',
      { pod: { [fips]: 'yes' } },
      `annotation ${fips} of the pod is ignored: expected "true" or "false", found "yes"`,
    ],
    [
      'a word of the namespace that is none',
      { ns: { [all]: 'on' } },
      `annotation ${all} of namespace kyma-system is ignored: expected "true" or "false", found "on"`,
    ],
    [
      'B7 the withdrawn restart-on-change',
      { pod: { [bundle]: 'restart-on-change' } },
      `annotation ${bundle} of the pod is ignored: expected "true" or "false", found "restart-on-change"`,
    ],
    [
      'a feature that is not available',
      { pod: { [landscape]: 'true' } },
      `annotation ${landscape} of the pod is ignored: this feature is not available`,
    ],
    [
      'a feature that there is not',
      { pod: { 'rt-cfg.kyma-project.io/other': 'true' } },
      'annotation rt-cfg.kyma-project.io/other of the pod is ignored: there is no such feature',
    ],
    [
      'a word against what is enforced',
      { pod: { [fips]: 'false' }, document: forced },
      `${fips} cannot be switched off in this namespace`,
    ],
  ])('is given of %s', (_, given, warning) => {
    expect(decided(given).warnings).toEqual([warning]);
  });

  it.each<[string, Given]>([
    ['all, which upstream takes for inactive', { pod: { [all]: 'true' } }],
    ['a feature switched off that does not run anyway', { pod: { [pullSecret]: 'false' } }],
    ["somebody else's annotations", { pod: { 'app.kubernetes.io/x': 'yes' } }],
  ])('is not given of %s', (_, given) => {
    expect(decided(given).warnings).toEqual([]);
  });
});
