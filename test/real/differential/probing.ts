import { type Difference, differenceOf, signatureOf } from './comparing.ts';
import { diceOf } from './dice.ts';
import { sequenceOf } from './drawing/sequence.ts';
import { normal, type Renamed } from './normal.ts';
import { emptyMemory, played, type Server } from './playing.ts';
import { lineOf, type Step } from './step.ts';
import { definitions, type Subject } from './subjects.ts';

export type Both = { readonly ours: Server; readonly theirs: Server };

/** The steps up to the one that both answer differently. */
export type Finding = {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly difference: Difference;
  readonly signature: string;
};

/** The custom kinds, on both. */
export async function prepare(both: Both): Promise<void> {
  await Promise.all([both.ours, both.theirs].map((server) => defined(server)));
}

async function defined(server: Server): Promise<void> {
  for (const definition of definitions) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { status, text } = await sent(server, 'POST', path, definition);
    if (status !== 201 && status !== 409) throw new Error(`no definition: ${text}`);
  }
  for (const path of ['v1/widgets', 'v2/widgets', 'v1/gadgets']) {
    while ((await sent(server, 'GET', `/apis/probe.example/${path}`)).status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export async function sent(
  { caller, token }: Server,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type };
  const text = body === undefined ? undefined : JSON.stringify(body);
  return caller.call({ method, path, headers, body: text });
}

type Seeds = { readonly first: number; readonly many: number };

/** So many at once: a watch takes a second in which nothing else is to be done. */
const abreast = 4;

export async function probedAll(both: Both, { first, many }: Seeds): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let next = first;
  const worker = async () => {
    while (next < first + many) {
      const finding = await probed(both, next++);
      if (finding !== undefined) findings.push(finding);
    }
  };
  await Promise.all(Array.from({ length: abreast }, worker));
  return findings.toSorted((one, other) => one.seed - other.seed);
}

export async function probed(
  both: Both,
  seed: number,
  among?: readonly Subject[],
): Promise<Finding | undefined> {
  const steps = sequenceOf(diceOf(seed), among);
  return found(both, seed, steps);
}

let count = 0;

export async function found(
  both: Both,
  seed: number,
  steps: readonly Step[],
): Promise<Finding | undefined> {
  count += 1;
  const namespace = `p${Date.now().toString(36)}${count}`;
  const sides = [both.ours, both.theirs].map((server) => ({
    server,
    memory: emptyMemory(namespace),
    renamed: new Map() as Renamed,
  }));
  await Promise.all(sides.map(({ server }) => withPlace(server, namespace)));
  try {
    for (const [at, step] of steps.entries()) {
      const [ours, theirs] = await Promise.all(
        sides.map(async ({ server, memory, renamed }) =>
          normal(await played(server, step, memory), renamed),
        ),
      );
      const difference = ours && theirs && differenceOf(ours, theirs);
      if (difference === undefined) continue;
      return {
        seed,
        steps: steps.slice(0, at + 1),
        difference,
        signature: signatureOf(lineOf(step), difference),
      };
    }
    return undefined;
  } finally {
    await Promise.all(sides.map(({ server }) => cleaned(server, namespace)));
  }
}

async function withPlace(server: Server, namespace: string): Promise<void> {
  await sent(server, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const account = { metadata: { name: 'default' }, automountServiceAccountToken: false };
  await sent(server, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
}

const clusterWide = [
  '/api/v1/nodes',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
];

/** What would be heard by others goes. */
async function cleaned(server: Server, namespace: string): Promise<void> {
  for (const path of clusterWide) {
    const { text } = await sent(server, 'GET', path);
    const { items = [] } = JSON.parse(text) as {
      items?: readonly { metadata: { name?: string } }[];
    };
    for (const { metadata } of items) {
      if (metadata.name?.includes(namespace) !== true) continue;
      await sent(
        server,
        'PATCH',
        `${path}/${metadata.name}`,
        { metadata: { finalizers: null } },
        'application/merge-patch+json',
      );
      await sent(server, 'DELETE', `${path}/${metadata.name}`);
    }
  }
}
