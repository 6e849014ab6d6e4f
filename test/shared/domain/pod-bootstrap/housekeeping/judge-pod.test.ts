import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { bootstrapPod } from '#shared/domain/pod-bootstrap/bootstrap.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { housedPod } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import { judgePod, type Wanted } from '#shared/domain/pod-bootstrap/housekeeping/judge-pod.ts';
import {
  all,
  bundle,
  bundleHash,
  documentOf,
  fips,
  landscape,
  modified,
  podRead,
  provenance,
  pullSecret,
  registry,
  shipped,
} from '../bootstrapping.ts';
import { stored, wantedBy } from './samples.ts';

const document = { ...shipped, defaultMode: 'optOut', availableFeatures: [registry, bundle, fips] };
const wanted = wantedBy(document);

/** As the webhook makes it. */
function made(object: KubeObject, by: Wanted = wanted): KubeObject {
  const { configuration, namespace, trustBundle } = by;
  const facts = { request: { kind: 'create' }, namespace, trustBundle } as const;
  const verdict = bootstrapPod(podRead(object), configuration, facts);
  return verdict.kind === 'patch' ? (applyPatch(object, verdict.changes) as KubeObject) : object;
}

function judged(object: KubeObject, by: Wanted = wanted) {
  const pod = housedPod(object);
  if (pod === undefined) throw new Error('unreadable');
  return judgePod(pod, by);
}

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...object.metadata.annotations, ...annotations },
    },
  };
}

const older: Wanted = { ...wanted, trustBundle: { kind: 'present', hash: 'hash-1' } };
const otherLandscape = wantedBy({ ...document, availableFeatures: [registry, bundle] });
const withoutBundle = wantedBy({ ...document, availableFeatures: [registry, fips] });
const unread: Wanted = { ...wanted, trustBundle: { kind: 'unknown' } };
const noOverrides = wantedBy({ ...document, overrides: {} });
const elsewhere = wantedBy({ ...document, enforced: { 'team-b': [all] } });
/** What the API server adds to what nobody states. */
const filledIn = (object: KubeObject): KubeObject =>
  JSON.parse(JSON.stringify(object), (_, value: JsonObject) =>
    value?.['projected'] === undefined
      ? value
      : { ...value, projected: { ...(value['projected'] as JsonObject), defaultMode: 420 } },
  );

const atTarget = { spec: { containers: [{ name: 'web', image: 'localhost:5001/web:1' }] } };

/** As a template has them into which somebody has copied a pod's metadata, of a pod made while the webhook was away. */
function withMarksOf(marked: KubeObject, more: Parameters<typeof stored>[0] = {}): KubeObject {
  return annotated(stored(more), marked.metadata.annotations ?? {});
}

/** By a webhook that is called after ours. */
function withProxy(object: KubeObject): KubeObject {
  const { containers = [], ...spec } = object['spec'] as JsonObject;
  const added = { name: 'proxy', image: 'replace.me/proxy:1' };
  return { ...object, spec: { ...spec, containers: [...(containers as []), added] } };
}

/** Its annotations leave no room for any mark. */
const full = { metadata: { annotations: { own: 'x'.repeat(262_144 - 3), [bundle]: 'true' } } };

const registryAlone = wantedBy({ ...document, availableFeatures: [registry] });
const secretAlone = wantedBy({ ...document, availableFeatures: [pullSecret] });
const landscapeAlone = wantedBy({ ...document, availableFeatures: [landscape] });
const own = { spec: { containers: [{ name: 'web', image: 'own.test/web:1' }] } };

describe('judgePod', () => {
  it.each<[string, KubeObject, readonly string[], Wanted?]>([
    ['finds nothing in what the webhook has made', made(stored()), []],
    ['finds nothing in it once the API server has filled it in', filledIn(made(stored())), []],
    ['calls missed what nobody has touched', stored(), ['missed']],
    ['calls it missed where no mark has room on it', stored(full), ['missed']],
    ['finds nothing in what came instead, which could not be marked', made(stored(full)), []],
    ['finds nothing in it when the bundle is another one', made(stored(full), older), []],
    [
      'sees in it what another configuration does more',
      made(stored(full), otherLandscape),
      ['missed'],
    ],
    [
      'B18 calls the bundle stale where its hash is another',
      made(stored(), older),
      ['staleBundle'],
    ],
    [
      'B18 calls it stale where no hash is noted',
      annotated(made(stored()), { [bundleHash]: '' }),
      ['staleBundle'],
    ],
    [
      'leaves a pod alone that is opted out',
      stored({ metadata: { annotations: { [all]: 'false' } } }),
      [],
    ],
    [
      'leaves a pod alone whose namespace is',
      stored(),
      [],
      { ...wanted, namespace: { name: 'team-a', annotations: { [all]: 'false' } } },
    ],
    ['takes an image at its target for rewritten', made(stored(atTarget)), []],
    [
      'calls it stale where the configuration now does more',
      made(stored(), otherLandscape),
      ['staleConfiguration'],
    ],
    ['calls it stale where it does less', made(stored()), ['staleConfiguration'], otherLandscape],
    [
      'sees an image that rules now lead elsewhere',
      made(stored(), noOverrides),
      ['staleConfiguration'],
    ],
    ['does not mind another hash alone', made(stored(), elsewhere), []],
    [
      'calls what upstream has changed stale, not missed',
      stored({ ...atTarget, metadata: { annotations: { [modified]: 'true' } } }),
      ['staleConfiguration'],
    ],
    [
      'B18 calls the bundle stale as well where the pod asks for it, or states another hash',
      stored({ ...atTarget, metadata: { annotations: { [modified]: 'true', [bundle]: 'true' } } }),
      ['staleConfiguration', 'staleBundle'],
    ],
    [
      'B18 believes the hash of whoever has noted it',
      stored({
        ...atTarget,
        metadata: { annotations: { [modified]: 'true', [bundleHash]: 'hash-1' } },
      }),
      ['staleConfiguration', 'staleBundle'],
    ],
    [
      'calls no bundle stale in a pod that was made before there was one',
      made(stored(), withoutBundle),
      ['staleConfiguration'],
    ],
    [
      'calls it stale where it was mounted while nobody could read it',
      made(stored(), unread),
      ['staleBundle'],
    ],
    [
      'does not believe what cannot be read',
      stored({ metadata: { annotations: { [provenance]: '{' } } }),
      ['missed'],
    ],
    [
      'knows no hash of a bundle that nobody has read',
      made(stored(), older),
      [],
      { ...wanted, trustBundle: { kind: 'unknown' } },
    ],
  ])('%s', (_, object, reasons, by) => {
    expect(judged(object, by).reasons).toEqual(reasons);
  });

  it.each<[string, KubeObject, readonly string[], Wanted?]>([
    ['of this very configuration', withMarksOf(made(stored())), ['missed']],
    ['of an older one', withMarksOf(made(stored(), otherLandscape)), ['missed']],
    ['of an older bundle', withMarksOf(made(stored(), older)), ['missed']],
    [
      'of the registry alone',
      withMarksOf(made(stored(), registryAlone)),
      ['missed'],
      registryAlone,
    ],
    ['of the pull secret alone', withMarksOf(made(stored(), secretAlone)), ['missed'], secretAlone],
    [
      'of the landscape alone',
      withMarksOf(made(stored(), landscapeAlone), own),
      ['missed'],
      wantedBy({ ...document, availableFeatures: [landscape, fips] }),
    ],
    ['of upstream', stored({ metadata: { annotations: { [modified]: 'true' } } }), ['missed']],
    [
      'of another one, on a pod that is opted out',
      annotated(withMarksOf(made(stored(), otherLandscape)), { [all]: 'false' }),
      [],
    ],
  ])('believes no copied marks %s', (_, object, reasons, by) => {
    expect(judged(object, by)).toMatchObject({ reasons, by: undefined, isOdd: false });
  });

  it.each(['__proto__', 'constructor', 'toString', 'feature-of-a-later-version'])(
    'believes no mark of a feature that nobody knows: %s',
    (feature) => {
      const stated = JSON.stringify({ features: [feature], configuration: 'x' });
      const object = stored({ metadata: { annotations: { [provenance]: stated } } });
      expect(judged(object)).toMatchObject({ reasons: ['missed'], by: undefined });
    },
  );

  it('believes marks of a configuration whose rules nobody knows any more', () => {
    const by = wantedBy({ ...document, availableFeatures: [registry], overrides: {} });
    expect(judged(withMarksOf(made(stored(), by)), registryAlone).reasons).toEqual([
      'staleConfiguration',
    ]);
  });

  const five = [registry, pullSecret, bundle, fips, landscape];
  const told = { ...settingsFixed().current().podBootstrap, landscape: 'NS2' };
  const read = documentOf({ ...document, availableFeatures: five });
  const ofFive = { ...wanted, configuration: configurationOf(read, told) };
  const saying = (annotations: Wanted['namespace']['annotations']): Wanted => ({
    ...ofFive,
    namespace: { name: 'team-a', annotations },
  });

  it.each<[string, Wanted, Wanted, readonly string[]]>([
    ...[registry, pullSecret, fips, landscape].map(
      (feature): [string, Wanted, Wanted, readonly string[]] => [
        `whose namespace has opted back into ${feature}`,
        ...([saying({ [feature]: 'false' }), ofFive, ['missed']] as const),
      ],
    ),
    [
      'whose namespace has opted back into all',
      ...([saying({ [all]: 'false' }), ofFive, ['missed']] as const),
    ],
    [
      'whose namespace has opted back into the bundle and another',
      ...([saying({ [bundle]: 'false', [fips]: 'false' }), ofFive, ['missed']] as const),
    ],
    [
      'whose namespace asks for the bundle now',
      ...([saying({ [bundle]: 'false' }), saying({ [bundle]: 'true' }), ['missed']] as const),
    ],
    [
      'whose namespace says of the bundle nothing any more, as where one becomes available',
      ...([saying({ [bundle]: 'false' }), ofFive, []] as const),
    ],
    [
      'whose bundle becomes available',
      ...([{ ...ofFive, trustBundle: { kind: 'not-projected' } }, ofFive, []] as const),
    ],
  ])('judges a pod of this very configuration, %s, and its replacement is good', (...row) => {
    const [, before, by, reasons] = row;
    const judgement = judged(made(stored(), before), by);
    expect(judgement).toMatchObject({ reasons, isOdd: reasons.length === 0 });
    expect(judgement.lacks.length).toBeGreaterThan(0);
    expect(judged(made(stored(), by), by)).toMatchObject({ reasons: [], lacks: [], isOdd: false });
  });

  it('asks once for a pod anew that another webhook adds a container to', () => {
    const before = withProxy(made(stored(), saying({ [fips]: 'false' })));
    expect(judged(before, ofFive).reasons).toEqual(['missed']);
    const replacement = withProxy(made(stored(), ofFive));
    expect(judged(replacement, ofFive)).toMatchObject({ reasons: [], isOdd: true });
  });

  it('asks for no pod anew whose own containers take no bundle, though one that is added would', () => {
    const volumeMounts = [{ name: 'own', mountPath: '/etc/ssl' }];
    const containers = [{ name: 'web', image: 'replace.me/web:1', volumeMounts }];
    const by = saying({ [bundle]: 'true' });
    const injected = withProxy(made(stored({ spec: { containers } }), by));
    expect(judged(injected, by)).toMatchObject({ reasons: [], isOdd: true });
  });

  it('does not mind ephemeral containers', () => {
    const whole = made(stored());
    const ephemeralContainers = [{ name: 'debug', image: 'replace.me/debug' }];
    const spec = { ...(whole['spec'] as JsonObject), ephemeralContainers };
    expect(judged({ ...whole, spec })).toMatchObject({ reasons: [], lacks: [], isOdd: false });
  });

  it('finds a pod odd that lacks a part of what this very configuration has given it', () => {
    const injected = withProxy(made(stored()));
    expect(judged(injected)).toMatchObject({ reasons: [], isOdd: true });
    expect(judged(injected).lacks.length).toBeGreaterThan(0);
  });

  it.each([
    ['of what was missed', stored(), true],
    ['of who states another hash', made(stored(), older), true],
    ['of who states none', made(stored(), unread), false],
  ])('says whether it is certain %s', (_, object, isEvident) => {
    expect(judged(object).isEvident).toBe(isEvident);
  });

  it('says what is lacking, and why it should be there', () => {
    const lacks = judged(stored(), wantedBy({ ...document, availableFeatures: [fips] })).lacks;
    expect(lacks).toEqual([
      expect.stringMatching(/^\/spec\/containers\/0\/env: FIPS mode is signalled/),
    ]);
  });

  it('is asked by settings that restart for what was missed, and for stale bundles', () => {
    const { restartFor } = settingsFixed().current().podBootstrap.restart;
    expect(restartFor).toEqual(['missed', 'staleBundle']);
  });
});
