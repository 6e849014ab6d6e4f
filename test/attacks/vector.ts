import type { JsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Outside } from './outside.ts';

/** What must not be admitted, and beside it what differs from it by nothing but the attack. */
export type Vector = {
  readonly name: string;
  readonly theme: string;
  readonly namespaces: readonly StatedNamespace[];
  readonly evil: Play;
  readonly twin: Play;
  /** More than a URL to post to: where the target does not have it, the vector is left out. */
  readonly needs?: 'cluster' | 'database';
};

/** Whether what is asked for would run. */
export type Play = (stage: Stage) => Promise<Outcome>;

export type Outcome = { readonly admitted: boolean; readonly said: string };

export type StatedNamespace = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

export type Stage = {
  readonly outside: Outside;
  /** As an API server would: mutation, then the last word on what came of it. */
  admit(request: Asked): Promise<Admitted>;
  /** Writes to the target's cluster. */
  readonly put?: (kind: Kind, object: KubeObject) => Promise<void>;
  /** Whether the target can reach its database. */
  readonly cutOff?: (isAway: boolean) => void | Promise<void>;
};

export type Asked = {
  readonly namespace: StatedNamespace;
  readonly object: JsonObject;
  readonly old?: JsonObject | undefined;
  readonly operation?: 'CREATE' | 'UPDATE';
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Of the last word, where a configuration of the replaced system asks for it. */
  readonly lastPath?: string;
  readonly user?: JsonObject | undefined;
  /** What others make of it after us. */
  readonly after?: (object: JsonObject) => JsonObject;
};

export type Admitted = Outcome & {
  /** As it would be stored. */
  readonly object: JsonObject;
};
