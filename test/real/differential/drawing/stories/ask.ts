import type { Json } from '#shared/domain/json.ts';
import type { Step } from '../../step.ts';

const methods: Readonly<Record<string, string>> = {
  WATCH: 'GET',
  TABLE: 'GET',
  MERGE: 'PATCH',
  STRATEGIC: 'PATCH',
  JSON: 'PATCH',
  APPLY: 'PATCH',
};

const types: Readonly<Record<string, string>> = {
  MERGE: 'application/merge-patch+json',
  STRATEGIC: 'application/strategic-merge-patch+json',
  JSON: 'application/json-patch+json',
  APPLY: 'application/apply-patch+yaml',
};

type More = Partial<Pick<Step, 'eventually' | 'marks'>>;

/** `APPLY /api/v1/namespaces/{ns}/configmaps/a?fieldManager=me`, as the cases of the contract have it. */
export function ask(line: string, value?: Json, more: More = {}): Step {
  const [verb = '', address = ''] = line.split(' ');
  const [path = '', stated = ''] = address.split('?');
  const follows = verb === 'WATCH' ? ['watch=true', 'timeoutSeconds=1'] : [];
  const accept =
    verb === 'TABLE' ? 'application/json;as=Table;v=v1;g=meta.k8s.io' : 'application/json';
  const type = value === undefined ? {} : { 'content-type': types[verb] ?? 'application/json' };
  return {
    method: methods[verb] ?? verb,
    path,
    query: [...follows, ...stated.split('&').filter((each) => each !== '')],
    headers: { accept, ...type },
    body: value === undefined ? undefined : { kind: 'json', value },
    ...more,
  };
}
