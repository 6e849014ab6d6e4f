import type { Container, PodSpec, Quantities } from '../shapes/pod.ts';

/** What a pod asks of its node, and what nodes have. Memory in bytes, cpu in thousandths. */
export type Demand = { readonly pods: number; readonly cpu: number; readonly memory: number };

export const nothing: Demand = Object.freeze({ pods: 0, cpu: 0, memory: 0 });

export function demandOf({ containers, initContainers = [], overhead }: PodSpec): Demand {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = [...containers, ...sidecars].map(requestOf).reduce(sum, nothing);
  // One init container runs at a time, before the others.
  const most = initContainers.map(requestOf).reduce(maximum, running);
  return { ...sum(most, quantities(overhead)), pods: 1 };
}

export function capacityOf(allocatable: Quantities | undefined): Demand {
  const unbounded = Number.POSITIVE_INFINITY;
  const stated = quantities(allocatable);
  return {
    pods: allocatable?.['pods'] === undefined ? unbounded : parseQuantity(allocatable['pods']),
    cpu: allocatable?.['cpu'] === undefined ? unbounded : stated.cpu,
    memory: allocatable?.['memory'] === undefined ? unbounded : stated.memory,
  };
}

export function sum(a: Demand, b: Demand): Demand {
  return { pods: a.pods + b.pods, cpu: a.cpu + b.cpu, memory: a.memory + b.memory };
}

export function less(a: Demand, b: Demand): Demand {
  return { pods: a.pods - b.pods, cpu: a.cpu - b.cpu, memory: a.memory - b.memory };
}

function maximum(a: Demand, b: Demand): Demand {
  return { pods: 0, cpu: Math.max(a.cpu, b.cpu), memory: Math.max(a.memory, b.memory) };
}

function requestOf({ resources }: Container): Demand {
  return quantities({ ...resources?.limits, ...resources?.requests });
}

function quantities(stated: Quantities | undefined): Demand {
  const cpu = Math.round(parseQuantity(stated?.['cpu'] ?? 0) * 1_000);
  return { pods: 0, cpu, memory: parseQuantity(stated?.['memory'] ?? 0) };
}

const factors: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** `100m`, `1.5Gi`, `2e3`; what is none counts as nothing, since the server has refused it before. */
export function parseQuantity(quantity: string | number): number {
  const text = String(quantity);
  const [, digits = '', suffix = ''] =
    /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  return Number(digits) * (suffix === '' ? 1 : (factors[suffix] ?? 0));
}
