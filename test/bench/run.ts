import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Bench, say } from './support/bench.ts';
import { sayCores, stopAll } from './support/processes.ts';
import { runBenches } from './support/run-benches.ts';

function benchNames(): readonly string[] {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return readdirSync(here)
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
}

async function benchOf(name: string): Promise<Bench> {
  const module: { bench: Bench } = await import(`./${name}.ts`);
  return module.bench;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(`${signal}: stopping`);
    void stopAll().finally(() => process.exit(130));
  });
}

sayCores();
const exitCode = await runBenches(process.argv.slice(2), {
  known: benchNames(),
  benchOf,
  print: (text) => process.stdout.write(text),
});
await stopAll();
process.exit(exitCode);
