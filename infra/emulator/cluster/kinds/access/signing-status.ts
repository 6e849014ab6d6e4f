import type { JsonObject } from '#shared/domain/json.ts';
import type { FieldError, Subresource } from '../../parts.ts';
import { certificateIn, type PemBlock, pemBlocks } from '../../pem.ts';
import { sentMetadata } from '../kind-rules.ts';
import { itemsOf, metadataOf, preset, put, statusOf, textOf } from '../words/edit.ts';
import { duplicate, forbidden, invalid, oneOf, stated } from '../words/errors.ts';
import { checkedMetadataChange, checkedNotes } from '../words/metadata.ts';
import {
  child,
  type Errors,
  isEmpty,
  items,
  none,
  type Place,
  root,
  text,
} from '../words/place.ts';
import { timestamp } from '../words/time.ts';

/** Of a request for a certificate: who approves or denies it writes the conditions alone. */
export const approval: Subresource = {
  shape: 'part',
  taken: (next, before, { now }) => ({
    ...before,
    metadata: sentMetadata(next, before),
    status: put(statusOf(before), 'conditions', timed(conditionsOf(next), before, now)),
  }),
  checked: (next, before) => [
    ...checkedNotes(child(root(next), 'metadata')),
    ...checkedConditions(child(root(next), 'status')),
    ...checkedLasting(next, before),
    ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
  ],
};

/** `status`: who signs it writes the certificate, and decides nothing. */
export const issuance: Subresource = {
  shape: 'part',
  taken: (next, before, { now }) => ({
    ...before,
    metadata: sentMetadata(next, before),
    status: put(statusOf(next), 'conditions', timed(decidedAs(next, before), before, now)),
  }),
  checked: (next, before) => [
    ...checkedNotes(child(root(next), 'metadata')),
    ...checkedConditions(child(root(next), 'status')),
    ...checkedCertificate(child(root(next), 'status', 'certificate'), before),
    ...checkedLasting(next, before),
    ...checkedDecisions(next, before),
    ...keptCertificate(child(root(next), 'status', 'certificate'), before),
    ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
  ],
};

const decisions = ['Approved', 'Denied'];
const lasting = [...decisions, 'Failed'];

type Conditions = readonly JsonObject[];

function conditionsOf(request: JsonObject): Conditions {
  return itemsOf(statusOf(request), 'conditions');
}

function ofType(request: JsonObject, type: string): Conditions {
  return conditionsOf(request).filter((each) => each['type'] === type);
}

/** Decisions stay as they were, unless one is added or gone, which is refused. */
function decidedAs(next: JsonObject, before: JsonObject): Conditions {
  const same = decisions.filter(
    (type) => ofType(next, type).length === ofType(before, type).length,
  );
  return conditionsOf(next).map((condition) => {
    const type = textOf(condition, 'type');
    const at = ofType(next, type).indexOf(condition);
    return same.includes(type) ? (ofType(before, type)[at] ?? condition) : condition;
  });
}

/** What says no times gets them. */
function timed(conditions: Conditions, before: JsonObject, now: Date): Conditions | undefined {
  const lastUpdateTime = timestamp(now);
  const all = conditions.map((condition) => {
    const same = ofType(before, textOf(condition, 'type')).find(
      ({ status }) => status === condition['status'],
    );
    const lastTransitionTime = same?.['lastTransitionTime'] ?? lastUpdateTime;
    return preset({ lastUpdateTime, lastTransitionTime })(condition);
  });
  return all.length === 0 ? undefined : all;
}

function checkedConditions(status: Place): Errors {
  const all = items(status, 'conditions');
  const types = all.map((at) => text(child(at, 'type')));
  return all.flatMap((at, index) => {
    const [type, earlier] = [child(at, 'type'), types.slice(0, index)];
    const isUndecided = decisions.includes(text(type)) && isDecidedOtherwise(text(type), earlier);
    return [
      ...stated(type),
      ...checkedWord(child(at, 'status'), text(type)),
      ...(isUndecided ? [invalid(child(status, 'conditions'), exclusive, text(type))] : none),
      ...(earlier.includes(text(type)) ? [duplicate(type)] : none),
    ];
  });
}

const exclusive = 'Approved and Denied conditions are mutually exclusive';

function isDecidedOtherwise(type: string, earlier: readonly string[]): boolean {
  return decisions.some((other) => other !== type && earlier.includes(other));
}

function checkedWord(status: Place, type: string): Errors {
  const words = lasting.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
  return stated(status, (at) => oneOf(at, words));
}

function checkedLasting(next: JsonObject, before: JsonObject): Errors {
  return lasting
    .filter((type) => ofType(next, type).length < ofType(before, type).length)
    .map((type) => unchanged(next, `updates may not remove a condition of type "${type}"`));
}

function checkedDecisions(next: JsonObject, before: JsonObject): Errors {
  return decisions
    .filter((type) => ofType(next, type).length > ofType(before, type).length)
    .map((type) => unchanged(next, `updates may not add a condition of type "${type}"`));
}

function unchanged(next: JsonObject, why: string): FieldError {
  return forbidden(child(root(next), 'status', 'conditions'), why);
}

function checkedCertificate(at: Place, before: JsonObject): Errors {
  if (isEmpty(at) || text(at) === textOf(statusOf(before), 'certificate')) return none;
  const blocks = pemBlocks(Buffer.from(text(at), 'base64').toString());
  const [complaint] = blocks.flatMap(complaintsOf);
  const why = blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : complaint;
  return why === undefined ? none : [invalid(at, why, '<certificate data>')];
}

function complaintsOf({ type, hasHeaders, pem }: PemBlock): readonly string[] {
  if (type !== 'CERTIFICATE') {
    return [`only CERTIFICATE PEM blocks are allowed, found "${type}"`];
  }
  if (hasHeaders) return ['no PEM block headers are permitted'];
  return certificateIn(pem) === undefined ? ['x509: malformed certificate'] : [];
}

function keptCertificate(at: Place, before: JsonObject): Errors {
  const was = textOf(statusOf(before), 'certificate');
  return was === '' || was === text(at)
    ? none
    : [forbidden(at, 'updates may not modify existing certificate content')];
}
