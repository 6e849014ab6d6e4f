import { isJsonObject, isList, type Json, type JsonObject } from './json.ts';
import type { Operation } from './json-patch.ts';
import type { KubeObject } from './kube-object.ts';

/** A condition that no request meets: the API server then calls nobody. All else of the entry stays as it is. */
export const switchedOff: JsonObject = { name: 'switched-off.gatehouse.io', expression: 'false' };

export type Entry = { readonly name: string; readonly isOff: boolean };

export function entriesOf(configuration: KubeObject): readonly Entry[] {
  return webhooksOf(configuration).map((webhook) => ({
    name: String(webhook['name']),
    isOff: conditionsOf(webhook).some(isSwitch),
  }));
}

type Step = Operation | { readonly op: 'test'; readonly path: string; readonly value: Json };

/** What has to be changed so that all entries are on, or off; nothing where they are. */
export function planSwitch(configuration: KubeObject, to: 'on' | 'off'): readonly Step[] {
  return webhooksOf(configuration).flatMap((webhook, index) => {
    const conditions = conditionsOf(webhook);
    if (conditions.some(isSwitch) === (to === 'off')) return [];
    const others = conditions.filter((each) => !isSwitch(each));
    const path = `/webhooks/${index}`;
    return [
      // Of entries that somebody has put in another order meanwhile, none is meant.
      { op: 'test' as const, path: `${path}/name`, value: webhook['name'] ?? null },
      {
        op: 'add' as const,
        path: `${path}/matchConditions`,
        value: to === 'off' ? [...others, switchedOff] : others,
      },
    ];
  });
}

function webhooksOf(configuration: KubeObject): readonly JsonObject[] {
  const webhooks = configuration['webhooks'];
  return (isList(webhooks) ? webhooks : []).filter(isJsonObject);
}

function conditionsOf({ matchConditions }: JsonObject): readonly JsonObject[] {
  return (isList(matchConditions) ? matchConditions : []).filter(isJsonObject);
}

function isSwitch({ name }: JsonObject): boolean {
  return name === switchedOff['name'];
}
