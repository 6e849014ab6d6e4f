import { webhookConfigurations } from '../installation.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Operation } from '../json-patch.ts';
import { type Kind, mutatingWebhooks, validatingWebhooks } from '../kind.ts';
import type { KubeObject } from '../kube-object.ts';
import { certificatesIn, fromBase64, isSameBundle, toBase64 } from './pem.ts';
import { isOurs } from './secret.ts';
import type { Observed } from './settling.ts';

/** Every webhook configuration that may be ours. */
export const bundledConfigurations: readonly { readonly kind: Kind; readonly name: string }[] = [
  ...webhookConfigurations.mutating.map((name) => ({ kind: mutatingWebhooks, name })),
  ...webhookConfigurations.validating.map((name) => ({ kind: validatingWebhooks, name })),
];

type Entry = {
  readonly index: number;
  readonly name: string;
  /** As it stands there; `undefined` where there is none. */
  readonly stated: string | undefined;
  readonly bundle: string;
};

/** Of what was asked for, those that are there and ours to keep. */
export function ownConfigurations(
  found: readonly (KubeObject | undefined)[],
): readonly KubeObject[] {
  return found.filter(
    (configuration) => configuration !== undefined && isOurs(configuration),
  ) as readonly KubeObject[];
}

/** Which entries do not carry what `carries` asks for, and what all of it was seen at. */
export function observe(
  configurations: readonly KubeObject[],
  names: readonly string[],
  carries: (authorities: readonly string[]) => boolean,
): Observed {
  const lacking = configurations.flatMap((configuration) =>
    entriesOf(configuration, names)
      .filter(({ bundle }) => !carries(certificatesIn(bundle)))
      .map(({ name }) => `${configuration.metadata.name}/${name}`),
  );
  return { lacking, version: configurations.map(versionOf).join(' ') };
}

/** The generation moves with the entries only, not with labels. */
function versionOf({ kind, metadata }: KubeObject): string {
  const version = metadata['generation'] ?? metadata.resourceVersion;
  return `${kind}/${metadata.name}/${metadata.uid}/${version}`;
}

export type BundleOperation =
  | Operation
  | { readonly op: 'test'; readonly path: string; readonly value: Json };

export type BundlePlan = {
  readonly target: { readonly kind: Kind; readonly name: string };
  readonly operations: readonly BundleOperation[];
  /** What was looked at: with another version, the plan is void. */
  readonly resourceVersion: string | undefined;
};

/** One write for each configuration that differs; none while nobody knows a CA. */
export function planBundles(
  configurations: readonly KubeObject[],
  authorities: readonly string[],
  names: readonly string[],
): readonly BundlePlan[] {
  if (authorities.length === 0) return [];
  return bundledConfigurations.flatMap((target) => {
    const found = configurations.find((each) => isThat(each, target));
    const operations = found === undefined ? [] : mend(found, authorities.join(''), names);
    const resourceVersion = found?.metadata.resourceVersion;
    return operations.length === 0 ? [] : [{ target, operations, resourceVersion }];
  });
}

function isThat({ kind, metadata }: KubeObject, target: BundlePlan['target']): boolean {
  return kind === target.kind.kind && metadata.name === target.name;
}

/** Only `caBundle`, only where it differs, and only if the entry still is what it was when we looked. */
function mend(
  configuration: KubeObject,
  bundle: string,
  names: readonly string[],
): readonly BundleOperation[] {
  const value = toBase64(bundle);
  return entriesOf(configuration, names)
    .filter((entry) => !isSameBundle(entry.bundle, bundle))
    .flatMap(({ index, name, stated }): readonly BundleOperation[] => {
      const path = `/webhooks/${index}/clientConfig/caBundle`;
      const isStill: BundleOperation = { op: 'test', path: `/webhooks/${index}/name`, value: name };
      return stated === undefined
        ? [isStill, { op: 'add', path, value }]
        : [isStill, { op: 'test', path, value: stated }, { op: 'replace', path, value }];
    });
}

/**
 * The entries that are answered with our leaf: those that name a Service, and those whose URL names a host of the leaf.
 * Any other URL (Lambda's HTTP API) has a certificate of somebody else: a bundle of ours would break it.
 */
function entriesOf(configuration: KubeObject, names: readonly string[]): readonly Entry[] {
  const webhooks = configuration['webhooks'];
  if (!Array.isArray(webhooks)) return [];
  return webhooks.flatMap((webhook: Json, index) => {
    const { name, clientConfig }: JsonObject = isJsonObject(webhook) ? webhook : {};
    if (typeof name !== 'string' || !isJsonObject(clientConfig)) return [];
    if (!isAnsweredByUs(clientConfig['url'], names)) return [];
    const { caBundle } = clientConfig;
    const stated = typeof caBundle === 'string' ? caBundle : undefined;
    return [{ index, name, stated, bundle: fromBase64(stated ?? '') }];
  });
}

function isAnsweredByUs(url: Json | undefined, names: readonly string[]): boolean {
  if (typeof url !== 'string') return true;
  const [, host = ''] = /^https:\/\/(\[[^\]]+\]|[^/:]+)/.exec(url) ?? [];
  return names.includes(host.replace(/^\[|\]$/g, ''));
}
