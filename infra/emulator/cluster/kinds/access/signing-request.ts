import type { JsonObject } from '#shared/domain/json.ts';
import { certificateRequestIn } from '../../certificate-request.ts';
import type { Written } from '../../parts.ts';
import type { KindRules } from '../kind-rules.ts';
import { all, ensured, put, specOf, timed, without } from '../words/edit.ts';
import { duplicate, invalid, notSupported, required } from '../words/errors.ts';
import {
  child,
  type Errors,
  isStated,
  items,
  none,
  number,
  type Place,
  text,
} from '../words/place.ts';
import { checkedSignerName } from '../words/signer.ts';
import { approval, issuance } from './signing-status.ts';

/** Nobody signs here. */
export const signingRequest: KindRules = {
  defaults: all(ensured('spec'), ensured('status', timed('lastUpdateTime', 'lastTransitionTime'))),
  name: () => [],
  status: {},
  created: askedBy,
  kept: (next, before) => put(next, 'spec', specOf(before)),
  isClusterWide: true,
  checks: (at) => checkedRequest(child(at, 'spec')),
  subresources: { approval, status: issuance },
};

/** Who asks is what the server knows, not what the request says. */
function askedBy(whole: JsonObject, { user }: Written): JsonObject {
  const stated = without(specOf(whole), ['username', 'uid', 'groups', 'extra']);
  const named = {
    ...stated,
    username: user.name,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(user.extra === undefined ? {} : { extra: user.extra }),
  };
  return put(whole, 'spec', named);
}

function checkedRequest(spec: Place): Errors {
  const [list, all] = [child(spec, 'usages'), items(spec, 'usages')];
  const seconds = child(spec, 'expirationSeconds');
  const short = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...checkedContent(child(spec, 'request')),
    ...(all.length === 0 ? [required(list)] : none),
    ...all
      .filter((at) => !usages.some((usage) => usage === text(at)))
      .map((at) => notSupported(at, usages)),
    ...all
      .filter((at, index) => all.findIndex((each) => text(each) === text(at)) < index)
      .map(duplicate),
    ...checkedSigner(child(spec, 'signerName')),
    ...(isStated(seconds) && number(seconds) < 600 ? [invalid(seconds, short)] : none),
  ];
}

function checkedContent(at: Place): Errors {
  const found = certificateRequestIn(text(at));
  return typeof found === 'string' ? [invalid(at, found)] : none;
}

function checkedSigner(at: Place): Errors {
  return text(at) === 'kubernetes.io/legacy-unknown'
    ? [invalid(at, 'the legacy signerName is not allowed via this API version')]
    : checkedSignerName(at);
}

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
] as const;
