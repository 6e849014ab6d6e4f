import type { Dice } from '../dice.ts';
import { accepts, contentTypes } from '../oddities/forms.ts';
import { names } from '../oddities/names.ts';
import type { Step } from '../step.ts';
import { listPath, type Subject } from '../subjects.ts';

export type Chooser = { readonly subject: Subject; readonly dice: Dice };

type Drawn = Omit<Step, 'headers'>;

export function step({ dice }: Chooser, drawn: Drawn, type = 'application/json'): Step {
  const isWhole = drawn.method === 'POST' || drawn.method === 'PUT' || drawn.method === 'DELETE';
  const stated = isWhole && dice.chance(0.04) ? dice.one(contentTypes.whole) : type;
  const isTyped = drawn.body !== undefined && stated !== '';
  const accept = drawn.query.includes('watch=true') ? watchedForm(dice) : form(dice);
  return { ...drawn, headers: { accept, ...(isTyped && { 'content-type': stated }) } };
}

function form(dice: Dice): string {
  if (!dice.chance(0.15)) return 'application/json';
  return dice.one(dice.chance(0.7) ? accepts.usual : accepts.odd);
}

/** YAML that goes on has no end to read to. */
function watchedForm(dice: Dice): string {
  const forms = accepts.usual.filter((each) => each !== 'application/yaml');
  return dice.chance(0.3) ? dice.one(forms) : 'application/json';
}

export function nameOf({ subject, dice }: Chooser): string {
  if (dice.chance(0.04)) return dice.one(names.odd);
  const name = dice.one([...names.usual, 'a', 'a', 'a', 'a']);
  return subject.name ?? (subject.cluster === true ? `{ns}-${name}` : name);
}

export function objectPath(chooser: Chooser): string {
  return `${listPath(chooser.subject)}/${nameOf(chooser)}`;
}

/** What others have made is not looked at. */
export function ownOnly({ cluster, name }: Subject, dice: Dice): readonly string[] {
  if (cluster !== true) return [];
  return [`fieldSelector=metadata.name%3D${name ?? `{ns}-${dice.one(names.usual)}`}`];
}
