import { type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { objectAt, objectsAt, textAt } from '../definition.ts';
import { conditionOf } from './conditions.ts';
import { textsAt } from './names.ts';

/**
 * What the server's own controllers make of a written definition: its names are accepted where no other of the group
 * has them, and then it is served. `undefined` where nothing is to be written.
 */
export function settled(
  definition: JsonObject,
  others: readonly JsonObject[],
  now: Date,
): JsonObject | undefined {
  const status = objectAt(definition, 'status');
  const asked = objectAt(objectAt(definition, 'spec'), 'names');
  const { names, problem } = accepted(
    asked,
    objectAt(status, 'acceptedNames'),
    takenIn(definition, others),
  );
  const next = {
    ...status,
    conditions: [
      ...[accepting(problem), establishing(definition, problem)].map((each) =>
        since(definition, each, now),
      ),
      ...objectsAt(status, 'conditions').filter(({ type }) => type === 'Terminating'),
    ],
    acceptedNames: names,
  };
  return sameJson(next, status) ? undefined : { ...definition, status: next };
}

type Problem = { readonly reason: string; readonly message: string } | undefined;
type Taken = { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> };

function takenIn(definition: JsonObject, others: readonly JsonObject[]): Taken {
  const group = textAt(objectAt(definition, 'spec'), 'group');
  const uid = textAt(objectAt(definition, 'metadata'), 'name');
  const names = others
    .filter((each) => textAt(objectAt(each, 'spec'), 'group') === group)
    .filter((each) => textAt(objectAt(each, 'metadata'), 'name') !== uid)
    .map((each) => objectAt(objectAt(each, 'status'), 'acceptedNames'));
  return {
    resources: new Set(
      names.flatMap((each) => [
        textAt(each, 'plural'),
        textAt(each, 'singular'),
        ...textsAt(each, 'shortNames'),
      ]),
    ),
    kinds: new Set(names.flatMap((each) => [textAt(each, 'kind'), textAt(each, 'listKind')])),
  };
}

const judged = [
  ['plural', 'PluralConflict', 'resources'],
  ['singular', 'SingularConflict', 'resources'],
  ['shortNames', 'ShortNamesConflict', 'resources'],
  ['kind', 'KindConflict', 'kinds'],
  ['listKind', 'ListKindConflict', 'kinds'],
] as const;

/** Each name for itself, so that the status is as good as it can be; the last conflict is the one that is told. */
function accepted(asked: JsonObject, had: JsonObject, taken: Taken) {
  const answers = judged.map(([key, reason, of]) => {
    const used = textsOf(asked, key).filter(
      (name) => !textsOf(had, key).includes(name) && taken[of].has(name),
    );
    const problem = used.length === 0 ? undefined : { reason, message: inUse(used) };
    const name = used.length === 0 ? asked[key] : had[key];
    return { key, problem, name };
  });
  const stated = [...answers, { key: 'categories', name: asked['categories'] }].flatMap(
    ({ key, name }): [string, Json][] => (name === undefined ? [] : [[key, name]]),
  );
  const problem: Problem = answers.findLast((each) => each.problem !== undefined)?.problem;
  const names: JsonObject = Object.fromEntries(stated);
  return { names, problem };
}

function textsOf(names: JsonObject, key: string): readonly string[] {
  return key === 'shortNames' ? textsAt(names, key) : [textAt(names, key)];
}

function inUse(names: readonly string[]): string {
  const said = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return said.length > 1 ? `[${said.join(', ')}]` : said.join('');
}

function accepting(problem: Problem): JsonObject {
  const good = { reason: 'NoConflicts', message: 'no conflicts found' };
  return {
    type: 'NamesAccepted',
    status: problem === undefined ? 'True' : 'False',
    ...(problem ?? good),
  };
}

/** Once established, it stays so. */
function establishing(definition: JsonObject, problem: Problem): JsonObject {
  const old = conditionOf(definition, 'Established');
  const type = 'Established';
  if (old?.['status'] === 'True') return old;
  if (problem === undefined)
    return {
      type,
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    };
  return { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function since(definition: JsonObject, condition: JsonObject, now: Date): JsonObject {
  const old = conditionOf(definition, String(condition['type']));
  const at = `${now.toISOString().slice(0, 19)}Z`;
  const isSame = old !== undefined && old['status'] === condition['status'];
  const lastTransitionTime = isSame ? (old['lastTransitionTime'] ?? at) : at;
  return { lastTransitionTime, ...condition, ...(isSame ? { lastTransitionTime } : {}) };
}
