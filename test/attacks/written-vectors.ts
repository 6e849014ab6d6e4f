import { statusLabel } from '#shared/domain/image-trust/label-keys.ts';
import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { digestFor } from '#test/support/tuf/publish.ts';
import { podWithSpec } from './pod.ts';
import type { Asked, Play, StatedNamespace, Vector } from './vector.ts';
import {
  themes,
  type WrittenAsk,
  type WrittenImages,
  type WrittenPlay,
  writtenVectors,
} from './written.ts';

/** By the name that the vectors call them. */
export type Places = ReadonlyMap<string, StatedNamespace>;

export function placeIn(places: Places, name: string): StatedNamespace {
  const found = places.get(name);
  if (found === undefined) throw new Error(`there is no namespace ${name}`);
  return found;
}

export function vectorsWritten(places: Places): readonly Vector[] {
  return themes.flatMap((theme) =>
    writtenVectors(theme).map(({ name, in: place, evil, twin }) => ({
      name,
      theme,
      namespaces: [],
      evil: playing(evil, place, places),
      twin: playing(twin, place, places),
    })),
  );
}

function playing(play: WrittenPlay, place: string, places: Places): Play {
  const { before, harm, ...last } = play;
  const asked = (ask: WrittenAsk) => askedBy(ask, ask.in ?? play.in ?? place, places);
  return async ({ admit }) => {
    for (const each of before) await admit(asked(each));
    const outcome = await admit(asked(last));
    if (harm === undefined || !outcome.admitted) return outcome;
    // It may run, but only as what was signed: a tag alone could be anything.
    const images = imagesOf(outcome.object);
    const isHarmed = images.some(
      (image) => !image.includes('@') || harm.some((name) => image.endsWith(digestFor(name))),
    );
    return { ...outcome, admitted: isHarmed };
  };
}

function askedBy(ask: WrittenAsk, place: string, places: Places): Asked {
  const namespace = placeIn(places, place);
  const { after, instead } = ask;
  const labels = Object.fromEntries(
    Object.entries(ask.labels).map(([key, value]) => [
      key === '$status' ? statusLabel : key,
      value,
    ]),
  );
  const deleted = ask.deleted ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {};
  const metadata = { labels, annotations: { ...ask.annotations }, ...deleted };
  return {
    namespace,
    object: podWithSpec(specOf(ask.images), metadata),
    old: ask.old === undefined ? undefined : podWithSpec(specOf(ask.old)),
    subresource: ask.subresource,
    dryRun: ask.dryRun,
    ...(after === undefined ? {} : { after: (pod) => withMore(pod, after) }),
    ...(instead === undefined ? {} : { after: (pod) => ({ ...pod, spec: specOf(instead) }) }),
  };
}

const slots = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function specOf(images: WrittenImages): JsonObject {
  const containers = slots.flatMap((slot) =>
    images[slot].length === 0 ? [] : [[slot, images[slot].map(containerIn(slot))] as const],
  );
  const volumes = images.volumes.map((image, index) => ({
    name: `v${index}`,
    image: { reference: written(image) },
  }));
  return {
    serviceAccountName: 'default',
    ...Object.fromEntries(containers),
    ...(volumes.length === 0 ? {} : { volumes }),
  };
}

const containerIn = (slot: string) => (image: string, index: number) => ({
  name: `${slot.toLowerCase()}-${index}`,
  image: written(image),
});

/** Behind all that is there, under names that nothing has. */
function withMore(pod: JsonObject, more: WrittenImages): JsonObject {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const added = Object.entries(specOf(more)).flatMap(([key, items]) =>
    Array.isArray(items) ? [[key, [...listIn(spec[key]), ...items.map(renamed)]] as const] : [],
  );
  return { ...pod, spec: { ...spec, ...Object.fromEntries(added) } };
}

function renamed(item: Json): Json {
  return isJsonObject(item) ? { ...item, name: `added-${String(item['name'])}` } : item;
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function imagesOf(pod: JsonObject): readonly string[] {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  return slots
    .flatMap((slot) => listIn(spec[slot]))
    .flatMap((item) => (isJsonObject(item) ? [String(item['image'])] : []));
}

/** `{good}` is the digest of the image of this name; `$app` the repository that most of them are about. */
function written(image: string): string {
  return image
    .replace('$app', 'registry.example/team/app')
    .replace('$app', 'registry.example/team/app')
    .replace('{long}', 'a'.repeat(128))
    .replace('{hex}', digestFor('good').slice(7))
    .replace('{GOOD}', `sha256:${digestFor('good').slice(7).toUpperCase()}`)
    .replaceAll(/\{([a-z]+)\}/g, (_, name: string) => digestFor(name));
}
