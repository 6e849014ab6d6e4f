import { builtInSources } from '#infra/build.ts';
import { bundleContract } from './bundles.ts';

const builtIn = await builtInSources();

function named(name: string) {
  const found = builtIn.find(({ definition }) => definition.name === name);
  if (found === undefined) throw new Error(`no function is called ${name}`);
  return found;
}

/** One that changes, one that refuses and one that time wakes: all that there are run in `test:real`. */
bundleContract(['prefer-pool', 'require-trusted-images', 'follow-pool'].map(named));
