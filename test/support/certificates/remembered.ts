import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import type { Certificates } from '#shared/ports.ts';

/** The real ones. A world asks the same questions thousands of times: each is answered once. */
export function rememberedCertificates(): Certificates {
  const { issueCa, issueLeaf, read, matches, isIssuedBy } = openCertificates();
  const readOnce = remembered((certificate) => read(certificate));
  const matchesBoth = remembered((certificate, key) => matches({ certificate, key }));
  return {
    issueCa,
    issueLeaf,
    read: (certificate) => readOnce(certificate, ''),
    matches: ({ certificate, key }) => matchesBoth(certificate, key),
    isIssuedBy: remembered(isIssuedBy),
  };
}

export function remembered<A>(ask: (a: string, b: string) => A): (a: string, b: string) => A {
  const known = new Map<string, Map<string, A>>();
  return (a, b) => {
    const ofA = known.get(a) ?? new Map<string, A>();
    known.set(a, ofA);
    const found = ofA.get(b);
    if (found !== undefined) return found;
    const answer = ask(a, b);
    ofA.set(b, answer);
    return answer;
  };
}
