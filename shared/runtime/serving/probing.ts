import { type Listening, listenPlainly } from '../listen.ts';
import { probeListener, type Readiness } from '../probes.ts';
import { answersTls } from '../self-dial.ts';
import type { House } from './house.ts';
import { isPart } from './role.ts';

export function openProbes(house: House): Promise<Listening> {
  const { metrics, config, log } = house;
  const { address, probePort } = config.current().server;
  metrics.gauge('config_generation', 'Of the configuration that is served.', config.generation);
  metrics.gauge('config_refused', 'Changes refused since the start.', config.refused);
  const listener = probeListener({
    readiness: () => readinessOf(house),
    still: house.vigil.still,
    metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
    failed: (path, err) => log.error({ path, err }, 'a probe could not be answered'),
  });
  return listenPlainly({ address, port: probePort, listener });
}

async function readinessOf(house: House): Promise<Readiness> {
  const { config, conditions, role } = house;
  const problem = config.problem();
  const beside = house.waitingFor();
  const isFront = isPart(role, 'admission');
  const waitingFor = [...(await frontWaitsFor(house)), ...(isFront ? [] : beside)];
  return {
    ready: waitingFor.length === 0,
    waitingFor,
    degraded: [
      // Reviews are answered all the same.
      ...(isFront ? beside.map((name) => `waiting for the ${name}`) : []),
      ...(problem === undefined ? [] : [problem]),
      ...conditions.current().flatMap(({ holds, name, why }) => (holds ? [] : [`${name}: ${why}`])),
    ],
  };
}

async function frontWaitsFor({ phase }: House): Promise<readonly string[]> {
  if (phase.kind !== 'serving') return [phase.kind];
  if (phase.front === undefined) return [];
  return (await answersTls(phase.front)) ? [] : ['TLS'];
}
