import type { Plugin } from 'esbuild';
import { httpAlone as contents } from '../stand-ins.mjs';

/** No bundle loads Node's fetch because it, or a package, imports `http`. */
export const httpAlone: Plugin = {
  name: 'http-alone',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'http-alone' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'http-alone' }, () => ({ contents: contents() }));
  },
};
