import { loadFunctions } from '#infra/functions.ts';
import { openRegistry } from '#shared/runtime/registry.ts';

/** A program: what each folder's functions come to, in the real loader; vitest has one of its own. */
const results = [];
for (const directory of process.argv.slice(2)) {
  const loaded = await loadFunctions({ builtIn: false, directory });
  const registered = loaded.ok ? openRegistry(loaded.found) : loaded;
  results.push(
    registered.ok
      ? { names: registered.registry.definitions.map(({ name }) => name), problems: [] }
      : { names: [], problems: registered.problems },
  );
}
process.stdout.write(JSON.stringify(results));
