import type { Json, JsonObject } from '#shared/domain/json.ts';
import { fieldOf } from '../by-schema.ts';
import type { Dice } from '../dice.ts';
import { type Edit, edited } from '../edit.ts';
import { bodies } from '../oddities/forms.ts';
import { metadata } from '../oddities/names.ts';
import type { Body } from '../step.ts';
import { editsOf } from '../subjects.ts';
import { type Chooser, nameOf } from './chooser.ts';

export function whole(chooser: Chooser): Body {
  return { kind: 'json', value: objectFor(chooser, someEdits(chooser, 0)) };
}

export function objectFor(chooser: Chooser, edits: readonly Edit[]): JsonObject {
  const { subject } = chooser;
  const object = { ...subject.self, metadata: { name: nameOf(chooser) }, ...subject.base };
  return edited(object, edits);
}

/** Mostly one or two. */
export function someEdits(chooser: Chooser, least = 1): readonly Edit[] {
  const { dice } = chooser;
  const count = Math.max(
    least,
    dice.weighed([
      [3, 0],
      [8, 1],
      [2, 2],
      [1, 3],
    ]),
  );
  return Array.from({ length: count }, () => edit(chooser));
}

function edit({ subject, dice }: Chooser): Edit {
  const which = dice.next();
  const own = editsOf(subject);
  if (which < 0.62) return dice.one(own);
  if (which < 0.85) return aboutMetadata(dice);
  return fieldOf(subject, dice) ?? dice.one(own);
}

function aboutMetadata(dice: Dice): Edit {
  const [key, values] = dice.one(Object.entries(metadata));
  const value = dice.one(values) as Json | null;
  return { at: ['metadata', ...key.split('.')], value: value ?? undefined };
}

export function oddBody(dice: Dice): Body {
  return { kind: 'text', text: dice.one(bodies) };
}
