import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  choice,
  type Decoded,
  decode,
  dictionary,
  flag,
  list,
  maybe,
  optional,
  preset,
  strictRecord,
  text,
} from '#shared/domain/decode.ts';

const images = strictRecord({
  initContainers: preset(list(text), []),
  containers: preset(list(text), []),
  ephemeralContainers: preset(list(text), []),
  volumes: preset(list(text), []),
});
const marks = preset(dictionary(text), {});
const asked = {
  in: optional(text),
  images,
  old: maybe(images),
  subresource: maybe(choice('ephemeralcontainers', 'resize')),
  labels: marks,
  annotations: marks,
  deleted: preset(flag, false),
  dryRun: preset(flag, false),
  /** Added behind us, or put in the place of what we made of it. */
  after: maybe(images),
  instead: maybe(images),
};
const play = strictRecord({
  ...asked,
  before: preset(list(strictRecord(asked)), []),
  /** What is pulled must not be one of these; where it is left out, nothing may be admitted. */
  harm: maybe(list(text)),
});
const vectors = list(
  strictRecord({ name: text, in: preset(text, 'system'), evil: play, twin: play }),
);

const world = strictRecord({
  registry: dictionary(dictionary(list(text))),
  notaries: dictionary(dictionary(dictionary(text))),
  namespaces: dictionary(dictionary(text)),
});

export type WrittenImages = Decoded<typeof images>;
export type WrittenPlay = Decoded<typeof play>;
export type WrittenAsk = Omit<WrittenPlay, 'before' | 'harm'>;
export type WrittenVector = Decoded<typeof vectors>[number];
export type WrittenWorld = Decoded<typeof world>;

const folder = 'test/fixtures/attacks';

export const themes = ['slots', 'names', 'places'] as const;

export function writtenVectors(theme: (typeof themes)[number]): readonly WrittenVector[] {
  return read(vectors, `${theme}.yaml`);
}

export function writtenWorld(): WrittenWorld {
  return read(world, 'world.yaml');
}

function read<T>(decoder: Parameters<typeof decode<T>>[0], name: string): T {
  const found = decode(decoder, parse(readFileSync(`${folder}/${name}`, 'utf8')));
  if (!found.ok) throw new Error(`${name}: ${JSON.stringify(found.problems[0])}`);
  return found.value;
}
