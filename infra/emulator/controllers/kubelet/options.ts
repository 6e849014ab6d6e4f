import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { Labels } from '../shapes/meta.ts';
import type { Quantities } from '../shapes/pod.ts';
import type { Taint } from '../shapes/surroundings.ts';

export type KubeletOptions = {
  /** Three workers where it is left out. */
  readonly nodes?: readonly NodeOptions[];
  readonly timings?: Partial<Timings>;
  /** Asked for each container's image; without it, digests are made of the reference. */
  readonly resolveImage?: ResolveImage;
};

export type NodeOptions = {
  readonly name: string;
  readonly labels?: Labels;
  readonly taints?: readonly Taint[];
  readonly allocatable?: Quantities;
};

/** In milliseconds; what a real node does in seconds. */
export type Timings = {
  /** From being bound to the first container. */
  readonly createMs: number;
  /** How long the containers of a Job run, where nothing says otherwise. */
  readonly jobMs: number;
  /** The first restart and the first pull after a failed one wait so long, the later ones twice as long each. */
  readonly backoffMs: number;
  /** The longest that a pod is given to end, whatever its grace period. */
  readonly graceMs: number;
  readonly heartbeatMs: number;
};

export const quick: Timings = {
  createMs: 20,
  jobMs: 50,
  backoffMs: 100,
  graceMs: 50,
  heartbeatMs: 60_000,
};

export type ResolveImage = (reference: string, show: ShowLogins) => Promise<ResolvedImage>;

/** What the pod's pull secrets hold; read only where somebody asks. */
export type ShowLogins = () => Promise<readonly RegistryLogin[]>;

export type ResolvedImage =
  | { readonly kind: 'digest'; readonly digest: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** No registry of ours: its digest is made up. */
  | { readonly kind: 'foreign' };

const workers = ['worker-1', 'worker-2', 'worker-3'];

export function nodesOf({ nodes }: KubeletOptions): readonly NodeOptions[] {
  return nodes ?? workers.map((name) => ({ name }));
}
