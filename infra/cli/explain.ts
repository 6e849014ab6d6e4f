import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import { outputOption } from './config.ts';
import { documentFrom } from './document-file.ts';
import { objectsIn, type Subject, subjectOf, textAt } from './explain/manifests.ts';
import { type Explained, hasFailed, toJson, toText } from './explain/report.ts';
import { assumptions, type Known, knownFrom, portsWith } from './explain/surroundings.ts';
import { type Bench, openBench, resourceOf, tryOut } from './explain/trial.ts';
import { openVouching, type Vouching } from './explain/vouching.ts';
import { loginIn } from './image/rules.ts';
import { asJson, type OutputFormat, type Terminal, trouble, type World } from './output.ts';

export type Load = () => Promise<{
  readonly registry: Registry;
  readonly settings: Settings;
  /** Registries and Notaries; the world's own where it is left out. */
  readonly outside?: Outside;
}>;

export type ExplainOptions = {
  readonly filename: string;
  readonly namespaceFile?: string;
  readonly nodesFile?: string;
  readonly bootstrapDocument?: string;
  readonly loginFile?: string;
  readonly entry?: string;
  readonly output: OutputFormat;
};

export function addExplain(program: Command, world: World, load: Load): void {
  program
    .command('explain')
    .summary('say what the functions would do with a pod, and why')
    .description(
      'Runs the pipeline of the admission server on what stands in a file, without a cluster: which function ran, which did not and why, each change with its reason, who vouches for each image, and what comes of it. Exits with 0 if all is admitted, 1 if something is denied, a function fails or a file cannot be used, 2 at wrong usage.',
    )
    .requiredOption(
      '-f, --filename <file>',
      'pods, or what makes pods (Deployment, CronJob, …), as YAML or JSON; - is standard input',
    )
    .option('--namespace-file <file>', 'their namespaces, with labels and annotations')
    .option('--nodes-file <file>', 'the nodes of the cluster')
    .option('--bootstrap-document <file>', 'the document of pod bootstrap, or its ConfigMap')
    .option(
      '--login-file <file>',
      'a Docker configuration, whose logins are shown to registries and Notary (default: none)',
    )
    .option(
      '--entry <path>',
      'one path that the API server would call (default: all that it calls for a pod)',
    )
    .addOption(outputOption('text', 'json'))
    .action(async (options: ExplainOptions) => {
      const explained = await explain(options, { terminal: world.terminal, load });
      if (explained.some(hasFailed)) world.fail();
    });
}

/** Answers 1 where something is denied or a function failed. */
export async function explain(
  options: ExplainOptions,
  { terminal, load }: { readonly terminal: Terminal; readonly load: Load },
): Promise<readonly Explained[]> {
  const given = await readAll(options.filename, terminal);
  const { registry, settings, outside } = await load();
  const known = await knownIn(options, { terminal, settings });
  await using stack = new AsyncDisposableStack();
  const surrounding = portsWith(known, settings);
  const { bootstrapDocument } = surrounding;
  const login = loginIn(options.loginFile);
  const { progress } = terminal;
  const vouching = openVouching({ settings, bootstrapDocument, outside, login, progress });
  stack.defer(() => vouching.close());
  const ports = { ...surrounding, images: vouching.images };
  const bench = await openBench({ registry, settings, ports, path: options.entry });

  const explained: Explained[] = [];
  for (const subject of subjectsIn(given, bench, { terminal, file: options.filename })) {
    explained.push(await explainOne(subject, known, { ...bench, vouching }));
  }
  terminal.print(
    options.output === 'json'
      ? asJson(explained.map(toJson))
      : explained.map((each) => toText(each, terminal.paint)).join('\n'),
  );
  return explained;
}

type Trying = Bench & { readonly vouching: Vouching };

async function explainOne(subject: Subject, known: Known, bench: Trying): Promise<Explained> {
  const namespace = namespaceOf(subject, known);
  const trial = await tryOut(bench, subject, namespace);
  const { absent, vouching } = bench;
  const notes = assumptions(known, { namespace, subject, trial });
  const paths = bench.entries.map(({ path }) => path);
  return { subject, namespace, paths, trial, absent, notes, ...(await vouching.take()) };
}

/** Of a namespace the API server says itself. */
function namespaceOf({ kind, name, namespace }: Subject, known: Known): string {
  return kind === 'Namespace' ? name : (namespace ?? onlyOne(known) ?? 'default');
}

/** A pod that names no namespace is meant for the one that is described. */
function onlyOne({ namespaces: [first, ...others] }: Known): string | undefined {
  return others.length === 0 ? first?.name : undefined;
}

type Source = { readonly terminal: Terminal; readonly file: string };

function subjectsIn(
  objects: readonly JsonObject[],
  { entries, pathsFor }: Bench,
  { terminal, file }: Source,
): readonly Subject[] {
  const wanted = entries.flatMap(({ functions }) =>
    functions.flatMap(({ definition }) => definition.trigger.resources),
  );
  const subjects = objects.flatMap((object) => {
    const kind = textAt(object, 'kind') || 'something without a kind';
    const subject = subjectOf(object, wanted.includes(resourceOf(kind)));
    if (subject === undefined) terminal.complain(`passed over: ${kind} makes no pods\n`);
    return subject ?? [];
  });
  if (subjects.length > 0) return subjects;
  const others = objects.flatMap((object) => pathsFor(textAt(object, 'kind')));
  throw trouble(`there is no pod in ${file === '-' ? 'standard input' : file}`, {
    mend: [
      'give a Pod, a List of them, or what has a pod template',
      ...[...new Set(others)].map((path) => `for what stands there, --entry ${path}`),
    ],
  });
}

type Asking = { readonly terminal: Terminal; readonly settings: Settings };

async function knownIn(
  { namespaceFile, nodesFile, bootstrapDocument }: ExplainOptions,
  { terminal, settings }: Asking,
): Promise<Known> {
  const namespaces = namespaceFile === undefined ? [] : await readAll(namespaceFile, terminal);
  const nodes = nodesFile === undefined ? undefined : await readAll(nodesFile, terminal);
  const { configMap } = settings.podBootstrap;
  const document = bootstrapDocument && documentFrom(bootstrapDocument, configMap);
  return { ...knownFrom(namespaces, nodes), document };
}

async function readAll(file: string, terminal: Terminal): Promise<readonly JsonObject[]> {
  return objectsIn(file === '-' ? await terminal.read() : readText(file), file);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause: unknown) {
    throw trouble(`cannot read ${file}`, { cause, mend: 'name a file, or - for standard input' });
  }
}
