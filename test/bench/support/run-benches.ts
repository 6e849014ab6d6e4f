import { inspect } from 'node:util';
import { type Bench, type Numbers, say } from './bench.ts';
import { asJson, asTable } from './print.ts';
import { stopAll } from './processes.ts';

const usage = 'npm run bench [-- NAME] [--json] [--OPTION N]';

export type Benches = {
  readonly known: readonly string[];
  readonly benchOf: (name: string) => Promise<Bench>;
  readonly print: (text: string) => unknown;
};

/** The exit code: 1 where a bar did not hold or nothing could be measured, 2 where nobody knows what was meant. */
export async function runBenches(args: readonly string[], benches: Benches): Promise<number> {
  const what = asked(args, benches.known);
  const problem = problemWith(what, benches.known);
  if (problem !== undefined) {
    say(problem);
    return 2;
  }
  let good = true;
  for (const name of what.names) good = (await runOne(name, what, benches)) && good;
  return good ? 0 : 1;
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
async function runOne(name: string, asked: Asked, benches: Benches): Promise<boolean> {
  const { json, numbers } = asked;
  try {
    const bench = await benches.benchOf(name);
    say(`${name}: ${bench.about}`);
    const report = await bench.run(optionsOf(bench, numbers));
    benches.print(`${json ? asJson(report) : asTable(report)}\n`);
    return report.bars.every((bar) => bar.holds);
  } catch (cause: unknown) {
    // With its causes, of which an error's own stack knows nothing.
    say(`${name}: ${inspect(cause)}`);
    return false;
  } finally {
    await stopAll();
  }
}
