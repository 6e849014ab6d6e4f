import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { jsonSchema } from '#shared/domain/decode.ts';
import { type Settings, settings } from '#shared/domain/settings.ts';
import { defaultSettings, type Loaded, sayProblem } from '#shared/runtime/config/load.ts';
import { loadSettingsFile } from '#shared/runtime/config/source.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { type CheckedDocument, checkDocumentFile, documentSchema } from './document-file.ts';
import { asJson, type OutputFormat, trouble, type World } from './output.ts';
import { unheardIn } from './unheard.ts';

/** What `capabilities` may name: whatever a function has, a user's own too. */
export type FindFunctions = () => Promise<Pick<Registry, 'definitions' | 'unknownCapabilities'>>;

export function addConfig(program: Command, world: World, functions: FindFunctions): void {
  const config = program
    .command('config')
    .description('check the configuration, or show it or its schema');

  config
    .command('check')
    .argument('[file]', 'the file; the one of GATEHOUSE_CONFIG where it is left out')
    .description(
      'say whether the file can be served, and if not, all that is wrong with it; also of the document of pod bootstrap, or of its ConfigMap, which --config may name',
    )
    .addOption(outputOption('text', 'json'))
    .action(async (given: string | undefined, options: CheckOptions, command: Command) => {
      const { config } = program.opts<{ config?: string }>();
      const file = given ?? config ?? world.environment.configFile;
      if (file === undefined) command.error('error: name a file, or set GATEHOUSE_CONFIG');
      // What stands in the one file says nothing of the other where there is but one.
      const told = given === undefined ? undefined : (config ?? world.environment.configFile);
      await checkConfig({ file, told, functions }, options.output, world);
    });

  config
    .command('schema')
    .description('print the JSON Schema of the file, for editors')
    .option('--document', "of the ConfigMap's document of pod bootstrap instead")
    .action(({ document }: { document?: true }) =>
      world.terminal.print(document ? documentSchema() : configSchema()),
    );

  config
    .command('show')
    .description('print the settings as they are served: the file, and the defaults for the rest')
    .addOption(outputOption('yaml', 'json'))
    .action(({ output }: { output: 'yaml' | 'json' }) => {
      const { config: file } = program.opts<{ config?: string }>();
      const shown = settingsFrom(file ?? world.environment.configFile);
      world.terminal.print(output === 'json' ? asJson(shown) : stringify(shown));
    });
}

export function outputOption(first: string, ...rest: readonly string[]): Option {
  return new Option('-o, --output <format>', 'for people or for scripts')
    .choices([first, ...rest])
    .default(first);
}

export function configSchema(): string {
  return asJson({ title: 'Gatehouse configuration', ...jsonSchema(settings) });
}

/** Of the verbs that need the settings and nothing else of the file. */
export function settingsFrom(file: string | undefined): Settings {
  if (file === undefined) return defaultSettings;
  const loaded = loadSettingsFile(file);
  if (loaded.ok) return loaded.settings;
  throw trouble('the configuration cannot be used', {
    where: loaded.problems.map(sayProblem),
    mend: `gatehouse config check ${file} says when it is good; gatehouse config schema has every key`,
  });
}

type CheckOptions = { readonly output: OutputFormat };

type Checking = {
  readonly file: string;
  readonly told: string | undefined;
  readonly functions: FindFunctions;
};

async function checkConfig(
  { file, told, functions }: Checking,
  output: OutputFormat,
  world: World,
): Promise<void> {
  const loaded = loadSettingsFile(file);
  // No settings, but it may be what the platform writes for pods.
  const checked = loaded.ok
    ? undefined
    : checkDocumentFile(file, () => settingsFrom(told).podBootstrap.configMap);
  if (checked !== undefined) return sayDocument(checked, output, world);
  const unheard = loaded.ok ? unheardIn(await functions(), loaded.settings) : [];
  const warnings = unheard.map((each) => `${file}: ${each}`);
  saySettings(file, withWarnings(loaded, warnings), { output, world });
}

function withWarnings(loaded: Loaded, more: readonly string[]): Loaded {
  return loaded.ok ? { ...loaded, warnings: [...(loaded.warnings ?? []), ...more] } : loaded;
}

type Saying = { readonly output: OutputFormat; readonly world: World };

function saySettings(file: string, loaded: Loaded, { output, world }: Saying): void {
  const { terminal, fail } = world;
  const problems = loaded.ok ? [] : loaded.problems;
  if (!loaded.ok) fail();

  const warnings = loaded.ok ? (loaded.warnings ?? []) : [];
  const warned = warnings.map((each) => terminal.paint('yellow', `warning: ${each}\n`)).join('');
  const verdict = loaded.ok
    ? `${warned}${terminal.paint('green', `${file}: good`)}`
    : terminal.paint('red', problems.map(sayProblem).join('\n'));
  terminal.print(
    output === 'json'
      ? asJson({ file, ok: loaded.ok, problems, ...(warnings.length > 0 ? { warnings } : {}) })
      : `${verdict}\n`,
  );
}

function sayDocument(checked: CheckedDocument, output: OutputFormat, { terminal, fail }: World) {
  const { file, ok, problems, warnings } = checked;
  if (!ok) fail();
  const lines = [
    ...problems.map((problem) => terminal.paint('red', `${file}: ${problem}`)),
    ...warnings.map((warning) => terminal.paint('yellow', `${file}: warning: ${warning}`)),
    ...(ok ? [terminal.paint('green', `${file}: good, a document of pod bootstrap`)] : []),
  ];
  terminal.print(output === 'json' ? asJson(checked) : `${lines.join('\n')}\n`);
}
