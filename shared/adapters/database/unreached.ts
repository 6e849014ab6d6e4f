/** Of the system and of postgres.js, which say in codes why there is no connection. */
export type WireError = { readonly code: string; readonly message: string };

type Words = (whom: string) => string;

const byCode: Readonly<Record<string, Words>> = {
  CONNECT_TIMEOUT: (whom) => `${whom} did not let us in in time`,
  CONNECTION_CLOSED: (whom) => `${whom} closed the connection`,
  ECONNREFUSED: (whom) => `nobody listens at ${whom}`,
  ENOTFOUND: (whom) => `nobody knows the name ${whom}`,
  EAI_AGAIN: (whom) => `the name ${whom} cannot be looked up now`,
  ETIMEDOUT: (whom) => `${whom} does not answer`,
  EHOSTUNREACH: (whom) => `no way leads to ${whom}`,
  ENETUNREACH: (whom) => `no way leads to ${whom}`,
  TLS_REFUSED: (whom) => `${whom} has no TLS, and sslmode asks for it`,
};

/** For people; the code stays, for whoever searches for it. */
export function unreachedText({ code, message }: WireError): string {
  const whom = whomOf(code, message);
  const text = whom === undefined ? message : (byCode[code]?.(whom) ?? message);
  return text.includes(code) ? text : `${text} (${code})`;
}

/** `connect ECONNREFUSED 127.0.0.1:5432`, `getaddrinfo ENOTFOUND host`, `write CONNECT_TIMEOUT 127.0.0.1:5432` */
function whomOf(code: string, message: string): string | undefined {
  const [, said, whom] = message.split(' ');
  return said === code && whom !== undefined ? oneOf(whom) : undefined;
}

/** Of several hosts postgres.js says all, and then all ports: `a,b:5432,5433`. */
function oneOf(whom: string): string {
  const [, hosts = '', ports = ''] = /^(.*):([\d,]+)$/.exec(whom) ?? [];
  if (!ports.includes(',')) return whom;
  const at = ports.split(',');
  const each = hosts.split(',').map((host, place) => `${host}:${at[place]}`);
  return `one of ${each.join(' and ')}`;
}
