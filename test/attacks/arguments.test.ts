import { describe, expect, it } from 'vitest';
import { argumentsFrom, usage } from './arguments.ts';

const url = ['--url', 'https://localhost:8443'];

describe('what npm run attacks is told', () => {
  it('is nothing but the usual, without anything', () => {
    expect(argumentsFrom([])).toEqual({
      kind: 'told',
      told: {
        ...{ urls: [], ca: undefined, servername: undefined, kubeconfig: undefined },
        ...{ write: undefined, ports: undefined, waitMs: 300_000, database: undefined },
        ...{ only: '', isJson: false },
      },
    });
  });

  it('is what it says', () => {
    const more = ['--url', 'https://b', '--port', '7', '--wait', '1', '-o', 'json', '--only', 'x'];
    const database = ['--database-cut', 'stop it', '--database-back', 'start it'];
    expect(argumentsFrom([...url, ...more, ...database])).toMatchObject({
      told: {
        ...{ urls: ['https://localhost:8443', 'https://b'], ports: [7, 8, 9], waitMs: 1_000 },
        ...{ database: { cut: 'stop it', back: 'start it' }, only: 'x', isJson: true },
      },
    });
    expect(argumentsFrom([...url, '--port', '0'])).toMatchObject({ told: { ports: undefined } });
  });

  it.each<[string, readonly string[], string]>([
    ['an option that is none', ['--nonsense'], '--nonsense'],
    ['a word that is none', ['attack'], 'attack'],
    ['an option without its value', ['--url'], '--url'],
    ['a URL that is none', ['--url', 'localhost:8443'], 'no https URL'],
    ['a URL without TLS', ['--url', 'http://localhost'], 'no https URL'],
    ['a port without two behind it', [...url, '--port', '65534'], '--port 65534'],
    ['a port that is none', [...url, '--port', '-1'], '--port'],
    ['a time that is none', [...url, '--wait', '1h'], '--wait 1h'],
    ['a form of output that is none', ['-o', 'yaml'], '--output yaml'],
    ['a cluster of nobody’s', ['--kubeconfig', 'file'], 'state its --url'],
    ['a database that does not come back', [...url, '--database-cut', 'x'], 'go together'],
  ])('is wrong with %s', (_, args, why) => {
    expect(argumentsFrom(args)).toEqual({ kind: 'wrong', why: expect.stringContaining(why) });
  });

  it('may be that help is wanted, which knows each option and each exit code', () => {
    expect(argumentsFrom(['-h'])).toEqual({ kind: 'help' });
    for (const name of ['--only', '--database-back', '--write', '0 no attack', '2 wrong usage']) {
      expect(usage).toContain(name);
    }
  });
});
