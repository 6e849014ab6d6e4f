import type { Command } from 'commander';
import { openBootstrapDocuments } from '#shared/adapters/cluster/bootstrap-documents.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { keepDocument } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { loginFrom } from '#shared/runtime/login.ts';
import type { Sources } from '../image.ts';
import { asJson, type OutputFormat, trouble, type World } from '../output.ts';
import { untilTold } from '../until-told.ts';
import { type Ground, openForgetful } from './ground.ts';
import { imagesListed, type Question, questionsIn } from './questions.ts';
import { unheardLines } from './report.ts';
import { loginIn, readNamespaces, rulesFor, textOf } from './rules.ts';
import { type Column, columnsIn, type Survey, survey } from './survey.ts';
import { surveyExit, surveyJson, surveyText } from './survey-text.ts';
import type { Unheard } from './unheard.ts';

export type MigrationOptions = {
  readonly filename?: string;
  readonly namespace?: readonly string[];
  readonly all?: boolean;
  readonly kubeconfig?: string;
  readonly namespaceFile?: string;
  readonly loginFile?: string;
  readonly verifier?: Exclude<Column, 'rules'>;
  readonly output: OutputFormat;
};

type Reporting = Sources & { readonly world: World; readonly command: Command };

export async function reportMigration(
  images: readonly string[],
  options: MigrationOptions,
  reporting: Reporting,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { signal, off } = told(reporting);
  stack.defer(off);
  const settings = await reporting.settings();
  const at = { ...reporting, settings, signal, stack };
  const given = await namesGiven(images, options, at);
  const { questions, ground } = given ?? (await running(options, at));
  const found = await surveyed(questions, options, { ...at, ground });
  tell(found, options.output, reporting.world);
}

function told({ signal }: Reporting) {
  return signal === undefined ? untilTold() : { signal, off: () => undefined };
}

type At = Omit<Reporting, 'settings'> & {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly stack: AsyncDisposableStack;
};

type Asked = {
  readonly questions: readonly Question[];
  readonly ground: Pick<Ground, 'cluster' | 'bootstrapDocument'>;
};

/** Nothing where none are named. */
async function namesGiven(
  images: readonly string[],
  { filename, namespaceFile }: MigrationOptions,
  { settings, world, command }: At,
): Promise<Asked | undefined> {
  if (images.length === 0 && filename === undefined) return undefined;
  const listed = filename === undefined ? [] : imagesListed(await readList(filename, world));
  const namespaces = readNamespaces(namespaceFile);
  const rules = rulesFor(namespaces, settings);
  const [namespace] = namespaces;
  if (typeof rules === 'string' || namespace === undefined) return command.error(`error: ${rules}`);
  const names = [...new Set([...images, ...listed])];
  const questions = names.map((image) => ({ image, namespace, pod: undefined, pods: 0 }));
  return { questions, ground: {} };
}

async function readList(filename: string, { terminal }: World): Promise<string> {
  return filename === '-' ? terminal.read() : textOf(filename, 'names of images, one a line');
}

async function running(
  { kubeconfig, namespace: names = [], all: isAll = false }: MigrationOptions,
  { settings, world, signal, stack }: At,
): Promise<Asked> {
  const named = kubeconfig === undefined ? {} : { kubeconfig };
  const login = loginFrom({ ...world.environment, ...named });
  if (login === undefined) throw noCluster();
  const cluster = await openCluster({ login }).catch(noLogin);
  stack.defer(() => cluster.close());
  const keeper = keepDocument(() => {});
  const current = { current: () => settings };
  const bootstrapDocument = openBootstrapDocuments(cluster, { settings: current, keeper });
  const questions = await questionsIn(cluster, { names, isAll, signal });
  return { questions, ground: { cluster, bootstrapDocument } };
}

function noLogin(cause: unknown): never {
  throw trouble('the login at the cluster cannot be used', {
    cause,
    mend: 'set KUBECONFIG, or give --kubeconfig, to a file that kubectl can use',
  });
}

function noCluster(): Error {
  return trouble('no images are named, and there is no cluster', {
    where: 'KUBECONFIG is not set, --kubeconfig is not given, and this is no pod',
    mend: 'name images, or set KUBECONFIG to the cluster’s file',
  });
}

async function surveyed(
  questions: readonly Question[],
  { verifier, loginFile }: MigrationOptions,
  { ground, world, settings, signal, stack, ...given }: At & Pick<Asked, 'ground'>,
): Promise<Heard> {
  const { databaseUrl } = world.environment;
  const login = loginIn(loginFile);
  const images = await openForgetful({ ...given, ...ground, settings, databaseUrl, login });
  stack.use(images);
  const { progress } = world.terminal;
  const found = await survey(
    questions.map((question) => ({ ...question, pod: question.pod ?? images.pod })),
    {
      judge: images.judge,
      settings: settings.imageTrust,
      columns: verifier === undefined ? columnsIn(settings.imageTrust) : [verifier],
      signal,
      onAnswered: (count) => progress?.(`${count} of ${questions.length} looked at`),
    },
  );
  progress?.('');
  return { found, unheard: images.unheard() };
}

type Heard = { readonly found: Survey; readonly unheard: readonly Unheard[] };

function tell({ found, unheard }: Heard, output: OutputFormat, { terminal, fail }: World): void {
  const text = () => surveyText(found, terminal) + unheardLines(unheard);
  terminal.print(output === 'json' ? asJson({ ...surveyJson(found), unheard }) : text());
  if (found.isCut) terminal.complain(`stopped; ${found.notAsked} were not looked at\n`);
  const exit = surveyExit(found);
  if (exit !== 0) fail(exit);
}
