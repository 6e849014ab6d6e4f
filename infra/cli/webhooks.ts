import { Argument, type Command } from 'commander';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { bundledConfigurations, ownConfigurations } from '#shared/domain/certificates/ca-bundle.ts';
import { mutatingWebhooks, validatingWebhooks } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { entriesOf, planSwitch } from '#shared/domain/webhook-switch.ts';
import type { Cluster } from '#shared/ports.ts';
import { loginFrom } from '#shared/runtime/login.ts';
import { outputOption } from './config.ts';
import { asJson, type OutputFormat, trouble, type World } from './output.ts';

type Options = { readonly output: OutputFormat; readonly kubeconfig?: string };
type To = 'on' | 'off' | 'status';

/** The way out that needs nothing but the cluster: none of our processes, and no database. */
export function addWebhooks(program: Command, world: World): void {
  program
    .command('webhooks')
    .summary('switch Gatehouse’s webhooks off and on again')
    .description(
      'Says whether the API server calls Gatehouse, lets it call nobody, or lets it call again. Off, each entry has one match condition more that no request meets; nothing else is touched. It needs the cluster and no part of Gatehouse: the way out when nothing comes up any more.',
    )
    .addArgument(
      new Argument('[state]', 'on or off; without it, it says what is')
        .choices(['on', 'off', 'status'])
        .default('status'),
    )
    .option('--kubeconfig <file>', 'the cluster (default: KUBECONFIG, or the one that we run in)')
    .addOption(outputOption('text', 'json'))
    .action(async (to: To, options: Options) => {
      const cluster = await openCluster({ login: loginOf(options, world) });
      try {
        await run(cluster, to, { world, output: options.output });
      } finally {
        cluster.close();
      }
    });
}

function loginOf({ kubeconfig }: Options, { environment }: World): Login {
  const login = loginFrom({ ...environment, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
  if (login !== undefined) return login;
  throw trouble('there is no cluster', {
    where: 'KUBECONFIG is not set, --kubeconfig is not given, and this is no pod',
    mend: 'set KUBECONFIG to the cluster’s file and run it again',
  });
}

type Saying = { readonly world: World; readonly output: OutputFormat };

export async function run(cluster: Cluster, to: To, { world, output }: Saying): Promise<void> {
  const found = await configurationsIn(cluster);
  if (found.length === 0) {
    throw trouble('there are no webhooks of Gatehouse in this cluster', {
      mend: 'gatehouse render --target kubernetes makes them; see that this is the cluster that is meant',
    });
  }
  if (to !== 'status') for (const each of found) await turn(cluster, each, to);
  const now = to === 'status' ? found : await configurationsIn(cluster);
  const entries = now.flatMap((each) =>
    entriesOf(each).map((entry) => ({
      configuration: each.metadata.name,
      kind: each.kind,
      ...entry,
    })),
  );
  const lines = entries.map(
    ({ kind, name, isOff }) => `${isOff ? 'off' : 'on '}  ${name}  (${kind})\n`,
  );
  world.terminal.print(output === 'json' ? asJson(entries) : lines.join(''));
}

async function configurationsIn(cluster: Cluster): Promise<readonly KubeObject[]> {
  return ownConfigurations(await Promise.all(bundledConfigurations.map((at) => cluster.find(at))));
}

/** Somebody else may write at the same time: the patch is made anew of what is there then. */
async function turn(cluster: Cluster, seen: KubeObject, to: 'on' | 'off'): Promise<void> {
  const { name = '' } = seen.metadata;
  const kind = seen.kind === mutatingWebhooks.kind ? mutatingWebhooks : validatingWebhooks;
  for (let attempt = 1; ; attempt += 1) {
    const now = await cluster.find({ kind, name });
    const operations = now === undefined ? [] : planSwitch(now, to);
    if (operations.length === 0) return;
    const written = await cluster.patch({ kind, name }, { type: 'json', operations });
    if (written.kind === 'written') return;
    if (attempt === 5)
      throw trouble(`${kind.kind} ${name} was not switched ${to}: ${written.kind}`);
  }
}
