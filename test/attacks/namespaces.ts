import { modeLabel } from './admit.ts';
import type { Outside } from './outside.ts';
import type { StatedNamespace } from './vector.ts';

export const prefix = 'namespaces.warden.kyma-project.io';

type Run = Pick<Outside, 'run' | 'host'>;

/** Where the Notary of this name answers in this run. */
export function urlOf({ run, host }: Run, name: string): string {
  return `https://${host}/n/${run}/${name}`;
}

/** With the Notary of the same name. */
export function userNamespace(
  run: Run,
  name: string,
  more: Readonly<Record<string, string>> = {},
): StatedNamespace {
  const stated = Object.entries({ 'notary-url': urlOf(run, name), ...more });
  const annotations = stated.map(([key, value]) => [`${prefix}/${key}`, value]);
  return statedNamespace(run, name, 'user', Object.fromEntries(annotations));
}

export function statedNamespace(
  { run }: Pick<Run, 'run'>,
  name: string,
  mode: string | undefined,
  annotations: Readonly<Record<string, string>> = {},
): StatedNamespace {
  return {
    name: `attack-${run}-${name}`,
    labels: mode === undefined ? {} : { [modeLabel]: mode },
    annotations,
  };
}
