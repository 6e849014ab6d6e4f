import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { insteadOf, library } from '#infra/build/login-only.ts';
import { root } from '#infra/build/options.ts';

// Every worker of the tests loads packages anew. Of the cluster's library it loads what a bundle has of it: 0.2 s, and 0.8
// with the thousand models.
const whole = pathToFileURL(join(library, 'index.js')).href;
const login = pathToFileURL(join(library, 'config.js')).href;

// Node reads drizzle's manifest of 175 KB anew at each of its hundred modules: 0.9 s, and 0.06 for whoever believes that
// `./x.js` lies beside.
const drizzle = pathToFileURL(join(root, 'node_modules/drizzle-orm/')).href;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (parentURL.startsWith(drizzle) && /^\..*\.js$/.test(specifier)) {
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    }
    const found = next(specifier, context);
    return found.url === whole ? { ...found, url: login } : found;
  },
  load(url, context, next) {
    const source = insteadOf.find(({ file }) => file.test(url))?.contents;
    return source === undefined
      ? next(url, context)
      : { format: 'module', source, shortCircuit: true };
  },
});
