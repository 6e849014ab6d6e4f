import { invalid, required } from './errors.ts';
import { dnsLabel, dnsSubdomain, type NameRule } from './names.ts';
import { type Errors, none, type Place, text } from './place.ts';

/** A bundle of a signer is called by the signer's name first. */
export function bundleName(signer: string): NameRule {
  const prefix = `${signer.replaceAll('/', ':')}:`;
  return (name) => {
    if (signer === '') {
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : dnsSubdomain(name);
    }
    return name.startsWith(prefix)
      ? dnsSubdomain(name.slice(prefix.length))
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
  };
}

/** `example.com/some-signer` */
export function checkedSignerName(at: Place): Errors {
  if (text(at) === '') return [required(at)];
  const [domain = '', path = '', ...more] = text(at).split('/');
  if (more.length > 0 || !text(at).includes('/')) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(at, why)];
  }
  return [
    ...firstBadPart(at, domain, dnsLabel),
    ...(domain.includes('.')
      ? none
      : [invalid(at, 'should be a domain with at least two segments separated by dots', domain)]),
    ...firstBadPart(at, path, dnsSubdomain),
  ];
}

function firstBadPart(at: Place, whole: string, rule: NameRule): Errors {
  const bad = whole.split('.').find((part) => rule(part).length > 0);
  if (bad === undefined) return none;
  return rule(bad).map((complaint) =>
    invalid(at, `validating label "${bad}": ${complaint}`, whole),
  );
}
