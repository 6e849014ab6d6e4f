import type { ObjectChanged } from '#events/kinds.ts';
import {
  type BootstrapDocuments,
  type Cluster,
  defineReconcile,
  type EventWriter,
  type Mirror,
  type Target,
  type Write,
} from '#shared/define.ts';
import { configMaps, namespaces, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { conflict, done, later, type Outcome } from '#shared/domain/outcome.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import type { BootstrapDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { documentPlace } from '#shared/domain/pod-bootstrap/document-place.ts';
import { isOwnReplica, planFormer } from '#shared/domain/pod-bootstrap/former-replica.ts';
import {
  formerName,
  pullSecretName,
  pullSecretPlace,
} from '#shared/domain/pod-bootstrap/pull-secret-place.ts';
import {
  type Facts,
  planReplica,
  type Step,
} from '#shared/domain/pod-bootstrap/pull-secret-plan.ts';
import { homeOf, replicaManager } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import {
  adoptionOf,
  sourceCondition,
  troubleWith,
} from '#shared/domain/pod-bootstrap/pull-secret-report.ts';
import { wishOf } from '#shared/domain/pod-bootstrap/pull-secret-wish.ts';
import { documentIn, type PodBootstrapSettings } from '#shared/domain/pod-bootstrap/settings.ts';

const fieldManager = replicaManager;
const { name } = pullSecretName;

/** One namespace a run: whatever is wrong with it, no other one waits for it. */
export default defineReconcile({
  name: 'replicate-pull-secret',
  capability: 'pod-bootstrap',
  summary: "Keeps a copy of the platform's pull secret in every namespace that does not refuse it.",
  deadlineMs: 20_000,
  trigger: {
    watch: [
      {
        of: namespaces,
        on: ['added', 'modified'],
        changed: ['/metadata/annotations', '/metadata/deletionTimestamp'],
        settings: ['podBootstrap.document', 'podBootstrap.pullSecret'],
      },
      { of: secrets, place: pullSecretPlace, wakes: { all: namespaces } },
      { of: secrets, place: pullSecretName },
      { of: configMaps, place: documentPlace, wakes: { all: namespaces } },
    ],
  },
  uses: ['clock', 'settings', 'bootstrapDocument', 'mirror', 'cluster', 'events', 'conditions'],
  access: [
    { kind: namespaces, verbs: ['get'] },
    { kind: secrets, names: [name], verbs: ['get', 'create', 'patch', 'delete'] },
    { kind: secrets, names: [formerName], verbs: ['get', 'delete'] },
  ],
  async handler(wake, { clock, settings, events, conditions, ...sources }, run) {
    // Nothing is due by time alone, nor by what we wrote: what else has changed has an event of its own.
    if (wake.kind === 'period' || run?.isOwnWrite === true) return done;
    const { podBootstrap } = settings.current();
    const asked = { namespace: namespaceOf(wake), settings: podBootstrap, now: clock.now() };

    const { facts, step } = await confirmed(await look(asked, sources), asked, sources);
    conditions.report(sourceCondition(facts));
    const outcome = await act(step, { cluster: sources.cluster, events });
    return outcome.kind === 'done' ? leaveFormer(asked, sources) : outcome;
  },
});

/** Whichever object of that name woke us, and whether it is gone: what is true now counts. */
function namespaceOf(wake: ObjectChanged): string {
  return wake.resource === namespaces.resource ? wake.name : wake.namespace;
}

type Asked = {
  readonly namespace: string;
  readonly settings: PodBootstrapSettings;
  readonly now: Date;
};
type Sources = {
  readonly bootstrapDocument: BootstrapDocuments;
  readonly mirror: Mirror;
  readonly cluster: Cluster;
};

/** Two calls of the cluster, both at once. The Secrets are in no mirror. */
async function look(asked: Asked, { bootstrapDocument, mirror, cluster }: Sources): Promise<Facts> {
  const [found, document, secret] = await Promise.all([
    mirror.find(namespaces, { name: asked.namespace }),
    bootstrapDocument.current(),
    findSecrets(asked, cluster),
  ]);
  const namespace = found.object ?? (await findNamespace(asked, { cluster }));
  return factsOf(asked, { namespace, document, ...secret });
}

async function lookSurely(asked: Asked, { bootstrapDocument, cluster }: Sources): Promise<Facts> {
  const [namespace, { document }, secret] = await Promise.all([
    findNamespace(asked, { cluster }),
    bootstrapDocument.readLive(),
    findSecrets(asked, cluster),
  ]);
  return factsOf(asked, { namespace, document, ...secret });
}

function findNamespace({ namespace }: Asked, { cluster }: Pick<Sources, 'cluster'>) {
  return cluster.find({ kind: namespaces, name: namespace });
}

async function findSecrets({ namespace, settings }: Asked, cluster: Cluster) {
  const { namespace: home, name } = settings.pullSecret;
  const find = (namespace: string) => cluster.find({ kind: secrets, namespace, name });
  const [source, present] = await Promise.all([find(home), find(namespace)]);
  const former = source === undefined && present !== undefined ? homeOf(present) : undefined;
  const isElsewhere = former !== undefined && former !== home && former !== namespace;
  return { source, present, formerSource: isElsewhere ? await find(former) : undefined };
}

type Found = Pick<Facts, 'namespace' | 'source' | 'formerSource' | 'present'> & {
  readonly document: BootstrapDocument | undefined;
};

/** A document in our own settings goes before the ConfigMap's. */
function factsOf({ settings, now }: Asked, { document, ...found }: Found): Facts {
  const counting = documentIn(settings) ?? document;
  const configuration = counting && configurationOf(counting, settings);
  return {
    ...found,
    wish: wishOf(found.namespace, configuration),
    rules: settings.pullSecret,
    now,
  };
}

/** What takes away is decided a second time, by live reads alone; nothing is made where the namespace ends meanwhile. */
async function confirmed(facts: Facts, asked: Asked, sources: Sources): Promise<Decided> {
  const step = planReplica(facts);
  if (step.kind === 'create') {
    return decidedBy({ ...facts, namespace: await findNamespace(asked, sources) });
  }
  const isDoubtful = step.kind === 'remove' || facts.wish !== 'wanted';
  return isDoubtful ? decidedBy(await lookSurely(asked, sources)) : { facts, step };
}

type Decided = { readonly facts: Facts; readonly step: Step };

function decidedBy(facts: Facts): Decided {
  return { facts, step: planReplica(facts) };
}

/** Read live twice as well; what has the name now is nothing that was left. */
async function leaveFormer(asked: Asked, sources: Sources): Promise<Outcome> {
  const { name, formerName } = asked.settings.pullSecret;
  if (name === formerName) return done;
  const { cluster } = sources;
  const find = () => cluster.find({ kind: secrets, namespace: asked.namespace, name: formerName });
  const first = await find();
  if (first === undefined || !isOwnReplica(first)) return done;

  const [facts, former] = await Promise.all([lookSurely(asked, sources), find()]);
  const step = planFormer(facts, former);
  return step.kind === 'remove' ? remove(step.present, cluster) : done;
}

async function act(
  step: Step,
  { cluster, events }: { readonly cluster: Cluster; readonly events: EventWriter },
): Promise<Outcome> {
  switch (step.kind) {
    case 'nothing':
      return done;
    case 'report':
      await events.report(troubleWith(step.about, step.what));
      return done;
    case 'contested':
      return later(step.afterSeconds);
    case 'remove':
      return remove(step.present, cluster);
    case 'create':
      return outcomeOf(await cluster.apply(targetOf(step.replica), step.replica, { fieldManager }));
    case 'overwrite': {
      const { replica, present, isAdopted } = step;
      const options = { fieldManager, force: true, ...stateOf(present) };
      const written = await cluster.apply(targetOf(replica), replica, options);
      if (written.kind === 'written' && isAdopted) await events.report(adoptionOf(present));
      return outcomeOf(written);
    }
  }
}

async function remove(present: KubeObject, cluster: Cluster): Promise<Outcome> {
  return outcomeOf(await cluster.delete(targetOf(present), stateOf(present)));
}

function targetOf({ metadata }: KubeObject): Target {
  return { kind: secrets, namespace: metadata.namespace, name: metadata.name ?? '' };
}

/** Nobody has written since we looked. */
function stateOf({ metadata: { uid, resourceVersion } }: KubeObject) {
  return { uid, resourceVersion };
}

function outcomeOf(write: Write): Outcome {
  switch (write.kind) {
    case 'written':
      return done;
    case 'busy':
      return later(write.afterSeconds);
    case 'conflict':
      return conflict(write.why);
    case 'not-found':
      return conflict('the Secret or its namespace was deleted meanwhile');
  }
}
