import { checkedMetadata, checkedMetadataChange } from '../kinds/words/metadata.ts';
import { dnsSubdomain } from '../kinds/words/names.ts';
import { child, root } from '../kinds/words/place.ts';
import type { Rules } from '../parts.ts';
import { objectAt } from './definition.ts';

/** Before what the definition says comes what is true of every kind. */
export function withCheckedMetadata(rules: Rules, isClusterWide: boolean): Rules {
  const how = { name: dnsSubdomain, isClusterWide, hasFreeFinalizers: true };
  return {
    ...rules,
    checked(next, before) {
      const at = child(root(next), 'metadata');
      const changed =
        before === undefined ? [] : checkedMetadataChange(at, objectAt(before, 'metadata'));
      return [...changed, ...checkedMetadata(at, how), ...rules.checked(next, before)];
    },
  };
}
