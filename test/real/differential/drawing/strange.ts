import type { Body, Step } from '../step.ts';
import { listPath } from '../subjects.ts';
import { type Chooser, ownOnly, step } from './chooser.ts';
import { whole } from './objects.ts';

/** What nobody asks, and what somebody might. */
export function strange(chooser: Chooser): Step {
  const { subject, dice } = chooser;
  const path = dice.one([
    listPath(subject),
    `${listPath(subject)}/a`,
    `${subject.at}/${subject.resource}/a`,
    `${subject.at}/namespaces/{ns}/${subject.resource}/a/b/c`,
    `${subject.at}/watch/${listPath(subject).slice(subject.at.length + 1)}?timeoutSeconds=1`,
    `${subject.at}/namespaces/{ns}/nopes`,
    `${subject.at}/namespaces/{ns}/${subject.resource}/`,
    `${subject.at}/namespaces/none-such/${subject.resource}`,
    `${subject.at}/nope`,
    subject.at,
    `${subject.at}/`,
    `${subject.at.replace(/v1$/, 'v9')}/${subject.resource}`,
    `/nope${subject.at}`,
    listPath(subject).toUpperCase().replace('{NS}', '{ns}'),
    `/${listPath(subject)}`,
  ]);
  const method = dice.one([
    'GET',
    'GET',
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
  ]);
  const isBare = ['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method);
  // A whole kind of the cluster is not thrown away.
  if (method === 'DELETE' && subject.cluster === true) return strange(chooser);
  const isAll = isBare && !/\/a(\/|$)|\{ns\}/.test(path);
  const query = isAll
    ? subject.cluster === true
      ? ownOnly(subject, dice)
      : ['fieldSelector=metadata.namespace%3D{ns}']
    : [];
  const body: Body | undefined = isBare ? undefined : whole(chooser);
  const [at = '', stated] = path.split('?');
  return step(chooser, {
    method,
    path: at,
    query: [...query, ...(stated === undefined ? [] : [stated])],
    body,
  });
}
