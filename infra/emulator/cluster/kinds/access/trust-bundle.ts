import { certificateIn, type PemBlock, pemBlocks } from '../../pem.ts';
import type { KindRules } from '../kind-rules.ts';
import { ensured, specOf } from '../words/edit.ts';
import { invalid, tooLong } from '../words/errors.ts';
import { immutable } from '../words/metadata.ts';
import { child, type Errors, isEmpty, none, type Place, text } from '../words/place.ts';
import { bundleName, checkedSignerName } from '../words/signer.ts';

export const trustBundle: KindRules = {
  defaults: ensured('spec'),
  // What it may be called depends on its signer: `checks` says.
  name: () => [],
  isClusterWide: true,
  checks: (at) => {
    const [name, signer] = [child(at, 'metadata', 'name'), child(at, 'spec', 'signerName')];
    return [
      ...bundleName(text(signer))(text(name)).map((complaint) => invalid(name, complaint)),
      ...(isEmpty(signer) ? none : checkedSignerName(signer)),
    ];
  },
  checksOfNew: (at) => checkedBundle(child(at, 'spec', 'trustBundle')),
  changes: (next, before) => {
    const bundle = child(next, 'spec', 'trustBundle');
    const was = specOf(before);
    return [
      ...(bundle.value === was['trustBundle'] ? none : checkedBundle(bundle)),
      ...immutable(child(next, 'spec', 'signerName'), was['signerName']),
    ];
  },
};

const mostBytes = 1024 * 1024;

/** Certificates of authorities, each once. */
function checkedBundle(at: Place): Errors {
  if (Buffer.byteLength(text(at)) > mostBytes) return [tooLong(at, mostBytes)];
  const blocks = pemBlocks(text(at));
  const omitted = (why: string) => invalid(at, why, '<value omitted>');
  const errors = blocks.flatMap((block, index) => {
    const complaint = complaintOf(block);
    return complaint === undefined ? none : [omitted(`entry ${index} ${complaint}`)];
  });
  if (errors.length > 0) return errors;
  if (blocks.length === 0) return [omitted('at least one trust anchor must be provided')];
  const bodies = blocks.map(({ bytes }) => bytes.toString('base64'));
  return [...new Set(bodies)]
    .map((body) => bodies.flatMap((each, index) => (each === body ? [index] : [])))
    .filter((indices) => indices.length > 1)
    .map((indices) => omitted(`duplicate trust anchor (indices [${indices.join(' ')}])`));
}

function complaintOf({ type, hasHeaders, pem }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = certificateIn(pem);
  if (certificate === undefined) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
}
