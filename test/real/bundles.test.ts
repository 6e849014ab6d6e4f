import { builtInSources } from '#infra/build.ts';
import { bundleContract } from '#test/contracts/bundles.ts';

bundleContract(await builtInSources());
