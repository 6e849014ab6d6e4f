import type { Login } from '#shared/adapters/cluster/login.ts';
import type { Environment } from './config.ts';

/** A kubeconfig that is named counts more than where we happen to run. */
export function loginFrom({
  kubeconfig,
  kubeconfigText,
  inCluster,
}: Pick<Environment, 'kubeconfig' | 'kubeconfigText' | 'inCluster'>): Login | undefined {
  if (kubeconfig !== undefined) return { kind: 'kubeconfig', path: kubeconfig };
  if (kubeconfigText !== undefined) return { kind: 'kubeconfig-text', text: kubeconfigText };
  return inCluster && { kind: 'in-cluster', ...inCluster };
}
