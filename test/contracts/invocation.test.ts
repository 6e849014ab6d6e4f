import { builtInSources } from '#infra/build.ts';
import { bundleContract } from './bundles.ts';

/** One that changes, one that refuses and one that time wakes: all that there are run in `test:real`. */
const some = ['prefer-pool', 'require-trusted-images', 'follow-pool'];

const builtIn = await builtInSources();
bundleContract(builtIn.filter(({ definition }) => some.includes(definition.name)));
