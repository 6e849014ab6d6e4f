import { cleanAgainst } from '../../emulator/dev/against/clean.ts';
import { type Kubeconfig, readKubeconfig } from '../../emulator/dev/against/kubeconfig.ts';
import { type AgainstOptions, openAgainst } from '../../emulator/dev/against/open-against.ts';
import { type WayHere, wayBackFrom, wayFrom } from '../../emulator/dev/against/way-here.ts';
import { trouble, type World } from '../output.ts';

export type Asked = {
  readonly against: string;
  readonly webhookHost?: string;
  readonly yes: boolean;
  readonly clean: boolean;
};

type Base = Omit<AgainstOptions, 'kubeconfig' | 'way' | 'stopped'> & {
  /** Told more often than that, we go as we are. */
  readonly told: (most: number) => AbortSignal;
};

/** In a cluster that is not ours; `undefined` where nothing is to be run in it, or it was told to end before it had begun. */
export async function openThere(asked: Asked, world: World, base: Base) {
  const kubeconfig = await readKubeconfig(asked.against);
  if (asked.clean) {
    await clean(kubeconfig, world, base);
    return undefined;
  }
  const way = wayOf(asked, kubeconfig);
  await confirm(warningOf(kubeconfig, base, way), asked, world);
  // Told twice it still removes what it made there.
  const stopped = base.told(2);
  try {
    const running = await openAgainst({ ...base, kubeconfig, way, stopped });
    return { ...running, stopped };
  } catch (cause: unknown) {
    if (stopped.aborted && cause === stopped.reason) return undefined;
    throw cause;
  }
}

async function clean(kubeconfig: Kubeconfig, { terminal }: World, { stateFolder }: Base) {
  const gone = await cleanAgainst(kubeconfig, stateFolder);
  const lines = gone.map((name) => `removed ${name}\n`);
  terminal.print(lines.length === 0 ? 'nothing of ours is there\n' : lines.join(''));
}

function wayOf({ webhookHost }: Asked, { server }: Kubeconfig): WayHere | undefined {
  if (webhookHost === undefined) return wayBackFrom(server);
  const way = wayFrom(webhookHost);
  if (way !== undefined) return way;
  throw trouble('this host cannot be called', {
    where: `--webhook-host ${webhookHost}`,
    mend: 'name it as HOST or HOST:PORT: a name or an address by which the API server reaches this machine',
  });
}

function warningOf(
  kubeconfig: Kubeconfig,
  base: Base,
  way: WayHere | undefined,
): readonly string[] {
  const { server, context, path } = kubeconfig;
  const { namespace } = base.config.current().installation;
  return [
    `it changes a cluster that is not its own: ${server.origin} (context ${context} of ${path})`,
    `it makes the namespace ${namespace}, a service account, and roles with the rights that the functions state`,
    way === undefined
      ? 'it registers no webhooks: nobody has said how that API server reaches this machine (--webhook-host HOST), so admission functions are not asked'
      : `it registers webhooks by which that API server asks this machine (${way.host}) and goes on without an answer where it is not there`,
    'its functions act on the objects there as they do in production; what they change stays',
    'what it made goes at the end; after a kill, at the next start or by --clean',
  ];
}

async function confirm(warning: readonly string[], { yes }: Asked, { terminal }: World) {
  terminal.complain(
    `${terminal.paint('yellow', 'Before it begins:')}\n${warning.map((line) => `  ${line}\n`).join('')}`,
  );
  if (yes) return;
  const answer = await terminal.ask?.('Go on? [y/N] ');
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return;
  throw trouble('nothing was changed in that cluster', {
    where: answer === undefined ? 'nobody is there to ask' : 'the answer was no',
    mend: 'run it with --yes, or answer y',
  });
}
