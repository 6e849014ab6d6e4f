import type { Stream } from '#events/forwarder/ports.ts';
import { answerFrom } from '#shared/adapters/cluster/answer.ts';
import type { Ask } from '#shared/adapters/cluster/ask.ts';
import { served } from '#shared/adapters/cluster/stream/discovery.ts';
import { listPage } from '#shared/adapters/cluster/stream/list.ts';
import { findOne, identity, version } from '#shared/adapters/cluster/stream/look.ts';
import { refusedFrom } from '#shared/adapters/cluster/stream/refused.ts';
import type { Refused, Scope } from '#shared/domain/watched.ts';
import { idOf } from '../known-kinds.ts';
import type { Rules } from './rules.ts';
import type { Watches } from './watch.ts';

/** Production's own stream but for the watch, whose lines need not be cut out of bytes here. */
export function streamOn(ask: Ask, watches: Watches, rules: Rules): Stream {
  return {
    list: listPage(ask),
    version: version(ask),
    find: findOne(ask),
    served: served(ask),
    identity: identity(ask),
    watch: async (scope, options) => refusalOf(scope, rules) ?? watches.open(scope, options),
  };
}

function refusalOf({ kind }: Scope, rules: Rules): Refused | undefined {
  const instead = rules.take({ verb: 'watch', resource: idOf(kind) });
  if (instead?.kind === 'answer-lost') return { kind: 'busy', why: 'no answer', afterSeconds: 1 };
  if (instead?.kind !== 'refused') return undefined;
  return refusedFrom(answerFrom(instead.received, { discreet: false }));
}
