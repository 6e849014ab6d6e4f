import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../parts.ts';
import { yesOrNo } from '../reading/yes-or-no.ts';
import { badRequest, invalidOptions, isRefusal, type Refusal } from '../refusal.ts';
import { throughGo } from '../schemas/decoding/built-in.ts';
import { type Findings, start } from '../schemas/decoding/findings.ts';
import { componentSchema } from '../schemas/open-schemas.ts';
import { dryRunErrors } from './options.ts';

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

export type DeleteOptions = {
  readonly dryRun: boolean;
  readonly graceSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** As admission is told them. */
  readonly stated: JsonObject;
};

/** They stand in the body, or where there is none in the query. */
export function deleteOptionsOf(body: JsonObject, query: URLSearchParams): DeleteOptions | Refusal {
  const other = otherKind(body);
  if (other !== undefined) return other;
  const options = Object.keys(body).length > 0 ? readOptions(body) : inQuery(query);
  if (isRefusal(options)) return options;
  const dryRun = textsIn(options['dryRun']);
  const errors = [...policyErrors(options), ...dryRunErrors(dryRun)];
  if (errors.length > 0) return invalidOptions('DeleteOptions', errors);
  const { gracePeriodSeconds: grace, preconditions } = options;
  return {
    dryRun: dryRun.length > 0,
    graceSeconds: typeof grace === 'number' ? grace : undefined,
    propagation: propagationIn(options),
    preconditions: isJsonObject(preconditions) ? preconditionsIn(preconditions) : {},
    stated: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options },
  };
}

/** As Go's decoder reads them; what it does not know it passes over. */
function readOptions(body: JsonObject): JsonObject | Refusal {
  const found: Findings = { wrong: undefined, unknown: [] };
  const schema = componentSchema('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
  const read = throughGo(body, schema, start(found));
  return found.wrong === undefined ? (read as JsonObject) : badRequest(found.wrong);
}

/** The scheme of options knows these, and the server's own kinds not. */
function otherKind({ kind = '', apiVersion = '' }: JsonObject): Refusal | undefined {
  if (kind === '' || kind === 'DeleteOptions') return undefined;
  return badRequest(
    `no kind "${String(kind)}" is registered for version "${String(apiVersion) || 'meta.k8s.io/v1'}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function textsIn(value: Json | undefined): readonly string[] {
  return value !== undefined && isList(value) ? value.map(String) : [];
}

function propagationIn({
  propagationPolicy,
  orphanDependents,
}: JsonObject): Propagation | undefined {
  if (propagationPolicy !== undefined) return propagationPolicy as Propagation;
  if (orphanDependents === undefined || orphanDependents === null) return undefined;
  return orphanDependents === true ? 'Orphan' : 'Background';
}

function preconditionsIn({ uid, resourceVersion }: JsonObject) {
  return {
    ...(typeof uid === 'string' && { uid }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
  };
}

function inQuery(query: URLSearchParams): JsonObject | Refusal {
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && !/^-?\d+$/.test(grace)) {
    return badRequest(`strconv.ParseInt: parsing "${grace}": invalid syntax`);
  }
  const policy = query.get('propagationPolicy');
  const orphanDependents = yesOrNo(query, 'orphanDependents');
  const dryRun = query.getAll('dryRun');
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  return {
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(dryRun.length > 0 && { dryRun }),
  };
}

function policyErrors({
  propagationPolicy: policy,
  orphanDependents,
}: JsonObject): readonly FieldError[] {
  if (policy === undefined || policy === null) return [];
  const field = 'propagationPolicy';
  const shown = JSON.stringify(policy);
  if (orphanDependents !== undefined && orphanDependents !== null) {
    const message = `Invalid value: ${shown}: orphanDependents and deletionPropagation cannot be both set`;
    return [{ field, reason: 'FieldValueInvalid', message }];
  }
  if (['Foreground', 'Background', 'Orphan'].includes(String(policy))) return [];
  const message = `Unsupported value: ${shown}: supported values: "Foreground", "Background", "Orphan", "nil"`;
  return [{ field, reason: 'FieldValueNotSupported', message }];
}
