import { decode, type Problem } from '../decode.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { type ImageTrustSettings, imageTrustSettings } from './settings.ts';

export type WithOriginal =
  | {
      readonly ok: true;
      readonly settings: ImageTrustSettings;
      /** Keys that Warden would pass over in silence, as paths. */
      readonly unknown: readonly string[];
      /** What it says of Warden's own server alone. */
      readonly unused: readonly string[];
      /** What it says of logging: it is for more than image trust. */
      readonly logging: JsonObject;
    }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

const known = {
  notary: ['URL', 'timeout', 'allowedRegistries', 'predefinedUserAllowedRegistries'],
  admission: ['systemNamespace', 'serviceName', 'secretName', 'port', 'timeout', 'strictMode'],
  operator: [
    'metricsBindAddress',
    'healthProbeBindAddress',
    'leaderElect',
    'podReconcilerRequeueAfter',
  ],
  logging: ['level', 'format'],
} as const;

/** Of a server that ours is in the place of. */
const unused: readonly string[] = [
  'admission.systemNamespace',
  'admission.serviceName',
  'admission.secretName',
  'admission.port',
  'operator.metricsBindAddress',
  'operator.healthProbeBindAddress',
  'operator.leaderElect',
];

const flags: readonly string[] = ['strictMode', 'leaderElect'];

/** Go's library takes them for what they were in YAML 1.1, where a truth is asked for. */
const oldTruths: ReadonlyMap<Json, boolean> = new Map([
  ...['y', 'Y', 'yes', 'on'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'off'].map((word) => [word, false] as const),
]);

type Section = keyof typeof known;

const sections: readonly Section[] = ['notary', 'admission', 'operator', 'logging'];

/** What a file of Warden's says goes first; what it leaves out stays as our settings have it. */
export function withOriginalFile(settings: ImageTrustSettings, original: unknown): WithOriginal {
  if (!isJsonObject(original)) return notAnObject;
  const overlaid = Object.fromEntries(
    sections.map((name) => [name, { ...settings[name], ...stated(original[name], known[name]) }]),
  );
  const read = decode(imageTrustSettings, { ...settings, ...overlaid });
  if (!read.ok) return read;
  const logging = stated(original['logging'], known.logging);
  const said = { unknown: unknownIn(original), unused: unusedIn(original), logging };
  return { ok: true, settings: read.value, ...said };
}

const notAnObject: WithOriginal = {
  ok: false,
  problems: [{ path: '$', expected: "a configuration file of Warden's" }],
};

/** Null is what Go takes for nothing. */
function stated(section: Json | undefined, keys: readonly string[]): JsonObject {
  if (!isJsonObject(section)) return {};
  const entries = Object.entries(section).filter(
    ([key, value]) => keys.includes(key) && value !== null,
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [key, flags.includes(key) ? truthIn(value) : value]),
  );
}

function truthIn(value: Json): Json {
  return oldTruths.get(value) ?? value;
}

function unusedIn(original: JsonObject): readonly string[] {
  return sections.flatMap((name) =>
    Object.keys(stated(original[name], known[name]))
      .map((key) => `${name}.${key}`)
      .filter((path) => unused.includes(path)),
  );
}

function unknownIn(original: JsonObject): readonly string[] {
  return Object.entries(original).flatMap(([name, section]) => {
    const own = sections.find((each) => each === name);
    if (own === undefined) return [name];
    const keys: readonly string[] = known[own];
    const inside = isJsonObject(section) ? Object.keys(section) : [];
    return inside.filter((key) => !keys.includes(key)).map((key) => `${name}.${key}`);
  });
}
