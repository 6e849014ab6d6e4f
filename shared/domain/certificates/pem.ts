const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/g;

/** Each certificate of a text in one spelling, so that equal ones are equal text; anything else is dropped. */
export function certificatesIn(pem: string): readonly string[] {
  return [...pem.matchAll(block)].map(([, body = '']) => spelled(body.replace(/\s/g, '')));
}

/** All of them once, in the order in which they are first named. */
export function bundleOf(...pems: readonly (string | undefined)[]): string {
  return [...new Set(pems.flatMap((pem) => certificatesIn(pem ?? '')))].join('');
}

export function isSameBundle(a: string, b: string): boolean {
  const [left, right] = [new Set(certificatesIn(a)), new Set(certificatesIn(b))];
  return left.size === right.size && [...left].every((certificate) => right.has(certificate));
}

/** As Secrets and webhook configurations carry text; what is none reads as nothing. */
export function fromBase64(text: string): string {
  return /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text) && text.replace(/[\s=]/g, '').length % 4 !== 1
    ? atob(text)
    : '';
}

/** Of PEM, which is ASCII. */
export function toBase64(pem: string): string {
  return btoa(pem);
}

function spelled(body: string): string {
  const lines = body.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
