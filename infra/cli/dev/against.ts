import { cleanAgainst } from '../../emulator/dev/against/clean.ts';
import { type Kubeconfig, readKubeconfig } from '../../emulator/dev/against/kubeconfig.ts';
import { countedKinds, manifestsThere } from '../../emulator/dev/against/manifests-there.ts';
import { markLabel } from '../../emulator/dev/against/mark.ts';
import { type AgainstOptions, openAgainst } from '../../emulator/dev/against/open-against.ts';
import type { Others } from '../../emulator/dev/against/remove.ts';
import { type WayHere, wayBackFrom, wayFrom } from '../../emulator/dev/against/way-here.ts';
import { openFunctionsInWork } from '../../emulator/dev/functions-in-work.ts';
import { untimed } from '../../emulator/dev/inspecting.ts';
import { trouble, type World } from '../output.ts';

export type Asked = {
  readonly against: string;
  readonly webhookHost?: string;
  readonly yes: boolean;
  readonly clean: boolean;
};

type Base = Omit<AgainstOptions, 'kubeconfig' | 'way' | 'stopped' | 'functions'> & {
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
  // What is made follows from them, and is said before.
  const functions = await openFunctionsInWork(base.folders, untimed);
  await confirm(warningOf(kubeconfig, { ...base, functions }, way), asked, world);
  // Told twice it still removes what it made there.
  const stopped = base.told(2);
  try {
    const running = await openAgainst({ ...base, functions, kubeconfig, way, stopped });
    return { ...running, stopped };
  } catch (cause: unknown) {
    if (stopped.aborted && cause === stopped.reason) return undefined;
    throw cause;
  }
}

async function clean(kubeconfig: Kubeconfig, world: World, { stateFolder }: Base) {
  const { print, complain } = world.terminal;
  const { gone, others } = await cleanAgainst(kubeconfig, stateFolder);
  print(gone.map((name) => `removed ${name}\n`).join(''));
  if (gone.length === 0 && others.length === 0) print('nothing of ours is there\n');
  if (others.length === 0) return;
  for (const each of others) complain(othersText(each, { kubeconfig, stateFolder }));
  // Whoever removed something has done what was asked; who found nothing asked in the wrong folder.
  if (gone.length === 0) world.fail();
}

type Where = { readonly kubeconfig: Kubeconfig; readonly stateFolder: string };

function othersText(
  { mark, names, resources }: Others,
  { kubeconfig: { path }, stateFolder }: Where,
): string {
  const label = `${markLabel}=${mark}`;
  return `not of the state folder ${stateFolder}, but of another dev: ${names.join(', ')}
  it is labelled ${label}
  to remove it: end that one by Ctrl-C; or, where it was killed, in its folder gatehouse dev --against ${path} --clean;
  or, where the folder is lost, kubectl --kubeconfig ${path} delete ${resources.join(',')} --all-namespaces -l ${label}
`;
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
  { server, context, path }: Kubeconfig,
  { config, functions }: Pick<AgainstOptions, 'config' | 'functions'>,
  way: WayHere | undefined,
): readonly string[] {
  const settings = config.current();
  const { namespace } = settings.installation;
  const made = manifestsThere(functions.registry, settings, { mark: '', host: way?.host });
  return [
    `it changes a cluster that is not its own: ${server.origin} (context ${context} of ${path})`,
    `it makes ${countedKinds(made)}, all labelled ${markLabel}; their roles have the rights that the functions state`,
    `in the namespace ${namespace} it keeps what it needs itself, such as Leases and the Secret of its certificate; they go with the namespace`,
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
