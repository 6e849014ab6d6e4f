import type { Uses } from '#shared/define.ts';
import type { Ports } from '#shared/ports.ts';

/** A handler is given what its `uses` names, and no others. */
export function pick(ports: Ports, uses: Uses): Ports {
  return Object.fromEntries(uses.map((name) => [name, ports[name]])) as Ports;
}
