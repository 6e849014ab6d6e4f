/** `gatehouse/define`: all that a function file is written against. What is not exported here may change any day. */

export {
  type ObjectChanged,
  objectChanged,
  type PeriodElapsed,
  periodElapsed,
  type Wake,
} from '#events/kinds.ts';
export {
  type AdmissionFunction,
  type AdmissionTrigger,
  type Capability,
  type Definition,
  defineAdmission,
  defineEndpoint,
  defineReconcile,
  type Endpoint,
  type EndpointFunction,
  type MatchCondition,
  type OnFailure,
  type RawReview,
  type ReconcileFunction,
  type ReconcileTrigger,
  type Review,
  type Run,
  type UserInfo,
  type Uses,
  type Verb,
  type Watch,
} from '#shared/define.ts';
export type { Condition } from '#shared/domain/condition.ts';
export {
  anything,
  choice,
  type Decoded,
  type Decoder,
  decode,
  describe,
  dictionary,
  either,
  flag,
  integer,
  integerFrom,
  list,
  maybe,
  number,
  optional,
  type Problem,
  type Result,
  record,
  refine,
  strictRecord,
  text,
} from '#shared/domain/decode.ts';
export { isDuration, parseDuration } from '#shared/domain/duration.ts';
export { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
export {
  appendAt,
  applyPatch,
  type Operation,
  removeAt,
  setAt,
} from '#shared/domain/json-patch.ts';
export { pointer } from '#shared/domain/json-pointer.ts';
export * as kinds from '#shared/domain/kind.ts';
export { apiVersion, type Kind } from '#shared/domain/kind.ts';
export type { KubeObject } from '#shared/domain/kube-object.ts';
export type { Namespace } from '#shared/domain/namespace.ts';
export type { Node } from '#shared/domain/node.ts';
export { conflict, done, giveUp, later, type Outcome, retry } from '#shared/domain/outcome.ts';
export {
  type LabelRequirement,
  type LabelSelector,
  matchesLabels,
  parseSelector,
} from '#shared/domain/selector.ts';
export type { Configured, Settings } from '#shared/domain/settings.ts';
export {
  allow,
  type Change,
  type Denial,
  deny,
  patch,
  type Remarks,
  type Verdict,
} from '#shared/domain/verdict.ts';
export type * from '#shared/ports.ts';
