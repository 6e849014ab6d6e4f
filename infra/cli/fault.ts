import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readFault, usageOf } from '../emulator/world/faults/apply-fault.ts';
import { type Fault, faults, off } from '../emulator/world/faults/table.ts';
import { outputOption } from './config.ts';
import { asJson, type OutputFormat, trouble, type World } from './output.ts';

export function addFault(program: Command, world: World): void {
  program
    .command('fault')
    .summary('break something of the running emulator, as production will')
    .description(
      'Turns a knob of a running gatehouse dev: what the cluster, the queue or the process does to functions some day, it does now. Without a name it lists what there is.',
    )
    .argument('[name]', 'which fault')
    .argument('[arguments...]', 'in their order, or as name=value')
    .option('--state <folder>', 'of gatehouse dev (default: GATEHOUSE_STATE, or .gatehouse)')
    .addOption(outputOption('text', 'json'))
    .addHelpText('after', help)
    .action(async (name: string | undefined, given: string[], options: Options, self: Command) => {
      const { state, output } = options;
      const { print } = world.terminal;
      if (name === undefined) return print(output === 'json' ? asJson(known()) : `${listed()}\n`);
      const stated = { name, ...argumentsOf(name, given) };
      const misread = await misreadOrTurned(state ?? world.environment.stateFolder, stated);
      if (misread !== undefined) self.error(misreadWords(misread));
      print(output === 'json' ? asJson({ kind: 'turned', ...stated }) : turned(name));
      return undefined;
    });
}

function turned(name: string): string {
  return name === off ? 'all that lasted are taken back\n' : `${name} is turned\n`;
}

type Options = { readonly state?: string; readonly output: OutputFormat };

const help = `
Faults (what stands in brackets may be left out):
${listed()}

One that lasts (until ...) is also taken back by gatehouse fault off, with all others that last.

Arguments:
${explained()}

By HTTP: POST {"name": "fail", "code": 500, "times": 2} to /faults at the address control of endpoints.json, with its
token as a bearer token; GET lists them.

Examples:
  $ gatehouse fault fail 500 verb=update times=2
  $ gatehouse fault gone Pod user=everybody
  $ gatehouse fault recreate Pod team-a/web
  $ gatehouse fault off
  $ gatehouse fault -o json

Exit codes: 0 it is turned, 1 it is not (nothing runs, or what is named is not there), 2 wrong usage (no such fault, or
not so).
`;

function known() {
  return faults.map(({ name, takes, breaks, until }) => ({ name, takes, breaks, until }));
}

function listed(): string {
  const width = Math.max(...faults.map((fault) => usageOf(fault).length));
  return faults
    .map((fault) => `  ${usageOf(fault).padEnd(width)}  ${[fault.breaks, untilOf(fault)].join('')}`)
    .join('\n');
}

function untilOf({ until }: Fault): string {
  return until === undefined ? '' : ` Until ${until}.`;
}

/** Each once; what means another thing with another fault stands there again. */
function explained(): string {
  const all = faults.flatMap(({ takes }) => takes.map(({ name, about }) => ({ name, about })));
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [...new Set(lines)].toSorted().join('\n');
}

/** `fail 500 verb=update times=2` */
function argumentsOf(name: string, given: readonly string[]): Readonly<Record<string, unknown>> {
  const takes = faults.find((each) => each.name === name)?.takes ?? [];
  const stated = gathered(given, takes.length).map((text, index) => statedBy(text, index, takes));
  return Object.fromEntries(stated);
}

/** `recreate Pod team-a/web` without quotes: what is left over is of the last one. */
function gathered(given: readonly string[], most: number): readonly string[] {
  if (most === 0 || given.length <= most) return given;
  return [...given.slice(0, most - 1), given.slice(most - 1).join(' ')];
}

function statedBy(text: string, index: number, takes: Fault['takes']): readonly [string, unknown] {
  const [, key, value] = /^([a-zA-Z]+)=(.*)$/s.exec(text) ?? [];
  if (key !== undefined && value !== undefined) return [key, typedOf(value)];
  return [takes[index]?.name ?? `argument ${index + 1}`, typedOf(text)];
}

function typedOf(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

type Refused = { readonly why?: string; readonly isMisread?: boolean };

type Control = { readonly control: string; readonly token: string };

/** Why it is none; where it is one it is turned. */
async function misreadOrTurned(folder: string, stated: { readonly name: string }) {
  return misreadOf(stated) ?? (await turn(folder, stated));
}

/** Why it is none, which needs no emulator. */
function misreadOf(stated: { readonly name: string }): string | undefined {
  if (stated.name === off) return undefined;
  try {
    readFault(stated);
    return undefined;
  } catch (cause: unknown) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function misreadWords(why: string): string {
  return `gatehouse: the fault was not turned\n  where: ${why}\n  to mend it: gatehouse fault --help says how each is called`;
}

/** Says where an emulator of another version has another word for it; throws where it could not. */
async function turn(folder: string, stated: object): Promise<string | undefined> {
  const { control, token } = await controlIn(folder);
  const answer = await asked(control, token, stated);
  if (answer.ok) return undefined;
  const { why = `it answered ${answer.status}`, isMisread } = (await answer.json()) as Refused;
  if (isMisread) return why;
  throw trouble('the fault was not turned', {
    where: why,
    mend: 'nothing was turned: mend what is named there, or name another object',
  });
}

async function asked(control: string, token: string, stated: object): Promise<Response> {
  try {
    return await fetch(`${control}/faults`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(stated),
    });
  } catch (cause: unknown) {
    throw trouble('the emulator does not answer', {
      where: control,
      mend: 'start gatehouse dev; the address that it had the last time is not in use',
      cause,
    });
  }
}

async function controlIn(folder: string): Promise<Control> {
  const file = join(folder, 'endpoints.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Control;
  } catch (cause: unknown) {
    throw trouble('there is no emulator to break', {
      where: `${file} cannot be read`,
      mend: 'start gatehouse dev in another terminal, or name its folder by --state',
      cause,
    });
  }
}
