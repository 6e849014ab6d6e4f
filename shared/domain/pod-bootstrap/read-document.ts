import { decode, describe, type Problem } from '../decode.ts';
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../json.ts';
import {
  type BootstrapDocument,
  bundleShape,
  documentShape,
  flawsOf,
  plainDocument,
} from './document.ts';
import { neverApplied, rulesOf } from './rewrite.ts';

export type DocumentRead =
  | {
      readonly ok: true;
      readonly document: BootstrapDocument;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly [string, ...string[]] };

/** The most that etcd takes of an object. */
const mostLetters = 1_048_576;

/** Reads what upstream reads: keys that nobody knows any more are no fault, and letters' case is none either. */
export function readDocument(source: string): DocumentRead {
  if (source.length > mostLetters) return refused(`it is longer than ${mostLetters} letters`);
  const parsed = jsonIn(source);
  if (!isJsonObject(parsed)) return refused('it is no JSON object');

  const { object, warnings } = known(parsed, Object.keys(documentShape), '$');
  const bundle = object['clusterTrustBundle'];
  const inner = isJsonObject(bundle)
    ? known(bundle, Object.keys(bundleShape), '$.clusterTrustBundle')
    : undefined;
  const result = decode(plainDocument, {
    ...object,
    ...(inner === undefined ? {} : { clusterTrustBundle: inner.object }),
  });
  if (!result.ok) return problematic(result.problems);
  const [missing, ...more] = missingIn(object, inner?.object);
  if (missing !== undefined) return problematic([missing, ...more]);

  const [flaw, ...flaws] = flawsOf(result.value);
  if (flaw !== undefined) return problematic([flaw, ...flaws]);
  const remarks = [...warnings, ...(inner?.warnings ?? []), ...doubtsAbout(result.value)];
  return { ok: true, document: result.value, warnings: remarks };
}

/** What the ConfigMap's document has to state: of itself, and of a bundle that it names. */
export const stated = {
  document: ['overrides'],
  bundle: ['name', 'certWritePath', 'volumeMountPath', 'volumeName'],
} as const;

/** In our own settings each of these has a default; whoever writes the ConfigMap states them, as upstream wants it. */
function missingIn(object: JsonObject, bundle: JsonObject | undefined): readonly Problem[] {
  const unstated = bundle === undefined ? [] : stated.bundle.filter((key) => isEmpty(bundle[key]));
  return [
    ...stated.document
      .filter((key) => object[key] === undefined)
      .map((key) => ({ path: `$.${key}`, expected: 'an object' })),
    ...unstated.map((key) => ({
      path: `$.clusterTrustBundle.${key}`,
      expected: 'a text that is not empty',
    })),
  ];
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === '';
}

function refused(why: string): DocumentRead {
  return { ok: false, problems: [`the document cannot be read: ${why}`] };
}

function problematic([first, ...rest]: readonly [Problem, ...Problem[]]): DocumentRead {
  return { ok: false, problems: [describe(first), ...rest.map(describe)] };
}

type Known = { readonly object: JsonObject; readonly warnings: readonly string[] };

/** Go finds a key by its letters, whatever their case, and leaves out what it does not find. */
function known(given: JsonObject, keys: readonly string[], path: string): Known {
  const read = Object.entries(given).map(([key, value]) => {
    const exact = keys.find((each) => each === key);
    const near = exact ?? keys.find((each) => isSameKey(each, key));
    return { key, near, value, isExact: exact !== undefined };
  });
  return {
    // The exact ones last, so that they win.
    object: Object.fromEntries(
      read
        .toSorted((one, other) => Number(one.isExact) - Number(other.isExact))
        // Null is how Go writes what is not set.
        .flatMap(({ near, value }) =>
          near === undefined || value === null ? [] : [[near, set(value)] as const],
        ),
    ),
    warnings: read.flatMap(({ key, near, isExact }) => {
      if (near === undefined) return [`${path}.${short(key)} is ignored: there is no such key`];
      return isExact ? [] : [`${path}.${key} is read as ${near}`];
    }),
  };
}

function isSameKey(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Of upstream's older versions; ignored. */
const formerKeys = ['imagePullSecretName', 'imagePullSecretNamespace'];

/** Whether it has a key of the document, or had one once: none of them is a key of our settings, or of a manifest. */
export function isDocument(object: JsonObject): boolean {
  const keys = [...Object.keys(documentShape), ...formerKeys];
  return Object.keys(object).some((key) => keys.some((each) => isSameKey(each, key)));
}

function set(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
}

function short(key: string): string {
  return key.length > 60 ? `${key.slice(0, 60)}…` : key;
}

/** What stands there and does nothing. */
function doubtsAbout(document: BootstrapDocument): readonly string[] {
  const { availableFeatures, clusterTrustBundle } = document;
  const wantsBundle = availableFeatures.some((key) => key.endsWith('/add-cluster-trust-bundle'));
  return [
    ...(availableFeatures.length === 0 ? ['$.availableFeatures is empty: nothing is done'] : []),
    ...(wantsBundle && clusterTrustBundle.name === ''
      ? ['$.clusterTrustBundle is missing, and its feature is available: no bundle is mounted']
      : []),
    ...neverApplied(rulesOf(document)).map((from) => `${from} is never rewritten: ${onTarget}`),
  ];
}

const onTarget = 'a rule leads to its registry, or it is no registry';
