import type { Plugin } from 'esbuild';
import { standIns } from '../stand-ins.mjs';
import { root } from './options.ts';

/** Packages that many starts never need, and what our own code imports of them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  pino: ['pino'],
  yaml: [
    'isAlias',
    'isMap',
    'isNode',
    'isScalar',
    'isSeq',
    'LineCounter',
    'parse',
    'parseAllDocuments',
    'visit',
  ],
};

/** In a bundle these are loaded when one of their functions is first called: `import` would load them at every start. */
export const lazily: Plugin = {
  name: 'lazily',
  setup({ onResolve, onLoad }) {
    const names = new RegExp(`^(${Object.keys(packages).join('|')})$`);
    onResolve({ filter: names }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'lazily' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazily' }, ({ path }) => ({
      contents: standIns(path, packages[path] ?? []),
      resolveDir: root,
    }));
  },
};
