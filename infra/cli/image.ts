import type { Command } from 'commander';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { outputOption } from './config.ts';
import { exitOf, toJson, toText } from './image/report.ts';
import { readNamespaces, rulesFor } from './image/rules.ts';
import { verifyImage } from './image/verify.ts';
import { asJson, type OutputFormat, type World } from './output.ts';

type Options = {
  readonly namespaceFile?: string;
  readonly output: OutputFormat;
};

export type Sources = {
  readonly settings: () => Promise<Settings>;
  /** The world's own where it is left out; tests hand in theirs. */
  readonly outside?: Outside;
  readonly now?: () => Date;
};

export function addImage(program: Command, world: World, sources: Sources): void {
  const image = program.command('image').description('who vouches for an image');

  image
    .command('verify')
    .summary('say who vouched for an image, by which key and until when')
    .description(
      "Verifies an image as a pod's admission would, with the platform's rules or a namespace's own, and plants nothing. Exits with 0 if it is trusted, 1 if it is not, 2 if nobody can say.",
    )
    .argument('<image>', 'as it stands in a pod')
    .option('--namespace-file <file>', 'a namespace, whose labels and annotations say the rules')
    .addOption(outputOption('text', 'json'))
    .action(async (name: string, options: Options, command: Command) => {
      const settings = await sources.settings();
      const namespaces = readNamespaces(options.namespaceFile);
      const rules = rulesFor(namespaces, settings);
      if (typeof rules === 'string') command.error(`error: ${rules}`);
      await verify(name, { ...sources, world, settings, rules, output: options.output });
    });
}

type Verifying = Pick<Options, 'output'> &
  Omit<Sources, 'settings'> & {
    readonly world: World;
    readonly settings: Settings;
    readonly rules: TrustRules;
  };

async function verify(name: string, { world, output, ...given }: Verifying): Promise<void> {
  const { terminal, environment, fail } = world;
  const { databaseUrl } = environment;
  const { progress } = terminal;
  const { judgement } = await verifyImage(name, { ...given, databaseUrl, progress });
  const text =
    output === 'json' ? asJson(toJson(name, judgement)) : toText(name, judgement, terminal);
  terminal.print(text);
  const exit = exitOf(judgement);
  if (exit !== 0) fail(exit);
}
