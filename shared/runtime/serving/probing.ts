import { type Listening, listenPlainly } from '../listen.ts';
import { probeApp, type Readiness } from '../probes.ts';
import { answersTls } from '../self-dial.ts';
import type { House } from './house.ts';

export function openProbes(house: House): Promise<Listening> {
  const { metrics, config } = house;
  const { address, probePort } = config.current().server;
  metrics.gauge('config_generation', 'Of the configuration that is served.', config.generation);
  metrics.gauge('config_refused', 'Changes refused since the start.', config.refused);
  const app = probeApp({
    readiness: () => readinessOf(house),
    metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
  });
  return listenPlainly({ address, port: probePort, fetch: app.fetch });
}

async function readinessOf({ phase, config, conditions }: House): Promise<Readiness> {
  const answers = phase.kind === 'serving' && (await answersTls(phase.front));
  const problem = config.problem();
  return {
    ready: answers,
    waitingFor: answers ? [] : [phase.kind === 'serving' ? 'TLS' : phase.kind],
    degraded: [
      ...(problem === undefined ? [] : [problem]),
      ...conditions.current().flatMap(({ holds, name, why }) => (holds ? [] : [`${name}: ${why}`])),
    ],
  };
}
