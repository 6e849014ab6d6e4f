import { forwarderHeap } from '#infra/deploy/pod.ts';

/** What is deployed is a bundle: it has no types that are stripped as it starts, which takes some 8 MiB. */
const heapMiB = Number(forwarderHeap.old.split('=')[1]) + 8;

/** The heap that a Deployment gives a forwarder. */
export const heapAsDeployed = [`--max-old-space-size=${heapMiB}`, `--${forwarderHeap.young}`];
