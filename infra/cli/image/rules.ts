import { readFileSync } from 'node:fs';
import { modeLabel } from '#shared/domain/image-trust/label-keys.ts';
import { namespaceTrust } from '#shared/domain/image-trust/namespace-trust.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import { readDockerConfig } from '#shared/domain/registry/docker-config.ts';
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
  return file === undefined
    ? [platform]
    : knownFrom(objectsIn(textOf(file, 'a Namespace'), file), []).namespaces;
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

/** Checked here, so that nobody wonders later why nothing opens; it is read again by whoever shows it. */
export function loginIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = textOf(file, 'a Docker configuration, such as config.json');
  const { logins, problems } = readDockerConfig(text);
  if (logins.length > 0) return text;
  throw trouble(`there is no login in ${file}`, {
    where: problems,
    mend: 'logins that a credential helper keeps do not stand in the file; write it with `auths` of its own',
  });
}

export function textOf(file: string, wanted: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause: unknown) {
    throw trouble(`cannot read ${file}`, { cause, mend: `name a file that holds ${wanted}` });
  }
}
