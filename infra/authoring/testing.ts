/** `gatehouse/testing`: a small cluster for the tests of one's own functions, the faults of production, and fakes of the ports. */
export {
  type BootstrapDocumentsInMemory,
  bootstrapDocumentsInMemory,
} from '../emulator/testing/bootstrap-documents-in-memory.ts';
export { clockAt, type StoppedClock } from '../emulator/testing/clock-at.ts';
export { type ClusterInMemory, clusterInMemory } from '../emulator/testing/cluster-in-memory.ts';
export {
  conditionsRecorded,
  type RecordedConditions,
} from '../emulator/testing/conditions-recorded.ts';
export {
  eventsRecorded,
  type RecordedEvents,
  type ReportedEvent,
} from '../emulator/testing/events-recorded.ts';
export { measuresRecorded, type RecordedMeasures } from '../emulator/testing/measures-recorded.ts';
export { type MirrorInMemory, mirrorInMemory } from '../emulator/testing/mirror-in-memory.ts';
export {
  type NamespaceStated,
  type NamespacesInMemory,
  namespacesInMemory,
} from '../emulator/testing/namespaces-in-memory.ts';
export { type NodesInMemory, nodesInMemory } from '../emulator/testing/nodes-in-memory.ts';
export { restartsInMemory } from '../emulator/testing/restarts-in-memory.ts';
export {
  type FixedSettings,
  type Partly,
  settingsFixed,
} from '../emulator/testing/settings-fixed.ts';
export { emulate } from '../emulator/world/emulate.ts';
export { everyFault, faultReport } from '../emulator/world/every-fault/every-fault.ts';
export type { FaultReport, Finding, Scenario } from '../emulator/world/every-fault/scenario.ts';
export { applyFault, type StatedFault, usageOf } from '../emulator/world/faults/apply-fault.ts';
export type { FailedRequest, Knobs } from '../emulator/world/faults/knobs.ts';
export { type Fault, faults } from '../emulator/world/faults/table.ts';
export type { Manifest, Stated } from '../emulator/world/manifest.ts';
export type { Ref } from '../emulator/world/ref.ts';
export type { FunctionSource } from '../emulator/world/sources.ts';
export type {
  Admission,
  AdmitRequest,
  Admitted,
  Buried,
  Decision,
  EmulateOptions,
  Reports,
  Run,
  SettleLimits,
  World,
  Written,
} from '../emulator/world/world.ts';
