import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { type Bench, type Numbers, say } from './support/bench.ts';
import { asJson, asTable } from './support/print.ts';
import { sayCores, stopAll } from './support/processes.ts';

const usage = 'npm run bench [-- NAME] [--json] [--OPTION N]';

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

type Asked = {
  readonly names: readonly string[];
  readonly json: boolean;
  readonly numbers: Numbers;
};

/** Which options there are is the benches' own affair, so any `--name N` is taken here, and `optionsOf` judges. */
function asked(args: readonly string[], known: readonly string[]): Asked {
  const named = args.filter((word, at) => !isOption(word) && !takesValue(args[at - 1]));
  const options = args.filter(takesValue).map((word): [string, number] => {
    const [name = '', value = args[args.indexOf(word) + 1] ?? ''] = word.slice(2).split('=');
    return [name, value === '' ? Number.NaN : Number(value)];
  });
  return {
    names: named.length === 0 ? known : named,
    json: args.includes('--json'),
    numbers: Object.fromEntries(options),
  };
}

function isOption(word: string): boolean {
  return word.startsWith('--');
}

function takesValue(word: string | undefined): boolean {
  return word !== undefined && isOption(word) && word !== '--json';
}

function problemWith({ names, numbers }: Asked, known: readonly string[]): string | undefined {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return `no benchmark "${unknown}"; there are: ${known.join(', ')}`;
  const crooked = Object.entries(numbers).find(([, value]) => !Number.isFinite(value));
  return crooked === undefined ? undefined : `--${crooked[0]} needs a number; ${usage}`;
}

/** Options that a bench does not know are a mistake when it is asked for by name. */
function optionsOf(bench: Bench, numbers: Numbers): Numbers {
  const unknown = Object.keys(numbers).find((name) => !(name in bench.options));
  if (unknown !== undefined) {
    const known = Object.keys(bench.options).map((name) => `--${name}`);
    throw new Error(`no option --${unknown}; there are: ${known.join(', ')}`);
  }
  return { ...bench.options, ...numbers };
}

/** One that cannot be measured does not keep the others from it. */
async function runOne(name: string, { json, numbers }: Asked): Promise<boolean> {
  try {
    const bench = await benchOf(name);
    say(`${name}: ${bench.about}`);
    const report = await bench.run(optionsOf(bench, numbers));
    process.stdout.write(`${json ? asJson(report) : asTable(report)}\n`);
    return report.bars.every((bar) => bar.holds);
  } catch (cause: unknown) {
    // With its causes, of which an error's own stack knows nothing.
    say(`${name}: ${inspect(cause)}`);
    return false;
  } finally {
    await stopAll();
  }
}

async function main(): Promise<number> {
  const known = benchNames();
  const what = asked(process.argv.slice(2), known);
  const problem = problemWith(what, known);
  if (problem !== undefined) {
    say(problem);
    return 2;
  }
  sayCores();
  let good = true;
  for (const name of what.names) good = (await runOne(name, what)) && good;
  return good ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(`${signal}: stopping`);
    void stopAll().finally(() => process.exit(130));
  });
}

const exitCode = await main();
await stopAll();
process.exit(exitCode);
