/** Bodies, where they are sent, and what kube-apiserver 1.35.4 says of them before it looks at their sense. */
export const decodeCases: readonly (readonly [path: string, body: string, message: string])[] = [
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"foo":1}}',
    'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo"',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"replicas":"1"}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"replicas":1.5}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"replicas":99999999999}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"replicas":true}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal bool into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"replicas":{}}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal object into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"paused":"x"}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"paused":1}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"strategy":"x"}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.strategy of type v1.DeploymentStrategy',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"strategy":{"rollingUpdate":{"maxSurge":"10%","x":1}}}}',
    'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.strategy.rollingUpdate.x"',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"replicas":1,"replicas":2}}',
    'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: duplicate field "spec.replicas"',
  ],
  [
    'apis/apps/v1/namespaces/t/deployments',
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"minReadySeconds":null,"zz":null}}',
    'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.zz"',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","command":"x"}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field Container.spec.containers.command of type []string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","command":[1]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field Container.spec.containers.command of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","command":[[]]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal array into Go struct field Container.spec.containers.command of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":1}]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.name of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":"80"}]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"x"}}}]}}',
    `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":[]}}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal array into Go struct field ResourceRequirements.spec.containers.resources.requests of type v1.ResourceList',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","livenessProbe":{"httpGet":{"port":true}}}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","livenessProbe":{"exec":5}}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field Probe.spec.containers.livenessProbe.ProbeHandler.exec of type v1.ExecAction',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","x":1,"y":{"z":2}}]}}',
    'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].x", unknown field "spec.containers[0].y"',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","ports":[{"x":1},{"containerPort":1,"y":1}]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].ports[0].x", unknown field "spec.containers[0].ports[1].y"',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"a","configMap":{"name":5}}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"a","emptyDir":{"sizeLimit":"q"}}]}}',
    `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"a","emptyDir":5}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"ephemeralContainers":[{"name":4}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field EphemeralContainer.spec.ephemeralContainers.EphemeralContainerCommon.name of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":5}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field PodSpec.spec.affinity of type v1.Affinity',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"x":1}}}}',
    'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.affinity.nodeAffinity.x"',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"a":1}}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field PodSpec.spec.nodeSelector of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":{}}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal object into Go struct field PodSpec.spec.tolerations of type []v1.Toleration',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","envFrom":[{"configMapRef":{"name":7}}]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field ConfigMapEnvSource.spec.containers.envFrom.configMapRef.LocalObjectReference.name of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"a","valueFrom":{"secretKeyRef":{"name":1}}}]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field SecretKeySelector.spec.containers.env.valueFrom.secretKeyRef.LocalObjectReference.name of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"a","valueFrom":{"secretKeyRef":{"key":1}}}]}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field SecretKeySelector.spec.containers.env.valueFrom.secretKeyRef.key of type string',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"securityContext":{"runAsUser":"x"}}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSecurityContext.spec.securityContext.runAsUser of type int64',
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"overhead":{"cpu":true}}}',
    `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  ],
  [
    'api/v1/namespaces/t/pods',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c","image":"i"}],"hostAliases":[{"hostnames":5}]}}',
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field HostAlias.spec.hostAliases.hostnames of type []string',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":5}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"a":1}}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","creationTimestamp":"x"}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","creationTimestamp":5}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","foo":1}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo"',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","ownerReferences":{}}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","ownerReferences":[{"x":1}]}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.ownerReferences[0].x"',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":1}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","data":[]}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","binaryData":{"a":"!!"}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","binaryData":{"a":"YQ"}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","binaryData":{"a":5}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"data":{"a":"b","a":"c"}}',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
  ],
  [
    'api/v1/namespaces/t/configmaps',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","labels":null}}',
    '',
  ],
  [
    'apis/coordination.k8s.io/v1/namespaces/t/leases',
    '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"d"},"spec":{"acquireTime":"2024-01-01T01:00:00.5+01:00"}}',
    'Lease in version "v1" cannot be handled as a Lease: parsing time "2024-01-01T01:00:00.5+01:00" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5+01:00" as ".000000"',
  ],
  [
    'apis/coordination.k8s.io/v1/namespaces/t/leases',
    '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"d"},"spec":{"acquireTime":"x"}}',
    'Lease in version "v1" cannot be handled as a Lease: parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"',
  ],
  [
    'apis/coordination.k8s.io/v1/namespaces/t/leases',
    '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"d"},"spec":{"acquireTime":5}}',
    'Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal number into Go struct field LeaseSpec.spec.acquireTime of type string',
  ],
  [
    'apis/coordination.k8s.io/v1/namespaces/t/leases',
    '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"d"},"spec":{"acquireTime":"2024-01-01T01:00:00.000000Z"}}',
    '',
  ],
  [
    'apis/policy/v1/namespaces/t/poddisruptionbudgets',
    '{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"d"},"spec":{"minAvailable":true}}',
    'PodDisruptionBudget in version "v1" cannot be handled as a PodDisruptionBudget: json: cannot unmarshal bool into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32',
  ],
  [
    'apis/policy/v1/namespaces/t/poddisruptionbudgets',
    '{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"d"},"spec":{"minAvailable":[]}}',
    'PodDisruptionBudget in version "v1" cannot be handled as a PodDisruptionBudget: json: cannot unmarshal array into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32',
  ],
  [
    'apis/policy/v1/namespaces/t/poddisruptionbudgets',
    '{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"d"},"spec":{"minAvailable":"x%","foo":1}}',
    'PodDisruptionBudget in version "v1" cannot be handled as a PodDisruptionBudget: strict decoding error: unknown field "spec.foo"',
  ],
  [
    'apis/rbac.authorization.k8s.io/v1/clusterroles',
    '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"d"},"rules":[{"verbs":5}]}',
    'ClusterRole in version "v1" cannot be handled as a ClusterRole: json: cannot unmarshal number into Go struct field PolicyRule.rules.verbs of type []string',
  ],
  [
    'apis/rbac.authorization.k8s.io/v1/clusterroles',
    '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"d"},"rules":[{"verbs":["a"],"x":1}]}',
    'ClusterRole in version "v1" cannot be handled as a ClusterRole: strict decoding error: unknown field "rules[0].x"',
  ],
  [
    'apis/rbac.authorization.k8s.io/v1/clusterroles',
    '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"d"},"rules":{}}',
    'ClusterRole in version "v1" cannot be handled as a ClusterRole: json: cannot unmarshal object into Go struct field ClusterRole.rules of type []v1.PolicyRule',
  ],
];
