import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Cluster } from '#shared/ports.ts';
import { type Act, scenario } from './demo/scenario.ts';
import { trouble, type World } from './output.ts';

type Options = { readonly state?: string; readonly keep: boolean };

export function addDemo(program: Command, world: World): void {
  program
    .command('demo')
    .summary('see on the running emulator what Gatehouse does, without kubectl')
    .description(
      'Plays a few steps on the cluster of a running gatehouse dev: what is done, what came of it, and how to look at it by kubectl. What it makes is removed at the end.',
    )
    .option('--state <folder>', 'of gatehouse dev (default: GATEHOUSE_STATE, or .gatehouse)')
    .option('--keep', 'leave what it makes', false)
    .action(async ({ state, keep }: Options) => {
      const folder = state ?? world.environment.stateFolder;
      const kubeconfig = await kubeconfigIn(folder);
      const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
      try {
        await play(cluster, world, keep);
        world.terminal.print(`\nlook around: export KUBECONFIG=${kubeconfig}\n`);
      } finally {
        cluster.close();
      }
    });
}

async function play(cluster: Cluster, { terminal }: World, keep: boolean): Promise<void> {
  const acts = scenario(cluster);
  try {
    for (const [index, act] of acts.entries()) await show(act, index + 1, terminal);
  } finally {
    if (!keep) for (const { undo } of acts.toReversed()) await undo?.();
  }
}

async function show(act: Act, number: number, { print, paint }: World['terminal']): Promise<void> {
  print(`\n${paint('bold', `${number}. ${act.title}`)}\n`);
  for (const line of await act.play()) print(`   ${line}\n`);
  print(paint('dim', `   $ ${act.look}\n`));
}

/** Where a running emulator has written it. */
async function kubeconfigIn(folder: string): Promise<string> {
  const file = join(folder, 'endpoints.json');
  try {
    const places = JSON.parse(await readFile(file, 'utf8')) as { readonly kubeconfig: string };
    return places.kubeconfig;
  } catch (cause: unknown) {
    throw trouble('there is no emulator to show it on', {
      where: `${file} cannot be read`,
      mend: 'start gatehouse dev in another terminal, or name its folder by --state',
      cause,
    });
  }
}
