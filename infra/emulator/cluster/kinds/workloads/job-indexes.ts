import { invalid, oneOf, required } from '../words/errors.ts';
import { dnsLabel } from '../words/names.ts';
import { child, type Errors, isStated, none, number, type Place, text } from '../words/place.ts';

export function limitless(spec: Place): Errors {
  const [most, limit] = [child(spec, 'maxFailedIndexes'), child(spec, 'backoffLimitPerIndex')];
  return isStated(most) && !isStated(limit)
    ? [required(limit, 'when maxFailedIndexes is specified')]
    : none;
}

export function checkedMode(spec: Place): Errors {
  const mode = child(spec, 'completionMode');
  if (text(mode) === 'Indexed') return checkedIndexed(spec);
  const isKnown = !isStated(mode) || text(mode) === 'NonIndexed';
  const indexed = ['backoffLimitPerIndex', 'maxFailedIndexes'].map((key) => child(spec, key));
  return isKnown
    ? indexed.filter(isStated).map((at) => invalid(at, 'requires indexed completion mode'))
    : oneOf(mode, ['NonIndexed', 'Indexed']);
}

const many = 100_000;
const fewer = 10_000;

function checkedIndexed(spec: Place): Errors {
  const [completions, parallelism] = [child(spec, 'completions'), child(spec, 'parallelism')];
  const most = child(spec, 'maxFailedIndexes');
  const isMoreThanAll = isStated(completions) && number(most) > number(completions);
  return [
    ...(isStated(completions) ? none : [required(completions, 'when completion mode is Indexed')]),
    ...atMost(parallelism, many, ' when completion mode is Indexed'),
    ...(isMoreThanAll ? [invalid(most, 'must be less than or equal to completions')] : none),
    ...atMost(most, many),
    ...checkedMany(spec),
  ];
}

/** So many indexes that fail one by one would not fit into a status. */
function checkedMany(spec: Place): Errors {
  const most = child(spec, 'maxFailedIndexes');
  const isMany = number(child(spec, 'completions')) > many;
  if (!isMany || !isStated(child(spec, 'backoffLimitPerIndex'))) return none;
  const when = ` when completions are above ${many} and used with backoff limit per index`;
  return [
    ...(isStated(most)
      ? none
      : [required(most, `must be specified when completions is above ${many}`)]),
    ...atMost(child(spec, 'parallelism'), fewer, when),
    ...atMost(most, fewer, when),
  ];
}

function atMost(at: Place, most: number, when = ''): Errors {
  return number(at) > most ? [invalid(at, `must be less than or equal to ${most}${when}`)] : none;
}

/** The last of an indexed job's pods has the longest name. */
export function checkedIndexedName(job: Place): Errors {
  const [name, spec] = [child(job, 'metadata', 'name'), child(job, 'spec')];
  const completions = number(child(spec, 'completions'));
  if (text(child(spec, 'completionMode')) !== 'Indexed' || completions === 0) return none;
  const host = `${text(name)}-${completions - 1}`;
  return dnsLabel(host).length === 0
    ? none
    : [invalid(name, `will not able to create pod with invalid DNS label: ${host}`)];
}
