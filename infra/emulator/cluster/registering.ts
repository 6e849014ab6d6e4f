import type { JsonObject } from '#shared/domain/json.ts';
import { apiServices, localApiService } from './aggregation/api-service.ts';
import { objectAt, textAt, versionsOf } from './custom/definition.ts';
import type { Reading } from './parts.ts';
import { born } from './pipeline/metadata.ts';
import { customKinds, idOf } from './served-kinds.ts';
import type { Store } from './store/store.ts';
import { parsedBody, type Stored } from './store/stored.ts';

/** An APIService for each version of a group that some definition serves, as long as one does. */
export function registering(store: Store, reading: Reading, now: () => Date) {
  const found = (name: string) => store.collections.get(apiServices)?.find(`/${name}`);
  return {
    register(definition: JsonObject): void {
      const of = store.collections.get(apiServices);
      for (const { group, version, name } of placesOf(definition)) {
        if (of === undefined || found(name) !== undefined) continue;
        const service = localApiService({ group, version, isCustom: true, now: now() });
        store.create(of, born(service, undefined, now()));
      }
    },
    /** What a definition served until now that is gone, or is another one. */
    unregister(before: Stored): void {
      const of = store.collections.get(apiServices);
      const others = reading.list(idOf(customKinds)).flatMap(placesOf);
      for (const { name } of placesOf(parsedBody(before))) {
        const stored = found(name);
        const isNeeded = others.some((other) => other.name === name);
        if (of !== undefined && stored !== undefined && !isNeeded) store.delete(of, stored);
      }
    },
  };
}

function placesOf(definition: JsonObject) {
  const group = textAt(objectAt(definition, 'spec'), 'group');
  return versionsOf(definition)
    .filter(({ served }) => served)
    .map(({ type: { version } }) => ({ group, version, name: `${version}.${group}` }));
}
