import { type Command, InvalidArgumentError, Option } from 'commander';
import { kustomizeFiles, writeFiles } from '#infra/deploy/files.ts';
import { namespacesNeeded } from '#infra/deploy/kubernetes.ts';
import { streamOf } from '#infra/deploy/manifest.ts';
import type { CertificateSource, Plan } from '#infra/deploy/plan.ts';
import { type Rendered, type Request, render, type Target } from '#infra/deploy/render.ts';
import type { Definition } from '#shared/define.ts';
import { parseImage } from '#shared/domain/image.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { trouble } from './output.ts';

export type Load = () => Promise<{
  /** Those that the settings switch on. */
  readonly definitions: readonly Definition[];
  readonly settings: Settings;
  /** Whether some of them are the user's own. */
  readonly hasOwn?: boolean;
  /** What stands in the settings for nobody, or cannot be used. */
  readonly unheard?: readonly string[];
}>;

type Options = {
  readonly target: Target;
  readonly separate: boolean;
  readonly database: 'secret' | 'none';
  readonly certificates?: CertificateSource;
  readonly image: string;
  readonly functionsInImage: string;
  readonly namespace?: string;
  readonly replicas: number;
  readonly host?: string;
  readonly output?: string;
};

export function addRender(program: Command, load: Load): Command {
  return program
    .command('render')
    .summary('manifests from the functions’ definitions')
    .description(
      'Writes what a deployment needs, made from the definitions of the enabled functions and from the settings: webhook configurations, roles with exactly the rights that the functions use, and what runs them. The same input gives the same bytes.',
    )
    .addOption(
      new Option('-t, --target <target>', 'where the functions run')
        .choices(['kubernetes', 'knative', 'lambda'])
        .makeOptionMandatory(),
    )
    .option(
      '--separate',
      'one webhook entry a function, under the names of the system that it replaces, instead of one call for pods',
      false,
    )
    .addOption(
      new Option(
        '--certificates <issuer>',
        'who issues the server’s certificate (default: the setting certificates.source)',
      ).choices(['self', 'gardener', 'cert-manager']),
    )
    .option('--image <image>', 'the container image', image, `gatehouse:${packageJson.version}`)
    .option(
      '--functions-in-image <folder>',
      'where that image carries your own functions, if --functions names any',
      '/functions',
    )
    .option(
      '--namespace <namespace>',
      'where to install (default: the setting installation.namespace)',
      namespace,
    )
    .option('--replicas <count>', 'of the admission server', replicas, 2)
    .option(
      '--host <fqdn>',
      'of the HTTP API, for --target lambda: render the webhook configurations that call it',
      host,
    )
    .addOption(
      new Option(
        '--database <where>',
        'secret: the Secret gatehouse-database names a Postgres by its key url (at other ports than 5432: the setting database.ports), and worker and forwarder run on it; none: the admission server alone, which reads the cluster itself',
      )
        .choices(['secret', 'none'])
        .default('secret'),
    )
    .option(
      '-o, --output <folder>',
      'write files and a kustomization.yaml there instead of one stream to standard output',
    )
    .addHelpText('after', examples)
    .action(async (options: Options, command: Command) => {
      await run(options, command, await load());
    });
}

const examples = `
Examples:
  $ gatehouse render --target kubernetes | kubectl apply --server-side -f -
  $ gatehouse render --target kubernetes --certificates cert-manager --output base && kubectl apply -k base
  $ gatehouse render --target lambda > serverless.yml
  $ gatehouse render --target lambda --host abc123.execute-api.eu-central-1.amazonaws.com | kubectl apply --server-side -f -
`;

async function run(options: Options, command: Command, loaded: Awaited<ReturnType<Load>>) {
  const { output } = options;
  const misuse = misuseOf(options);
  if (misuse !== undefined) command.error(`error: ${misuse}`);

  const rendered = render(requestOf(options, loaded));
  if (rendered.kind === 'refused') throw trouble(rendered.why, { mend: rendered.mend });
  const { writeErr } = command.configureOutput();
  for (const each of loaded.unheard ?? []) writeErr?.(`warning: ${each}\n`);
  const needed = namespacesNeeded(rendered.manifests);
  if (needed.length > 0) writeErr?.(`${sayNeeded(needed)}\n`);
  if (output === undefined) command.configureOutput().writeOut?.(streamed(rendered));
  else await writeFiles(output, [...rendered.files, ...kustomizeFiles(rendered.manifests)]);
}

/** To the error stream: the other one is applied. */
function sayNeeded(names: readonly string[]): string {
  const [what, it] = names.length === 1 ? ['namespace', 'it'] : ['namespaces', 'them'];
  return `${what} ${names.join(', ')} must be there before this is applied: rights are given in ${it}, and a namespace of others is not ours to make, or to delete again`;
}

function misuseOf({ target, host: called, separate }: Options): string | undefined {
  if (target !== 'lambda') {
    return called === undefined
      ? undefined
      : '--host is for --target lambda; elsewhere API servers call a Service';
  }
  return separate
    ? '--separate is for kubernetes and knative; on lambda entries always are'
    : undefined;
}

/** With a host it is the cluster's part that is asked for: the other one does not know it. */
function streamed({ manifests, files }: Extract<Rendered, { kind: 'rendered' }>): string {
  return manifests.length > 0 ? streamOf(manifests) : (files[0]?.text ?? '');
}

function requestOf(
  options: Options,
  { definitions, settings, hasOwn }: Awaited<ReturnType<Load>>,
): Request {
  const { target, separate, database, image, replicas: count, host: called } = options;
  const certificates = options.certificates ?? settings.certificates.source;
  const plan: Request['plan'] = {
    definitions,
    settings: laidOver(settings, certificates, options.namespace),
    image,
    replicas: count,
    certificates,
    ...(hasOwn === true ? { ownFunctions: options.functionsInImage } : {}),
    compiles: (expression) => compileCondition(expression).ok,
  };
  return { target, plan, separate, database, host: called };
}

function laidOver(
  settings: Settings,
  certificates: CertificateSource,
  installation = settings.installation.namespace,
): Plan['settings'] {
  return {
    ...settings,
    installation: { ...settings.installation, namespace: installation },
    certificates: {
      ...settings.certificates,
      source: certificates === 'self' ? 'self' : 'files',
    },
  };
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

function namespace(text: string): string {
  if (new RegExp(`^${label}$`).test(text)) return text;
  throw new InvalidArgumentError('Expected a name of lower-case letters, digits and dashes.');
}

/** What a kubelet could not read never starts, and is found there alone. */
function image(text: string): string {
  const parsed = parseImage(text);
  if (parsed.ok) return text;
  throw new InvalidArgumentError(`${parsed.why}.`);
}

function host(text: string): string {
  if (new RegExp(`^(${label}\\.)+${label}$`).test(text)) return text;
  throw new InvalidArgumentError('Expected a full domain name, without scheme, port and path.');
}

function replicas(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number from 1 to 99.');
}
