import type { Stream } from '#events/forwarder/ports.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Refused, type Scope, scopeName } from '#shared/domain/watched.ts';
import { widgets } from '../cast.ts';
import { outage } from '../outage.ts';
import type { Process } from '../stage.ts';
import { pageOf } from './pages.ts';
import { askerName, type Server } from './server.ts';
import { isServed, keyOf, seenRevision } from './state.ts';
import { openWatch } from './watch.ts';

/** The cluster, as one process asks it. */
export function streamFor(server: Server, by: Process): Stream {
  return { ...collectionsFor(server, by), ...singlesFor(server, by) };
}

/** Whoever asks one of these anew has written or given up what it heard before. */
function collectionsFor(server: Server, by: Process): Pick<Stream, 'list' | 'watch' | 'version'> {
  const { state, faults } = server;
  const ask = askFor(server, by);
  const begins = (scope: Scope) => {
    const asker = askerName(by, scopeName(scope));
    server.asked.set(asker, state.incarnation);
    server.looking.delete(asker);
  };
  return {
    list: (scope, options) =>
      ask(`lists ${options.continue === undefined ? '' : 'more '}of`, scope, () => {
        if (options.continue === undefined) begins(scope);
        else if (faults.strikes('list-expired', 0.25)) return { kind: 'expired', why: 'compacted' };
        return pageOf(state, scope, options);
      }),
    watch: (scope, options) =>
      ask(`watches from ${options.resourceVersion ?? 'a list on'}`, scope, () => {
        begins(scope);
        return openWatch({ server, by, scope, options });
      }),
    version: (scope) =>
      ask('asks the version of', scope, () => {
        // Beside a watch: what was heard of that may still be in hand.
        if (!isWatched(server, by, scope)) begins(scope);
        return { kind: 'version', resourceVersion: String(seenRevision(state)) };
      }),
  };
}

function isWatched({ watches }: Server, by: Process, scope: Scope): boolean {
  return [...watches].some(
    (watch) => watch.by === by && scopeName(watch.scope) === scopeName(scope),
  );
}

function singlesFor(server: Server, by: Process): Pick<Stream, 'find' | 'served' | 'identity'> {
  const { state } = server;
  const ask = askFor(server, by);
  const always = async <T>(what: string, answer: () => T): Promise<T> => {
    const given = await ask(what, undefined, () => ({ answer: answer() }));
    if ('kind' in given) throw outage('it refused');
    return given.answer;
  };
  return {
    find: (scope, at) =>
      ask(`gets ${at.namespace}/${at.name} of`, scope, () => {
        server.looking.set(askerName(by, scopeName(scope)), by);
        const answer = found(server, scope, at);
        if (answer.kind === 'none') server.vain.set(scopeName(scope), state.revision);
        return answer;
      }),
    served: (kind) =>
      always(`asks who serves ${kind.resource}`, () => {
        if (kind.resource !== widgets.resource) return kind;
        return state.served === undefined ? undefined : { ...kind, version: state.served };
      }),
    identity: () => always('asks which cluster it is', () => state.uid),
  };
}

type Ask = <T>(what: string, scope: Scope | undefined, answer: () => T) => Promise<T | Refused>;

/** A request that may not be answered, or with a no. */
function askFor(server: Server, by: Process): Ask {
  return (what, scope, answer) =>
    server.stage.park({
      by,
      what: scope === undefined ? what : `${what} ${scopeName(scope)}`,
      answer: () => {
        if (server.faults.strikes('request-fails', 0.04)) throw outage('no answer');
        return (scope === undefined ? undefined : refusal(server, scope)) ?? answer();
      },
    });
}

function refusal({ state, faults }: Server, { kind }: Scope): Refused | undefined {
  if (!isServed(state, kind) || faults.strikes('false-404', 0.02)) {
    return { kind: 'absent', why: 'HTTP 404' };
  }
  if (faults.strikes('right-lost', 0.02)) return { kind: 'forbidden', why: 'HTTP 403' };
  if (!faults.strikes('server-busy', 0.02)) return undefined;
  return { kind: 'busy', why: 'HTTP 429', afterSeconds: 2 };
}

type Found = { readonly kind: 'found'; readonly object: KubeObject } | { readonly kind: 'none' };

function found({ state }: Server, scope: Scope, at: { namespace: string; name: string }): Found {
  const object = state.objects.get(keyOf(scope.kind.resource, at));
  return object === undefined ? { kind: 'none' } : { kind: 'found', object };
}
