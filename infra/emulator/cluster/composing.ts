import { openAccess } from './access/open-access.ts';
import { openAdmission } from './admission/open-admission.ts';
import { inOlderForm } from './autoscaler-forms.ts';
import { openConverting } from './converting.ts';
import { definitionRules } from './custom/definition/definition-rules.ts';
import { openDefinitions } from './definitions.ts';
import { inOtherWords } from './event-forms.ts';
import { rulesOf } from './kinds/rules-of.ts';
import type { Reading, Rules, User } from './parts.ts';
import { applied } from './patching/applied.ts';
import { managed } from './patching/managed.ts';
import { patched } from './patching/patched.ts';
import type { Parts } from './pipeline/write.ts';
import { isRefusal } from './refusal.ts';
import { decodedWith } from './schemas/decode.ts';
import { openSchemas } from './schemas/open-schemas.ts';
import { customKinds, idOf, type ServedKind } from './served-kinds.ts';

export type ComposeOptions = {
  readonly reading: Reading;
  readonly signingKey: string;
  readonly tokens: ReadonlyMap<string, User>;
  now(): Date;
  /** While it says so, webhooks have no timeout. */
  readonly isUntimed?: (() => boolean) | undefined;
};

/** All parts of the API server, each with what it needs of the others. */
export function composed(options: ComposeOptions) {
  const { reading } = options;
  const definitions = openDefinitions(reading);
  const access = openAccess(options);
  const converting = openConverting(definitions, reading);
  const schemas = openSchemas((type) => definitions.schema(type));
  const admission = openAdmission({
    reading,
    refusedGrant: access.refusedGrant,
    may: access.may,
    converted: converting.converted,
    isUntimed: options.isUntimed,
    decoded: (object, { kind: { group, kind }, version }) => {
      const schema = schemas.find({ group, version, kind });
      if (schema === undefined) return object;
      const read = decodedWith(object, schema, { how: 'Ignore', duplicates: [] });
      return isRefusal(read) ? read : read.object;
    },
  });
  const parts: Parts = {
    ...{ access, admission, patched, applied, managed, decoded: decodedWith },
    schemas,
    rulesOf: (kind, version) =>
      (kind.isCustom ? definitions.rules(kind, version) : undefined) ?? builtInRules(kind, version),
    issueToken: access.issueToken,
  };
  return {
    ...{ parts, access, definitions, converting },
    close() {
      admission.close();
      converting.close();
    },
  };
}

/** Definitions have rules of their own, as they make rules for others. */
function builtInRules(kind: ServedKind, version: string): Rules {
  if (idOf(kind) === idOf(customKinds)) return definitionRules;
  if (idOf(kind) === 'events.events.k8s.io') return inOtherWords(rulesOf(kind));
  const isOlder = idOf(kind) === 'horizontalpodautoscalers.autoscaling' && version === 'v1';
  return isOlder ? inOlderForm(rulesOf(kind)) : rulesOf(kind);
}
