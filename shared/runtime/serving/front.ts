import { Hono } from 'hono';
import type { AdmissionFunction, Definition, EndpointFunction } from '#shared/define.ts';
import type { KeyPair } from '#shared/ports.ts';
import { admissionApp, noSuchPath } from '../admission/app.ts';
import { bind } from '../admission/bind.ts';
import { openDesk } from '../admission/desk.ts';
import { type Door, directDoor } from '../admission/direct-door.ts';
import type { Host } from '../admission/host.ts';
import { reviewsOf } from '../admission/reviews-seen.ts';
import { endpointApp } from '../invoke/endpoint-app.ts';
import { type Fetch, listenSecurely, type SecureListening } from '../listen.ts';
import type { CertificateSource } from './certificate-source.ts';
import type { House } from './house.ts';

type Doors = { readonly app: Hono; readonly direct: Door };

/** TLS, and behind it the functions. */
export async function openFront(
  house: House,
  source: CertificateSource,
  pair: KeyPair,
): Promise<SecureListening> {
  const { config, log, metrics, registry } = house;
  const { address, port, minTls } = config.current().server;
  let doors = await openDoors(house);
  registry.onReplaced(async () => {
    doors = await openDoors(house);
  });
  const fetch: Fetch = (request, env) => doors.app.fetch(request, env);
  const direct: Door = (...asked) => doors.direct(...asked);
  const front = await listenSecurely({ address, port, fetch, direct, pair, minTls });
  const seconds = () => ((source.current()?.notAfter.getTime() ?? 0) - Date.now()) / 1_000;
  metrics.gauge('certificate_expiry_seconds', 'Left of the life of the leaf served.', seconds);
  source.onChange(() => {
    const served = source.current();
    if (served === undefined) return;
    front.setCertificate(served);
    log.info({ serial: served.serial, notAfter: served.notAfter }, 'serving a new certificate');
  });
  return front;
}

/** Reviews come in by the direct door; by the app's come endpoints at their paths, and whatever else there is. */
async function openDoors(house: House): Promise<Doors> {
  const { registry, config, wiring, metrics, log, isUntimed } = house;
  const { definitions } = registry;
  const bound = await Promise.all(
    definitions.filter(isAdmission).map((each) => bind(each, wiring.portsOf(each))),
  );
  for (const { definition, unfit } of bound) {
    if (unfit !== '') log.warn({ function: definition.name, why: unfit }, 'an entry of its own');
  }
  const settings = config.current;
  const desk = openDesk({ bound, isEnabled: registry.isEnabled, settings });
  const { namespaces } = wiring.ports;
  const { meter } = metrics;
  const host = { settings, namespaces, meter, log, isUntimed, ...onlookerOf(house) };
  const app = definitions
    .filter(isEndpoint)
    .reduce(
      (outer, each) => outer.route('/', endpointApp(each, { ports: wiring.portsOf(each), log })),
      new Hono(),
    )
    .route('/', admissionApp(desk, host))
    .notFound(noSuchPath);
  return { app, direct: directDoor(desk, host) };
}

function onlookerOf({ onlooker, config }: House): Pick<Host, 'onlooker'> {
  if (onlooker === undefined) return {};
  return {
    onlooker(seen) {
      const { cluster } = config.current().installation;
      for (const happening of reviewsOf(seen, cluster, new Date())) onlooker(happening);
    },
  };
}

/** A caller that does not know yet that we go is served like any other, until it must know. */
export async function drain(house: House, front: SecureListening | undefined): Promise<void> {
  const { config, log } = house;
  const { drainSeconds, timeoutSeconds } = config.current().server;
  house.phase = { kind: 'draining' };
  if (front === undefined) return;
  log.info({ drainSeconds }, 'draining');
  await seconds(drainSeconds / 2);
  front.startClosing();
  await seconds(drainSeconds / 2);
  await front.close(timeoutSeconds * 1_000);
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}

function isAdmission(definition: Definition): definition is AdmissionFunction {
  return definition.shape === 'admission';
}

function isEndpoint(definition: Definition): definition is EndpointFunction {
  return definition.shape === 'endpoint';
}
