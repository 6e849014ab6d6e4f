import type { Dice } from '../dice.ts';
import { readQueries, watchQueries } from '../oddities/queries.ts';
import type { Step } from '../step.ts';
import { listPath, type Subject } from '../subjects.ts';
import { type Chooser, objectPath, ownOnly, step } from './chooser.ts';

export function got(chooser: Chooser): Step {
  const { dice } = chooser;
  const query = dice.chance(0.2) ? [dice.one([...readQueries.odd, ...readQueries.usual])] : [];
  return step(chooser, { method: 'GET', path: objectPath(chooser), query, body: undefined });
}

export function listed(chooser: Chooser): Step {
  const { dice, subject } = chooser;
  const isAll = subject.cluster !== true && dice.chance(0.1);
  const path = isAll ? `${subject.at}/${subject.resource}` : listPath(subject);
  const query = isAll ? ['fieldSelector=metadata.namespace%3D{ns}'] : listQuery(subject, dice);
  return step(chooser, { method: 'GET', path, query, body: undefined });
}

function listQuery(subject: Subject, dice: Dice): readonly string[] {
  const more = dice.chance(0.6)
    ? [dice.one(dice.chance(0.6) ? readQueries.usual : readQueries.odd)]
    : [];
  return [...ownOnly(subject, dice), ...more];
}

export function watched(chooser: Chooser): Step {
  const { dice, subject } = chooser;
  const query = [
    'watch=true',
    'timeoutSeconds=1',
    ...ownOnly(subject, dice),
    dice.one(watchQueries),
  ].filter((each) => each !== '');
  return step(chooser, { method: 'GET', path: listPath(subject), query, body: undefined });
}
