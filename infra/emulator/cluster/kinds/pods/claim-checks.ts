import { forbidden, invalid, notSupported, required, says } from '../words/errors.ts';
import { dnsSubdomain } from '../words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  items,
  none,
  type Place,
  text,
} from '../words/place.ts';
import { quantityOf } from '../words/quantity.ts';
import { checkedSelector } from '../words/selector.ts';

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] as const;

/** The spec of a claim, wherever it stands. */
export function claimErrors(at: Place): Errors {
  const [className, volumeMode] = [child(at, 'storageClassName'), child(at, 'volumeMode')];
  const isKnownMode = ['Block', 'Filesystem'].includes(text(volumeMode));
  return [
    ...checkedModes(child(at, 'accessModes'), items(at, 'accessModes')),
    ...checkedSelector(child(at, 'selector')),
    ...checkedStorage(child(at, 'resources')),
    ...(isEmpty(className) ? none : says(dnsSubdomain)(className)),
    ...(isStated(volumeMode) && !isKnownMode
      ? [notSupported(volumeMode, ['Block', 'Filesystem'])]
      : none),
  ];
}

function checkedModes(list: Place, all: readonly Place[]): Errors {
  if (all.length === 0) return [required(list, 'at least 1 access mode is required')];
  const stated = all.map(text);
  const isMixed =
    stated.includes('ReadWriteOncePod') && modes.slice(0, 3).some((mode) => stated.includes(mode));
  return [
    ...all
      .filter((at) => !modes.some((mode) => mode === text(at)))
      .map(({ value }) => notSupported({ path: list.path, value }, modes)),
    ...(isMixed ? [forbidden(list, 'may not use ReadWriteOncePod with other access modes')] : none),
  ];
}

function checkedStorage(resources: Place): Errors {
  const { value } = child(resources, 'requests', 'storage');
  const at = { path: `${resources.path}[storage]`, value };
  if (!isStated(at)) return [required(at)];
  const nano = quantityOf(value)?.nano ?? 0n;
  return nano > 0n ? none : [invalid(at, 'must be greater than zero')];
}
