import { labels, manager } from '../installation.ts';
import type { Request } from './images.ts';
import type { BootPod } from './pod.ts';

type Reviewed = {
  readonly operation: string;
  readonly subresource: string | undefined;
  readonly old: BootPod | undefined;
};

/** `undefined` where nothing may be done: resizing, binding, and what cannot be compared with what was. */
export function requestOf({ operation, subresource, old }: Reviewed): Request | undefined {
  if (operation === 'CREATE') return subresource === undefined ? { kind: 'create' } : undefined;
  if (operation !== 'UPDATE' || old === undefined) return undefined;
  switch (subresource) {
    case undefined:
      return { kind: 'update', old };
    case 'ephemeralcontainers':
      return { kind: 'ephemeral', old };
    default:
      return undefined;
  }
}

/** In our own namespace alone: elsewhere the label would be a way around us. */
export function isOwnPod(
  { metadata }: BootPod,
  namespace: string,
  installation: { readonly namespace: string },
): boolean {
  return namespace === installation.namespace && metadata.labels[labels.name] === manager;
}
