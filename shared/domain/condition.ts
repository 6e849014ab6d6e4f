/** A standing fact: the node pool has nodes, the caBundle is in sync, the configuration is good. */
export type Condition = {
  readonly name: string;
  readonly holds: boolean;
  /** For the operator: what does not hold, and how to mend it. */
  readonly why: string;
};
