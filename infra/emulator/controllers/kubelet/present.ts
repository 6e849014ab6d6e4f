import { matchesLabels } from '#shared/domain/selector.ts';
import type { World } from '../frame/controller.ts';
import { configMaps, secrets, trustBundles } from '../shapes/kinds.ts';
import type { Pod } from '../shapes/pod.ts';
import type { Present } from './missing.ts';

/** What is there in the pod's namespace, by the metadata alone: keys inside of an object are not looked at. */
export function presentFor({ metadata }: Pod, world: World): Present {
  const place = (name: string) => `${metadata.namespace ?? ''}/${name}`;
  return {
    configMap: (name) => world.metadataOf(configMaps).find(place(name)) !== undefined,
    secret: (name) => world.metadataOf(secrets).find(place(name)) !== undefined,
    trustBundle({ name, signerName, labelSelector }) {
      const bundles = world.shelf(trustBundles);
      if (name !== undefined) return bundles.find(`/${name}`) !== undefined;
      return [...bundles.list()].some(
        (bundle) =>
          bundle.spec?.signerName === signerName &&
          labelSelector !== undefined &&
          matchesLabels(labelSelector, bundle.metadata.labels ?? {}),
      );
    },
  };
}
