import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './options.ts';

export const library = join(root, 'node_modules/@kubernetes/client-node/dist');

/**
 * Of the cluster's library we use kubeconfigs and their logins. Its thousand generated models come along by two names
 * that only `makeApiClient` needs, which nobody here calls: 11 MiB of memory, and as many of the file. Its dispatchers
 * are for `fetch`; we take its agents.
 */
export const loginOnly: Plugin = {
  name: 'login-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@kubernetes\/client-node$/ }, () => ({
      path: join(library, 'config.js'),
    }));
    for (const { file, contents } of insteadOf) onLoad({ filter: file }, () => ({ contents }));
  },
};

const standIns = `export function createConfiguration() { throw new Error('API clients are not bundled'); }
export class ServerConfiguration {}
`;

const dispatchers = `export class Agent {
  constructor() { throw new Error('dispatchers are not bundled'); }
}
export class ProxyAgent extends Agent {}
`;

export const insteadOf = [
  { file: /\/client-node\/dist\/gen\/index\.js$/, contents: standIns },
  { file: /\/node_modules\/undici\/index\.js$/, contents: dispatchers },
];
