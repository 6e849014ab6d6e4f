import type { Condition } from '../condition.ts';
import { configurationOf } from './configuration.ts';
import type { Held } from './held-document.ts';
import type { PodBootstrapSettings } from './settings.ts';

type Place = PodBootstrapSettings['configMap'];

/** What operators watch: whether what stands in the ConfigMap is what pods are started by. */
export function documentCondition(
  { document, problems }: Held,
  { namespace, name }: Place,
): Condition {
  const where = `ConfigMap ${namespace}/${name}`;
  const [problem, ...more] = problems;
  if (problem === undefined) {
    return { name: 'bootstrap-document', holds: true, why: `pods are started by the ${where}` };
  }
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const instead =
    document === undefined ? 'nothing is done to pods' : 'the last good document counts';
  const why = `the ${where} cannot be used: ${problem}${others}; ${instead}. gatehouse config check FILE says when it is good`;
  return { name: 'bootstrap-document', holds: false, why };
}

export const documentMeasure = 'bootstrap_document';

/** With the hash that pods are stamped with, so that replicas that go by different documents can be told apart. */
export function documentMeasures(held: Held, settings: PodBootstrapSettings) {
  const { document, problems, warnings } = held;
  const configuration = document === undefined ? '' : configurationOf(document, settings).hash;
  const of = (what: string, value: number) => ({ labels: { what, configuration }, value });
  return [
    of('in use', document === undefined ? 0 : 1),
    of('problems', problems.length),
    of('warnings', warnings.length),
  ];
}

const most = 5;

/** For whoever looks at the ConfigMap; `undefined` where there is nothing to say of it. */
export function documentNote({ document, problems, warnings }: Held) {
  if (problems.length > 0) {
    const instead =
      document === undefined ? 'nothing is done to pods' : 'the last good document counts';
    return { reason: 'BootstrapDocumentRefused', note: `${some(problems)}; ${instead}` };
  }
  if (warnings.length === 0) return undefined;
  return { reason: 'BootstrapDocumentDoubtful', note: some(warnings) };
}

function some(texts: readonly string[]): string {
  const rest = texts.length > most ? `; and ${texts.length - most} more` : '';
  return texts.slice(0, most).join('; ') + rest;
}
