import { readFileSync } from 'node:fs';
import { modeLabel } from '#shared/domain/image-trust/label-keys.ts';
import { namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { objectsIn } from '../explain/manifests.ts';
import { knownFrom } from '../explain/surroundings.ts';
import { trouble } from '../output.ts';

/** Any namespace that leaves the rules to the platform. */
const platform: Namespace = {
  name: '',
  uid: '',
  labels: { [modeLabel]: 'system' },
  annotations: {},
};

export function readNamespaces(file: string | undefined): readonly Namespace[] {
  return file === undefined ? [platform] : knownFrom(objectsIn(textOf(file), file), []).namespaces;
}

/** Or why there are none. */
export function rulesFor(
  [namespace, ...others]: readonly Namespace[],
  { imageTrust }: Settings,
): TrustRules | string {
  if (namespace === undefined) return 'there is no Namespace in that file';
  if (others.length > 0) return 'there are several Namespaces in that file; name one';
  const trust = namespaceTrust(namespace, imageTrust);
  switch (trust.kind) {
    case 'rules':
      return trust.rules;
    case 'off':
      return `nothing is verified in ${namespace.name}: it has no label ${modeLabel}`;
    case 'broken':
      return `the annotations of ${namespace.name} do not hold together: ${trust.problems.join('; ')}`;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause: unknown) {
    throw trouble(`cannot read ${file}`, { cause, mend: 'name a file that holds a Namespace' });
  }
}
