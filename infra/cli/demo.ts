import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Places } from '../emulator/dev/state-files.ts';
import { outputOption } from './config.ts';
import { play, type Shown } from './demo/play.ts';
import { scenario } from './demo/scenario.ts';
import { type OutputFormat, type Terminal, trouble, type World } from './output.ts';
import { untilTold } from './until-told.ts';

type Options = {
  readonly state?: string;
  readonly keep: boolean;
  readonly output: OutputFormat;
};

export function addDemo(program: Command, world: World): void {
  program
    .command('demo')
    .summary('see on the running emulator what Gatehouse does, without kubectl')
    .description(
      'Plays a few steps on the cluster of a running gatehouse dev: what is done, what came of it, and how to look at it by kubectl. What it makes is removed at the end.',
    )
    .option('--state <folder>', 'of gatehouse dev (default: GATEHOUSE_STATE, or .gatehouse)')
    .option('--keep', 'leave what it makes', false)
    .addOption(outputOption('text', 'json'))
    .addHelpText('after', help)
    .action(async ({ state, keep, output }: Options) => {
      const folder = state ?? world.environment.stateFolder;
      const kubeconfig = await kubeconfigIn(folder);
      const { begin, show, end } = sayingTo(world.terminal, { output, keep, kubeconfig });
      begin();
      const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
      const { signal, off } = untilTold({ most: keep ? 1 : 2, say: world.terminal.complain });
      try {
        const ended = await play(scenario(cluster, signal), { keep, show, signal });
        if (ended === 'stopped') stoppedEarly(world, keep);
        else end();
      } finally {
        off();
        cluster.close();
      }
    });
}

const help = `
With -o json each step is a line: {"step", "title", "came": ["what came of it"], "look": "by kubectl"}.

Exit codes: 0 it was shown, 1 it was not (no gatehouse dev runs, or Ctrl-C), 2 wrong usage.
`;

type Saying = Pick<Options, 'output' | 'keep'> & { readonly kubeconfig: string };

function sayingTo(terminal: Terminal, { output, keep, kubeconfig }: Saying) {
  if (output === 'json') {
    return { begin() {}, show: (shown: Shown) => asLine(shown, terminal), end() {} };
  }
  return {
    begin: () => terminal.print(firstWords(kubeconfig, terminal)),
    show: (shown: Shown) => asText(shown, terminal),
    end: () => terminal.print(`\n${lastWords(keep, kubeconfig)}\n`),
  };
}

/** What is shown beside each step is typed somewhere else, where kubectl may know another cluster. */
function firstWords(kubeconfig: string, { paint }: Terminal): string {
  return paint('dim', `   $ export KUBECONFIG=${kubeconfig}\n`);
}

/** What was shown beside each step can be typed only where it is left. */
export function lastWords(keep: boolean, kubeconfig: string): string {
  return keep
    ? `look around: export KUBECONFIG=${kubeconfig}`
    : 'what it made is removed again; gatehouse demo --keep leaves it there to look at';
}

function stoppedEarly({ terminal, fail }: World, keep: boolean): void {
  terminal.complain(`stopped; what it made ${keep ? 'is left' : 'is removed'}\n`);
  fail();
}

function asText({ step, act, came }: Shown, { print, paint }: Terminal): void {
  print(`\n${paint('bold', `${step}. ${act.title}`)}\n`);
  for (const line of came) print(`   ${line}\n`);
  print(paint('dim', `   $ ${act.look}\n`));
}

function asLine({ step, act: { title, look }, came }: Shown, { print }: Terminal): void {
  print(`${JSON.stringify({ step, title, came, look })}\n`);
}

/** Where a running emulator has written it; one that runs no more has left it there. */
async function kubeconfigIn(folder: string): Promise<string> {
  const { kubeconfig, control } = await placesIn(folder);
  try {
    await fetch(control);
  } catch (cause: unknown) {
    throw trouble('the emulator does not answer', {
      where: control,
      mend: 'start gatehouse dev; the address that it had the last time is not in use',
      cause,
    });
  }
  return kubeconfig;
}

async function placesIn(folder: string): Promise<Pick<Places, 'kubeconfig' | 'control'>> {
  const file = join(folder, 'endpoints.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Places;
  } catch (cause: unknown) {
    throw trouble('there is no emulator to show it on', {
      where: `${file} cannot be read`,
      mend: 'start gatehouse dev in another terminal, or name its folder by --state',
      cause,
    });
  }
}
