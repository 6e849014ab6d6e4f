import { Environment } from '@marcbachmann/cel-js';
import { registerAddresses } from './libraries/addresses.ts';
import { registerFormats } from './libraries/formats.ts';
import { registerLists } from './libraries/lists.ts';
import { registerTwoVariables } from './libraries/macros/two-variables.ts';
import { registerNetworks } from './libraries/networks.ts';
import { registerOptionals } from './libraries/optionals.ts';
import { registerQuantities } from './libraries/quantities.ts';
import { registerSets } from './libraries/sets.ts';
import { registerStrings } from './libraries/strings.ts';
import { registerTimes } from './libraries/times.ts';
import { registerUrls } from './libraries/urls.ts';
import { registerVersions } from './libraries/versions.ts';

/** The server estimates what a rule costs at most; here only its shape is bounded. */
const limits = {
  maxAstNodes: 2_000,
  maxDepth: 60,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 16,
};

let base: Environment | undefined;

/** A copy to add variables to; the libraries are registered once, at the first rule. */
export function newEnvironment(): Environment {
  base ??= withLibraries();
  return base.clone();
}

function withLibraries(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits,
  });
  for (const register of [
    registerStrings,
    registerLists,
    registerSets,
    registerUrls,
    registerQuantities,
    registerAddresses,
    registerNetworks,
    registerOptionals,
    registerTwoVariables,
    registerTimes,
    registerVersions,
    registerFormats,
  ])
    register(environment);
  return environment;
}
