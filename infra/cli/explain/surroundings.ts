import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { nodesInMemory } from '#infra/emulator/testing/nodes-in-memory.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { Node } from '#shared/domain/node.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Nodes, Ports } from '#shared/ports.ts';
import { wire } from '#shared/runtime/wire.ts';
import { identityOf, type Subject, textAt } from './manifests.ts';
import type { Trial } from './trial.ts';

/** What the files say about the cluster; nothing is asked of a real one. */
export type Known = {
  readonly namespaces: readonly Namespace[];
  /** `undefined`: no file was given, and every node that is asked for is taken to be there. */
  readonly nodes: readonly Node[] | undefined;
  /** Of pod bootstrap; `undefined`: no file was given, and there is none. */
  readonly document: string | undefined;
};

export function knownFrom(
  namespaceObjects: readonly JsonObject[],
  nodeObjects: readonly JsonObject[] | undefined,
): Omit<Known, 'document'> {
  return {
    namespaces: namespaceObjects.filter(isOf('Namespace')).map((object) => {
      const { name, labels, annotations } = identityOf(object);
      return { name, uid: `uid-of-${name}`, labels, annotations };
    }),
    nodes: nodeObjects?.filter(isOf('Node')).map((object) => {
      const { name, labels } = identityOf(object);
      return { name, labels };
    }),
  };
}

function isOf(kind: string) {
  return (object: JsonObject) => textAt(object, 'kind') === kind;
}

/** The real wiring, with memory in the place of the cluster; what still asks for one fails and says so. */
export function portsWith(known: Known, settings: Settings): Ports {
  const { ports } = wire({
    settings: { current: () => settings },
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
    login: undefined,
  });
  return {
    ...ports,
    namespaces: namespacesInMemory(...known.namespaces),
    nodes: known.nodes === undefined ? everyNode : nodesInMemory(...known.nodes),
    bootstrapDocument: bootstrapDocumentsInMemory(known.document),
    events: eventsRecorded(),
  };
}

const everyNode: Nodes = {
  list: async ({ matchLabels = {} }) => [{ name: 'assumed', labels: matchLabels }],
};

type Tried = { readonly namespace: string; readonly subject: Subject; readonly trial: Trial };

export function assumptions(known: Known, { namespace, subject, trial }: Tried): readonly string[] {
  const isKnown =
    subject.kind === 'Namespace' || known.namespaces.some(({ name }) => name === namespace);
  const asksNodes = trial.steps.some(({ function: { uses } }) => uses.includes('nodes'));
  return [
    ...(isKnown
      ? []
      : [`namespace ${namespace} is known by its name alone; --namespace-file tells its labels`]),
    ...(known.nodes === undefined && asksNodes
      ? ['every node that a function asks for is taken to be there; --nodes-file tells which are']
      : []),
  ];
}
