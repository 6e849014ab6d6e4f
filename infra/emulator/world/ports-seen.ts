import type { Wake } from '#events/kinds.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import type { Cluster, Ports, Target, Write } from '#shared/ports.ts';
import { tenths } from '#shared/runtime/tenths.ts';
import { wordsFor } from './ref.ts';
import type { Decision, Run, Written } from './world.ts';

export type Diary = {
  readonly decisions: Decision[];
  /** The kind that a wake-up speaks of. */
  readonly kindAt: (group: string, resource: string) => Kind | undefined;
};

/** The function as it is, but what it answers and writes is written down. */
export function observed(definition: ReconcileFunction, diary: Diary): ReconcileFunction {
  return {
    ...definition,
    async handler(wake, ports, run) {
      const began = performance.now();
      const writes: Written[] = [];
      const told = (outcome: Run['outcome'], why: string | undefined) => {
        const ms = tenths(performance.now() - began);
        const of = subjectOf(wake, diary);
        const name = definition.name;
        diary.decisions.push({ kind: 'run', function: name, ...of, outcome, why, writes, ms });
      };
      try {
        const outcome = await definition.handler(wake, spied(ports, writes), run);
        told(outcome?.kind ?? 'threw', whyOf(outcome));
        return outcome;
      } catch (cause: unknown) {
        told('threw', cause instanceof Error ? cause.message : String(cause));
        throw cause;
      }
    },
  };
}

/** Plain JavaScript may end without a word. */
function whyOf(outcome: Outcome | undefined): string | undefined {
  return outcome !== undefined && 'why' in outcome ? outcome.why : undefined;
}

function subjectOf(wake: Wake, { kindAt }: Diary) {
  if (wake.kind === 'period') return { object: undefined, uid: undefined, deleted: false };
  const { group, resource, namespace, name, uid, deleted } = wake;
  const kind = kindAt(group, resource)?.kind ?? resource;
  return { object: `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`, uid, deleted };
}

function spied(ports: Ports, writes: Written[]): Ports {
  return ports.cluster === undefined
    ? ports
    : { ...ports, cluster: spiedCluster(ports.cluster, writes) };
}

function spiedCluster(cluster: Cluster, writes: Written[]): Cluster {
  const noted = async (verb: Written['verb'], target: Target, write: Promise<Write>) => {
    const at = writes.length;
    const object = wordsFor(target);
    writes.push({ verb, object, result: 'lost' });
    const answer = await write;
    writes[at] = { verb, object: wordsOf(answer) ?? object, result: answer.kind };
    return answer;
  };
  const { create, replace, patch, apply, evict } = cluster;
  return {
    find: cluster.find,
    list: cluster.list,
    create: (kind, object, options) => {
      const { namespace, name = '…' } = object.metadata;
      return noted('create', { kind, namespace, name }, create(kind, object, options));
    },
    replace: (target, ...given) => noted('replace', target, replace(target, ...given)),
    patch: (target, ...given) => noted('patch', target, patch(target, ...given)),
    apply: (target, ...given) => noted('apply', target, apply(target, ...given)),
    evict: (target, ...given) => noted('evict', target, evict(target, ...given)),
    delete: (target, ...given) => noted('delete', target, cluster.delete(target, ...given)),
  };
}

/** What was made by `generateName` has its name only afterwards. */
function wordsOf(write: Write): string | undefined {
  if (write.kind !== 'written') return undefined;
  const { kind, metadata } = write.object;
  if (metadata.name === undefined) return undefined;
  const { namespace, name } = metadata;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
