import { answerFrom } from '#shared/adapters/cluster/answer.ts';
import type { Ask, Question } from '#shared/adapters/cluster/ask.ts';
import type { Received } from '#shared/adapters/cluster/exchange.ts';
import type { Time } from '../time.ts';
import type { ApiServer } from './api-server.ts';
import { answered, askedOf } from './rest.ts';
import type { Rules } from './rules.ts';

export type Line = {
  readonly server: ApiServer;
  readonly rules: Rules;
  readonly time: Time;
  /** Around everything that waits for invented time. */
  readonly held: <T>(work: Promise<T>) => Promise<T>;
};

/** The wire between our adapter and the API server, with what may go wrong on it. */
export function askOn(line: Line): Ask {
  return async (question) => {
    const discreet = question.path.includes('/secrets');
    return answerFrom(await exchanged(line, question), { discreet });
  };
}

async function exchanged(line: Line, question: Question): Promise<Received> {
  const { server, rules } = line;
  const instead = rules.take(askedOf(server, question));
  switch (instead?.kind) {
    case 'refused':
      return instead.received;
    case 'slow':
      await line.held(line.time.pause(instead.ms, question.signal));
      return answered(server, question);
    case 'answer-lost':
      await answered(server, question);
      throw new Error(`cannot ${question.what}: no answer`);
    case undefined:
      return answered(server, question);
  }
}
