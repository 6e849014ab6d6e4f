/** What Go says of bytes that are no answer in HTTP/1; what it does not know it calls by its first line. */
export function malformed(bytes: Buffer): string {
  const [first = '', ...lines] = bytes.toString('latin1').split(/\r?\n/);
  return `net/http: HTTP/1.x transport connection broken: ${wrongLine(first) ?? wrongHeader(lines) ?? noAnswer(first)}`;
}

function wrongLine(line: string): string | undefined {
  const [, version = '', status = ''] = /^(\S*) +(\S*)/.exec(line) ?? [];
  if (version === '') return noAnswer(line);
  if (!/^\d{3}$/.test(status)) return `malformed HTTP status code ${JSON.stringify(status)}`;
  return /^HTTP\/\d\.\d$/.test(version)
    ? undefined
    : `malformed HTTP version ${JSON.stringify(version)}`;
}

function noAnswer(line: string): string {
  return `malformed HTTP response ${goQuoted(line)}`;
}

function goQuoted(line: string): string {
  return JSON.stringify(line).replace(/\\u00/g, '\\x');
}

function wrongHeader(lines: readonly string[]): string | undefined {
  const end = lines.indexOf('');
  const headers = end < 0 ? lines : lines.slice(0, end);
  const odd = headers.find((line) => !line.includes(':'));
  if (odd !== undefined) return `malformed MIME header: missing colon: ${JSON.stringify(odd)}`;
  const lengths = headers
    .filter((line) => /^content-length:/i.test(line))
    .map((line) => line.slice(line.indexOf(':') + 1).trim());
  if (new Set(lengths).size > 1) {
    return `http: message cannot contain multiple Content-Length headers; got [${lengths.map((each) => JSON.stringify(each)).join(' ')}]`;
  }
  const [length] = lengths;
  return length === undefined || /^\d+$/.test(length)
    ? undefined
    : `bad Content-Length ${JSON.stringify(length)}`;
}
