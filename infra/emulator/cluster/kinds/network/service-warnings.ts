import { isList, type JsonObject } from '#shared/domain/json.ts';
import { ipWarnings } from '../words/address-warnings.ts';
import { metadataOf, partOf, specOf, textOf } from '../words/edit.ts';
import { child, items, type Place, root } from '../words/place.ts';

const olderHints = 'service.kubernetes.io/topology-aware-hints';

/** What is stored and has no effect, or will have none before long. */
export function serviceWarnings(whole: JsonObject): readonly string[] {
  const spec = specOf(whole);
  const isOlder = olderHints in partOf(metadataOf(whole), 'annotations');
  return [
    ...(isOlder
      ? [
          `annotation ${olderHints} is deprecated, please use service.kubernetes.io/topology-mode instead`,
        ]
      : []),
    ...(isHeadless(spec)
      ? ignoredBy(spec).map((key) => `spec.${key} is ignored for headless services`)
      : []),
    ...addressesIn(whole).flatMap(ipWarnings),
    ...ignoredByType(spec),
    ...(spec['trafficDistribution'] === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function addressesIn(whole: JsonObject): readonly Place[] {
  const spec = child(root(whole), 'spec');
  return [...items(spec, 'externalIPs'), child(spec, 'loadBalancerIP')];
}

function isHeadless(spec: JsonObject): boolean {
  return textOf(spec, 'clusterIP') === 'None' && textOf(spec, 'type') === 'ClusterIP';
}

function ignoredBy(spec: JsonObject): readonly string[] {
  return [
    ...(textOf(spec, 'loadBalancerIP') === '' ? [] : ['loadBalancerIP']),
    ...(hasAddresses(spec) ? ['externalIPs'] : []),
    ...(textOf(spec, 'sessionAffinity') === 'None' ? [] : ['SessionAffinity']),
  ];
}

function hasAddresses({ externalIPs = [] }: JsonObject): boolean {
  return isList(externalIPs) && externalIPs.length > 0;
}

function ignoredByType(spec: JsonObject): readonly string[] {
  if (textOf(spec, 'type') === 'ExternalName') {
    return hasAddresses(spec)
      ? ['spec.externalIPs is ignored when spec.type is "ExternalName"']
      : [];
  }
  const isNamed = textOf(spec, 'externalName') !== '';
  return isNamed ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : [];
}
