import { accountTokenController } from './account-tokens/account-tokens.ts';
import { accountController } from './accounts/accounts.ts';
import { clusterRoleController } from './cluster-roles/cluster-roles.ts';
import { cronJobController } from './cron-jobs/cron-jobs.ts';
import { daemonSetController } from './daemon-sets/daemon-sets.ts';
import { deploymentController } from './deployments/deployments.ts';
import { disruptionController } from './disruption/disruption.ts';
import { endpointController } from './endpoints/endpoints.ts';
import { endpointMirror } from './endpoints/mirror.ts';
import type { Controller } from './frame/controller.ts';
import { garbageCollector } from './garbage/garbage.ts';
import { jobController } from './jobs/jobs.ts';
import type { Faults } from './kubelet/faults.ts';
import { kubelet } from './kubelet/kubelet.ts';
import { nodeLeases } from './kubelet/node-leases.ts';
import { type KubeletOptions, quick } from './kubelet/options.ts';
import { lostPodController } from './lost-pods/lost-pods.ts';
import { namespaceController } from './namespaces/namespaces.ts';
import { replicaSetController, replicationController } from './replica-sets/replica-sets.ts';
import { scheduler } from './scheduler/scheduler.ts';
import { statefulSetController } from './stateful-sets/stateful-sets.ts';
import { taintEvictionController } from './taint-evictions/taint-evictions.ts';
import { volumeProtectionController } from './volume-protection/volume-protection.ts';

export type Choices = { readonly kubelet: KubeletOptions; readonly faults: Faults };

export function allControllers({ kubelet: options, faults }: Choices): readonly Controller[] {
  return [
    namespaceController(),
    accountController,
    accountTokenController,
    deploymentController,
    replicaSetController,
    replicationController,
    statefulSetController,
    daemonSetController,
    jobController({ ...quick, ...options.timings }),
    cronJobController,
    endpointController(),
    endpointMirror,
    disruptionController,
    volumeProtectionController,
    clusterRoleController,
    scheduler(),
    taintEvictionController,
    lostPodController(),
    nodeLeases(options),
    kubelet({ options, faults }),
    garbageCollector(),
  ];
}
