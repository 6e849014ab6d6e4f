import { parseArgs } from 'node:util';

export const usage = `npm run attacks [-- OPTIONS]
npm run attacks -- --url https://HOST:PORT [--url …] [OPTIONS]

Starts a Notary and a registry on loopback and plays every attack, and beside it its benign twin, by AdmissionReviews:
without --url to a Gatehouse of its own (two replicas, a cluster and a database, all gone at the end), with it to yours,
on this machine. Yours is told first what it needs to know of these servers; it is waited for until it admits what is
signed there and refuses what is not.

  --url URL                 of the admission server, without a path; of several, each is asked in turns
  --ca FILE                 who issued its certificate; by default whom --kubeconfig's webhook configuration names
  --servername NAME         by which its certificate is checked; by default as --ca
  --kubeconfig FILE         of its cluster: the namespaces are made there, and removed at the end, and what needs the
                            cluster is played too
  --write FOLDER            writes gatehouse.yaml and namespaces.yaml there, instead of printing both
  --port N                  of the servers, with the next two; 0 for any (default: 39443)
  --wait SECONDS            how long the target is waited for (default: 300)
  --database-cut COMMAND    takes its database away from it, by the shell; what needs that is played too
  --database-back COMMAND   and gives it back
  --only TEXT               plays the vectors with this in their theme or name, and no others
  -o, --output text|json    (default: text); --json is the same as -o json
  -h, --help

Ends with "N vectors, admitted 0; N twins, admitted N", after a line for each that ended otherwise, and one of what was
left out for want of a cluster or of a database that can be cut off.

Exit codes: 0 no attack was admitted, every twin was, and each got an answer; 1 it was not so; 2 wrong usage;
3 the target was never ready, or something failed here; 130 it was told to end.

Example, with a Gatehouse of npm start:
  $ mkdir told; echo 'capabilities: [image-trust]' > told/gatehouse.yaml
  $ npm start -- --config told/gatehouse.yaml
  $ npm run attacks -- --write told --kubeconfig .gatehouse/kubeconfig --url "$(jq -r .admission .gatehouse/endpoints.json)"
`;

const options = {
  url: { type: 'string', multiple: true },
  ca: { type: 'string' },
  servername: { type: 'string' },
  kubeconfig: { type: 'string' },
  write: { type: 'string' },
  port: { type: 'string', default: '39443' },
  wait: { type: 'string', default: '300' },
  'database-cut': { type: 'string' },
  'database-back': { type: 'string' },
  only: { type: 'string', default: '' },
  output: { type: 'string', short: 'o', default: 'text' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export type Told = {
  readonly urls: readonly string[];
  readonly ca: string | undefined;
  readonly servername: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly write: string | undefined;
  /** Any that are free where there are none. */
  readonly ports: readonly [number, number, number] | undefined;
  readonly waitMs: number;
  readonly database: { readonly cut: string; readonly back: string } | undefined;
  /** In the theme or the name of what is played. */
  readonly only: string;
  readonly isJson: boolean;
};

export type Given =
  | { readonly kind: 'told'; readonly told: Told }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly why: string };

export function argumentsFrom(args: readonly string[]): Given {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { kind: 'help' };
    const why = problemIn(values);
    return why === undefined ? { kind: 'told', told: toldBy(values) } : { kind: 'wrong', why };
  } catch (cause) {
    return { kind: 'wrong', why: cause instanceof Error ? cause.message : String(cause) };
  }
}

type Values = ReturnType<typeof parseArgs<{ readonly options: typeof options }>>['values'];

const ofYours = [
  'ca',
  'servername',
  'kubeconfig',
  'write',
  'database-cut',
  'database-back',
] as const;

function problemIn(values: Values): string | undefined {
  const { url: urls = [], port, wait, output } = values;
  const alone = urls.length > 0 ? undefined : ofYours.find((name) => values[name] !== undefined);
  if (alone !== undefined) return `--${alone} is about a Gatehouse of yours: state its --url`;
  const other = urls.find((url) => URL.parse(url)?.protocol !== 'https:');
  if (other !== undefined) return `--url ${other} is no https URL`;
  if (!isUpTo(65_533, port)) return `--port ${port} is no port with two more behind it`;
  if (!isUpTo(86_400, wait)) return `--wait ${wait} is no number of seconds`;
  if (!['text', 'json'].includes(output ?? ''))
    return `--output ${output} is neither text nor json`;
  return (values['database-cut'] === undefined) === (values['database-back'] === undefined)
    ? undefined
    : '--database-cut and --database-back go together';
}

function isUpTo(most: number, text: string | undefined): boolean {
  return text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= most;
}

function toldBy(values: Values): Told {
  const { url: urls = [], port, wait, only = '', output, json } = values;
  const { 'database-cut': cut, 'database-back': back } = values;
  const first = Number(port);
  return {
    urls,
    ca: values.ca,
    servername: values.servername,
    kubeconfig: values.kubeconfig,
    write: values.write,
    ports: first === 0 || urls.length === 0 ? undefined : [first, first + 1, first + 2],
    waitMs: Number(wait) * 1_000,
    database: cut === undefined || back === undefined ? undefined : { cut, back },
    only,
    isJson: json === true || output === 'json',
  };
}
