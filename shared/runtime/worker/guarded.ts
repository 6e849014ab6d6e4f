import type { Ports } from '#shared/ports.ts';

/** From the signal on each call throws: what a run does after its deadline must not reach the world. */
export function guarded(ports: Ports, signal: AbortSignal): Ports {
  const ownPorts = Object.entries(ports).map(([name, port]) => [name, guardedPort(port, signal)]);
  return Object.fromEntries(ownPorts) as Ports;
}

/** Ports are plain objects of functions. A test may leave out one that is never called. */
function guardedPort(port: object = {}, signal: AbortSignal): object {
  return Object.fromEntries(
    Object.entries(port).map(([name, value]) => [name, until(signal, value)]),
  );
}

function until(signal: AbortSignal, value: unknown): unknown {
  if (typeof value !== 'function') return value;
  return (...given: readonly unknown[]): unknown => {
    signal.throwIfAborted();
    return value(...given);
  };
}
