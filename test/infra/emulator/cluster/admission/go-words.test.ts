import { describe, expect, it } from 'vitest';
import { malformed } from '#infra/emulator/cluster/admission/reaching/go-http.ts';
import { goWords } from '#infra/emulator/cluster/admission/reaching/go-words.ts';

const broken = 'net/http: HTTP/1.x transport connection broken:';

describe('an answer that is no HTTP', () => {
  it.each([
    ['what do you want\r\n\r\n', 'malformed HTTP status code "do"'],
    ['\u0000\u0000\u0012\u0004', 'malformed HTTP response "\\x00\\x00\\x12\\x04"'],
    ['HTTP/1.1 abc OK\r\n\r\n', 'malformed HTTP status code "abc"'],
    ['GOPHER 200 OK\r\n\r\n', 'malformed HTTP version "GOPHER"'],
    [
      'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n',
      'malformed MIME header: missing colon: "no colon here"',
    ],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      'http: message cannot contain multiple Content-Length headers; got ["2" "3"]',
    ],
    ['HTTP/1.1 200 OK\r\nContent-Length: xx\r\n\r\n{}', 'bad Content-Length "xx"'],
  ])('%j is called what Go calls it', (bytes, why) => {
    expect(malformed(Buffer.from(bytes, 'latin1'))).toBe(`${broken} ${why}`);
  });
});

describe('the other side', () => {
  const at = { host: 'localhost', port: 443 };

  it.each([
    [70, 'protocol version not supported'],
    [116, 'certificate required'],
    [255, 'alert(255)'],
  ])('hangs up with alert %i, and says why', (number, why) => {
    const cause = Object.assign(new Error(`SSL routines: … SSL alert number ${number}`), {
      code: 'EPROTO',
    });
    expect(goWords(cause, at)).toBe(`remote error: tls: ${why}`);
  });

  it('is named by its address in brackets where that has colons', () => {
    const cause = { code: 'ECONNREFUSED', message: '', address: '::1', port: 7 };
    expect(goWords(Object.assign(new Error(), cause), at)).toBe(
      'dial tcp [::1]:7: connect: connection refused',
    );
  });
});
