/** `gatehouse/testing`: working fakes of the ports, for the tests of one's own functions. */
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
export {
  type NamespaceStated,
  type NamespacesInMemory,
  namespacesInMemory,
} from '../emulator/testing/namespaces-in-memory.ts';
export { type NodesInMemory, nodesInMemory } from '../emulator/testing/nodes-in-memory.ts';
export {
  type FixedSettings,
  type Partly,
  settingsFixed,
} from '../emulator/testing/settings-fixed.ts';
