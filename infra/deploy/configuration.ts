import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { defaultSettings } from '#shared/runtime/config/load.ts';
import { manifest } from './manifest.ts';
import { yamlOf } from './yaml.ts';

export const configMapName = 'gatehouse-config';
export const configFile = 'gatehouse.yaml';

export function configMap(settings: Settings): KubeObject {
  const { namespace } = settings.installation;
  return manifest(
    { apiVersion: 'v1', kind: 'ConfigMap', name: configMapName, namespace },
    { data: { [configFile]: yamlOf(statedSettings(settings)) } },
  );
}

/** What differs from the presets: a later version's better preset then reaches those who never chose. */
export function statedSettings(settings: Settings): JsonObject {
  const presets = asJson(defaultSettings);
  return Object.fromEntries(
    Object.entries(asJson(settings))
      .map(([key, value]) => [key, differing(value, presets[key])] as const)
      .filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

/** A section is given by its keys; what stands below a key is one value, since presets are not merged into it. */
function differing(value: Json, preset: Json | undefined): Json | undefined {
  if (isDeepStrictEqual(value, preset)) return undefined;
  if (!isJsonObject(value) || !isJsonObject(preset)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key, each]) => !isDeepStrictEqual(each, preset[key])),
  );
}

function asJson(settings: Settings): JsonObject {
  return JSON.parse(JSON.stringify(settings));
}
