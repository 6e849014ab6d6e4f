import { readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { decode, list, optional, record, text } from '#shared/domain/decode.ts';
import { withTokenFile } from './token-file.ts';

/** As kubectl merges them: of those that are there, whoever says something first has said it. */
export function configFromFiles(joined: string): KubeConfig {
  const paths = joined.split(delimiter).filter((path) => path !== '');
  const configs = paths.flatMap((path) => configFromFile(path) ?? []);
  if (configs.length === 0) throw new Error(`there is no kubeconfig at ${joined}`);
  const merged = new KubeConfig();
  // The library takes the first of a name.
  merged.clusters = configs.flatMap(({ clusters }) => clusters);
  merged.users = configs.flatMap(({ users }) => users);
  merged.contexts = configs.flatMap(({ contexts }) => contexts);
  const current = configs.find(({ currentContext }) => Boolean(currentContext))?.currentContext;
  if (current !== undefined) merged.setCurrentContext(current);
  return merged;
}

function configFromFile(path: string): KubeConfig | undefined {
  const said = textAt(path);
  return said === undefined ? undefined : configFromText(said, dirname(path));
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause: unknown) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

/** By the library, which knows all that a kubeconfig may say, but for `tokenFile`. */
export function configFromText(said: string, folder = '.'): KubeConfig {
  const config = new KubeConfig();
  if (said.trim() === '') return config;
  config.loadFromString(said);
  config.makePathsAbsolute(folder);
  const tokenFiles = tokenFilesIn(said);
  config.users = config.users.map((user) => {
    const file = tokenFiles.get(user.name);
    return file === undefined ? user : withTokenFile(user, resolve(folder, file));
  });
  return config;
}

const user = record({ tokenFile: optional(text, '') });
const kubeconfig = record({
  users: optional(list(record({ name: text, user: optional(user) })), []),
});

function tokenFilesIn(said: string): ReadonlyMap<string, string> {
  if (!said.includes('tokenFile')) return new Map();
  const config = decode(kubeconfig, parse(said));
  if (!config.ok) throw new Error('the users of the kubeconfig are none that kubectl would read');
  const files = config.value.users.map((each) => [each.name, each.user?.tokenFile ?? ''] as const);
  return new Map(files.filter(([, file]) => file !== ''));
}
