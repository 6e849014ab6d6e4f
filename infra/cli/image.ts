import { type Command, Option } from 'commander';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { verifierKinds } from '#shared/domain/image-trust/verifiers.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { outputOption } from './config.ts';
import { hintLines } from './image/hints.ts';
import { type MigrationOptions, reportMigration } from './image/migration.ts';
import { exitOf, toJson, toText, unheardLines } from './image/report.ts';
import { loginIn, readNamespaces, rulesFor } from './image/rules.ts';
import { verifyImage } from './image/verify.ts';
import { asJson, type OutputFormat, type World } from './output.ts';

type Options = {
  readonly namespaceFile?: string;
  readonly loginFile?: string;
  readonly output: OutputFormat;
};

export type Sources = {
  readonly settings: () => Promise<Settings>;
  /** The world's own where it is left out; tests hand in theirs. */
  readonly outside?: Outside;
  readonly now?: () => Date;
  /** Ctrl-C where it is left out. */
  readonly signal?: AbortSignal;
};

export function addImage(program: Command, world: World, sources: Sources): void {
  const image = program.command('image').description('who vouches for images');

  image
    .command('verify')
    .summary('say who vouched for an image, by which key and until when')
    .description(
      "Verifies an image as a pod's admission would, with the platform's rules or a namespace's own, and plants nothing. The kubelets' credential providers are never asked, here or at an admission: what only they open needs a pull secret, and here --login-file. Exits with 0 if it is trusted, 1 if it is not, 2 if nobody can say (who has to be asked does not answer), 3 if it was not even asked: wrong usage, or a configuration or a file that cannot be used.",
    )
    .argument('<image>', 'as it stands in a pod')
    .addOption(namespaceFileOption())
    .addOption(loginFileOption())
    .addOption(outputOption('text', 'json'))
    .action(async (name: string, options: Options, command: Command) => {
      const settings = await sources.settings();
      const namespaces = readNamespaces(options.namespaceFile);
      const rules = rulesFor(namespaces, settings);
      if (typeof rules === 'string') command.error(`error: ${rules}`);
      const login = loginIn(options.loginFile);
      await verify(name, { ...sources, world, settings, rules, login, output: options.output });
    });

  image
    .command('report')
    .summary('say which images would pass which verifier')
    .description(
      'Asks every verifier that is configured about every image, and says why not: before namespaces are labelled, or other verifiers demanded. Without images those of the pods in a cluster, each by the rules of its namespace and with its pull secrets. Plants nothing. Exits with 0 if all may run by the rules in force (with --verifier: by this one alone), 1 if one may not, 2 if of one nobody can say or it was interrupted, 3 if it cannot begin or is broken off: wrong usage, a configuration, a file or a cluster that cannot be used.',
    )
    .argument('[images...]', 'as they stand in pods; none: what runs in the cluster')
    .option('-f, --filename <file>', 'images, one a line; - is standard input')
    .addOption(namespaceOption())
    .option('--all', "also the namespaces in which nothing is verified, by the platform's rules")
    .option('--kubeconfig <file>', 'the cluster (default: KUBECONFIG, or the one that we run in)')
    .addOption(namespaceFileOption())
    .addOption(loginFileOption())
    .addOption(new Option('--verifier <name>', 'this one alone').choices(verifierKinds))
    .addOption(outputOption('text', 'json'))
    .action(async (images: readonly string[], options: MigrationOptions, command: Command) =>
      reportMigration(images, options, { ...sources, world, command }),
    );
}

/** Repeated, not several behind one: what follows is an image. */
function namespaceOption(): Option {
  const more = (name: string, before: readonly string[] = []) => [...before, name];
  return new Option(
    '-n, --namespace <name>',
    'of the cluster, only this one, verified or not; may be repeated',
  ).argParser(more);
}

function namespaceFileOption(): Option {
  return new Option(
    '--namespace-file <file>',
    'a namespace, whose labels and annotations say the rules',
  );
}

function loginFileOption(): Option {
  return new Option(
    '--login-file <file>',
    'a Docker configuration, whose logins are shown to registries and Notary',
  );
}

type Verifying = Pick<Options, 'output'> &
  Omit<Sources, 'settings' | 'signal'> & {
    readonly world: World;
    readonly settings: Settings;
    readonly rules: TrustRules;
    readonly login: string | undefined;
  };

async function verify(name: string, { world, output, ...given }: Verifying): Promise<void> {
  const { terminal, environment, fail } = world;
  const { databaseUrl } = environment;
  const { progress } = terminal;
  const ground = { ...given, databaseUrl };
  const { judged, unheard } = await verifyImage(name, { ...ground, progress });
  const text = () => toText(judged, terminal) + unheardLines(unheard) + hintLines(judged, ground);
  terminal.print(output === 'json' ? asJson({ ...toJson(judged), unheard }) : text());
  const exit = exitOf(judged.judgement);
  if (exit !== 0) fail(exit);
}
