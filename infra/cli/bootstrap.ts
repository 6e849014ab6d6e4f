import type { Command } from 'commander';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { loginFrom } from '#shared/runtime/login.ts';
import { cannotBeRead, readStatus, type Unread } from './bootstrap/read-status.ts';
import { statusText } from './bootstrap/status-text.ts';
import { outputOption, settingsFrom } from './config.ts';
import { asJson, type OutputFormat, trouble, type World } from './output.ts';

type Options = {
  readonly output: OutputFormat;
  readonly kubeconfig?: string;
  readonly namespace?: string;
};

export function addBootstrap(program: Command, world: World): void {
  const { terminal, environment } = world;
  const bootstrap = program
    .command('bootstrap')
    .description('say what became of pods when they were made');

  bootstrap
    .command('status')
    .description(
      'print by which configuration every pod was made, and what it lacks of the one that counts now',
    )
    .option('-n, --namespace <name>', 'of this namespace; of all where it is left out')
    .option('--kubeconfig <file>', 'the cluster (default: KUBECONFIG, or the one that we run in)')
    .addOption(outputOption('text', 'json'))
    .action(async ({ output, kubeconfig, namespace }: Options) => {
      const { config } = program.opts<{ config?: string }>();
      const settings = settingsFrom(config ?? environment.configFile);
      const named = kubeconfig === undefined ? {} : { kubeconfig };
      const cluster = await openCluster({ login: known(loginFrom({ ...environment, ...named })) });
      try {
        const status = await readStatus(cluster, { settings, namespace });
        if ('problem' in status) sayUnread(status, output, world);
        else
          terminal.print(output === 'json' ? asJson(status) : statusText(status, terminal.paint));
      } finally {
        cluster.close();
      }
    });
}

function sayUnread(unread: Unread, output: OutputFormat, { terminal, fail }: World): void {
  if (output === 'text') throw cannotBeRead(unread);
  terminal.print(asJson(unread));
  fail();
}

function known(login: Login | undefined): Login {
  if (login !== undefined) return login;
  throw trouble('there is no cluster', {
    where: 'KUBECONFIG is not set, --kubeconfig is not given, and this is no pod',
    mend: 'set KUBECONFIG to the cluster’s file and run it again',
  });
}
